#include "app/data_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/process.hpp"
#include "sim/faulty_files.hpp"

namespace parley::app {
namespace {

using sim::Call;
using sim::Effect;

class DataFolder : public testing::Test {
 protected:
  std::string token_file() const { return folder_ / "admin.token"; }
  mode_t mode_of(const std::string& path) const {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }

  const base::TempFolder folder_ = base::TempFolder::make("data-folder").value();
  const std::unique_ptr<base::FileSystem> files_ = base::system_files();
  base::SystemRandom random_;
};

TEST_F(DataFolder, The_admins_token_is_made_once_and_read_again) {
  const auto made = admin_token(*files_, folder_.path(), random_);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_TRUE(made->made);
  EXPECT_EQ(mode_of(token_file()), 0600u);
  const auto again = admin_token(*files_, folder_.path(), random_);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_FALSE(again->made);
  EXPECT_EQ(again->hash, made->hash);
}

// D10: neither the mode of what a killed start left, nor where a link leads.
TEST_F(DataFolder, What_was_there_before_makes_no_token_anybodys) {
  const std::string fresh = token_file() + ".new";
  std::ofstream(fresh) << "half";
  ASSERT_EQ(::chmod(fresh.c_str(), 0666), 0);
  ASSERT_TRUE(admin_token(*files_, folder_.path(), random_).has_value());
  EXPECT_EQ(mode_of(token_file()), 0600u);
}

TEST_F(DataFolder, A_token_that_others_can_read_is_refused) {
  ASSERT_TRUE(admin_token(*files_, folder_.path(), random_).has_value());
  ASSERT_EQ(::chmod(token_file().c_str(), 0640), 0);
  const auto refused = admin_token(*files_, folder_.path(), random_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, base::ErrorCode::FORBIDDEN);
}

TEST_F(DataFolder, A_folder_that_cannot_be_made_is_told_as_such) {
  const auto files = base::system_files();
  const auto refused = make_data_folder(*files, "/proc/parley");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().where, "--data");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("/proc/parley cannot be made"));
  EXPECT_TRUE(make_data_folder(*files, folder_.path()).has_value()) << "it is there";
}

// Whichever call fails, the error says why.
TEST_F(DataFolder, What_cannot_be_written_says_why) {
  for (const Call call : {Call::open, Call::write, Call::sync, Call::rename, Call::sync_folder}) {
    sim::FaultyFiles files;
    files.add_fault({call, 1, Effect::io_error});
    const auto failed = admin_token(files, folder_.path(), random_);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().message, "cannot write " + token_file() + ": Input/output error");
    EXPECT_EQ(failed.error().code, base::ErrorCode::INTERNAL);
  }
  sim::FaultyFiles files;
  files.add_fault({Call::write, 1, Effect::no_space});
  const auto full = admin_token(files, folder_.path(), random_);
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, base::ErrorCode::STORAGE_FULL);
  EXPECT_THAT(full.error().message, testing::EndsWith(": No space left on device"));
}

}  // namespace
}  // namespace parley::app
