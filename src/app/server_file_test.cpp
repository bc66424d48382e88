#include "app/server_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.hpp"
#include "base/test_clock.hpp"
#include "sim/faulty_files.hpp"

namespace parley::app {
namespace {

using testing::HasSubstr;

class ServerFiles : public testing::Test {
 protected:
  ServerFile in(base::FileSystem& files) { return {files, folder_.path(), "http://127.0.0.1:1", *log_}; }
  mode_t mode_of(const std::string& path) const {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }

  const base::TempFolder folder_ = base::TempFolder::make("server-file").value();
  const std::string file_ = folder_ / "server.json";
  const std::unique_ptr<base::FileSystem> files_ = base::system_files();
  base::TestClock clock_;
  std::string logged_;
  const std::unique_ptr<observe::Log> log_ =
      observe::Log::to_function(clock_, observe::Level::info, [this](std::string_view line) { logged_ += line; });
};

// A killed server leaves its file, and its lock is gone: then the command line sends no token there.
TEST_F(ServerFiles, It_is_locked_as_long_as_the_server_lives) {
  {
    ServerFile file = in(*files_);
    ASSERT_TRUE(file.write().has_value());
    EXPECT_FALSE(files_->lock(file_).has_value());
  }
  EXPECT_TRUE(files_->lock(file_).has_value());
}

TEST_F(ServerFiles, It_is_its_owners_alone_wherever_a_link_leads) {
  ASSERT_EQ(::symlink((folder_ / "elsewhere").c_str(), (file_ + ".new").c_str()), 0);
  ServerFile file = in(*files_);
  ASSERT_TRUE(file.write().has_value());
  EXPECT_EQ(mode_of(folder_ / "elsewhere"), 0u);
  EXPECT_EQ(mode_of(file_), 0600u);
  file.remove();
  EXPECT_EQ(mode_of(file_), 0u);
}

// B4: what must end goes on with a full disk, also over a restart.
TEST_F(ServerFiles, On_a_full_disk_it_is_written_as_soon_as_there_is_room) {
  sim::FaultyFiles files;
  files.add_fault({sim::Call::write, 1, sim::Effect::no_space});
  ServerFile file = in(files);
  ASSERT_TRUE(file.write().has_value());
  EXPECT_THAT(logged_, testing::AllOf(HasSubstr("server_file_not_written"), HasSubstr("No space left on device"),
                                      HasSubstr("--server http://127.0.0.1:1")));
  files.add_fault({sim::Call::write, 1, sim::Effect::no_space});
  file.look();
  EXPECT_THAT(files.names(), testing::IsEmpty()) << "nothing is left behind";
  EXPECT_THAT(logged_, testing::Not(HasSubstr("server_file_written")));

  file.look();
  EXPECT_THAT(files.names(), testing::ElementsAre(file_));
  EXPECT_THAT(logged_, HasSubstr("server_file_written"));
  const std::uint64_t calls = files.changing_calls();
  file.look();
  EXPECT_EQ(files.changing_calls(), calls) << "once is enough";
}

TEST_F(ServerFiles, Another_failure_is_told) {
  sim::FaultyFiles files;
  files.add_fault({sim::Call::write, 1, sim::Effect::io_error});
  const auto failed = in(files).write();
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, HasSubstr("server.json: Input/output error"));
}

}  // namespace
}  // namespace parley::app
