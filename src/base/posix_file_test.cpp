#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file.hpp"

namespace parley::base {
namespace {

class SystemFiles : public ::testing::Test {
 protected:
  SystemFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "parley-files-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~SystemFiles() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::unique_ptr<FileSystem> files_ = system_files();
  std::string folder_;
};

TEST_F(SystemFiles, PiecesAreWrittenInOrderHoweverMany) {
  auto file = files_->open(path("f"), OpenMode::create_new);
  ASSERT_TRUE(file.has_value());
  std::vector<std::string> texts;
  std::string whole;
  for (int i = 0; i < 3000; ++i) texts.push_back(i % 7 == 0 ? "" : std::to_string(i));
  for (const std::string& text : texts) whole += text;
  const std::vector<std::string_view> pieces(texts.begin(), texts.end());
  ASSERT_TRUE((*file)->write_at(5, pieces));
  ASSERT_TRUE((*file)->begin_sync(5, 5 + whole.size()));
  ASSERT_TRUE((*file)->sync_data());
  (*file)->uncache();  // what was synced is still there
  EXPECT_EQ((*file)->size(), 5 + whole.size());
  std::string read(whole.size() + 100, '?');
  EXPECT_EQ((*file)->read_at(5, read), whole.size());  // short at the end
  EXPECT_EQ(read.substr(0, whole.size()), whole);
}

TEST_F(SystemFiles, AllocatedSpaceIsZerosAndItsOwnersAlone) {
  auto file = files_->open(path("f"), OpenMode::create_new);
  ASSERT_TRUE((*file)->allocate(10'000));
  EXPECT_EQ((*file)->size(), 10'000u);
  std::string read(10'000, '?');
  ASSERT_TRUE((*file)->read_at(0, read));
  EXPECT_EQ(read, std::string(10'000, '\0'));
  ASSERT_TRUE((*file)->truncate(10));
  EXPECT_EQ((*file)->size(), 10u);
  struct stat info{};
  ASSERT_EQ(::stat(path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(SystemFiles, ZerosAreWrittenBetweenTwoBytesAlone) {
  auto file = files_->open(path("f"), OpenMode::create_new);
  const std::string text(3 * page_bytes, 'x');
  const std::string_view piece = text;
  for (const auto& [from, to] : {std::pair{0u, 12'288u},
                                 {1u, 12'287u},
                                 {4'095u, 8'193u},
                                 {5u, 9u},
                                 {4'096u, 8'192u},
                                 {8'000u, 8'200u},
                                 {7u, 7u}}) {
    ASSERT_TRUE((*file)->write_at(0, std::span(&piece, 1)));
    ASSERT_TRUE((*file)->write_zeros(from, to));
    std::string expected = text;
    std::fill(expected.begin() + from, expected.begin() + to, '\0');
    std::string read(text.size() + 1, '?');
    EXPECT_EQ((*file)->read_at(0, read), text.size());
    EXPECT_EQ(read.substr(0, text.size()), expected) << from << " to " << to;
  }
}

TEST_F(SystemFiles, NamesAreListedRenamedAndRemoved) {
  ASSERT_TRUE(files_->make_folder(path("a/b")));
  ASSERT_TRUE(files_->make_folder(path("a/b")));
  for (const char* name : {"a/b/2", "a/b/1"}) ASSERT_TRUE(files_->open(path(name), OpenMode::create_new));
  EXPECT_EQ(files_->list(path("a/b")), (std::vector<std::string>{"1", "2"}));
  ASSERT_TRUE(files_->rename(path("a/b/1"), path("a/b/3")));
  ASSERT_TRUE(files_->remove(path("a/b/2")));
  ASSERT_TRUE(files_->sync_folder(path("a/b")));
  EXPECT_EQ(files_->list(path("a/b")), std::vector<std::string>{"3"});
  EXPECT_GT(*files_->free_space(folder_), 0u);
}

TEST_F(SystemFiles, ErrorsNameTheCallAndThePath) {
  auto missing = files_->open(path("none"), OpenMode::read_only);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::JOURNAL_FAILED);
  EXPECT_EQ(missing.error().where, path("none"));
  EXPECT_EQ(missing.error().message, "open: No such file or directory");
  ASSERT_TRUE(files_->open(path("there"), OpenMode::create_new));
  EXPECT_FALSE(files_->open(path("there"), OpenMode::create_new));
}

// B5: what may be tried again is told from what has failed.
TEST_F(SystemFiles, WithoutDescriptorsNothingIsOpenedAndNothingFails) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto opened = files_->open(path("f"), OpenMode::create_new);
  const auto listed = files_->list(folder_);
  const auto synced = files_->sync_folder(folder_);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(opened.error().code, ErrorCode::OVERLOADED);
  EXPECT_EQ(listed.error().code, ErrorCode::OVERLOADED);
  EXPECT_EQ(synced.error().code, ErrorCode::OVERLOADED);
  EXPECT_TRUE(files_->open(path("f"), OpenMode::create_new).has_value());
}

// B4, where the machine has a device that is always full.
TEST_F(SystemFiles, AFullDiskIsToldFromOtherFailures) {
  auto full = files_->open("/dev/full", OpenMode::read_write);
  if (!full) GTEST_SKIP() << "there is no /dev/full here";
  const std::string_view piece = "x";
  auto written = (*full)->write_at(0, std::span(&piece, 1));
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::STORAGE_FULL);
}

// B7
TEST_F(SystemFiles, ALockIsHeldOnceAndAFileLeftBehindLocksNothing) {
  auto first = files_->lock(path("lock"));
  ASSERT_TRUE(first.has_value());
  auto second = files_->lock(path("lock"));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::JOURNAL_LOCKED);
  first->reset();
  EXPECT_TRUE(std::filesystem::exists(path("lock")));
  EXPECT_TRUE(files_->lock(path("lock")).has_value());
}

// B7
TEST_F(SystemFiles, ALockOfAFolderIsHeldOnceWhateverIsDeletedInIt) {
  const std::string folder = path("locked");
  ASSERT_TRUE(files_->make_folder(folder).has_value());
  auto first = files_->lock_folder(folder);
  ASSERT_TRUE(first.has_value());
  auto second = files_->lock_folder(folder);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::JOURNAL_LOCKED);
  first->reset();
  EXPECT_TRUE(files_->lock_folder(folder).has_value());
}

}  // namespace
}  // namespace parley::base
