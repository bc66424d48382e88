#include "cli/work_tree.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace parley::cli {
namespace {

namespace fs = std::filesystem;

struct WorkTree : testing::Test {
  const fs::path folder = fs::temp_directory_path() /
                          ("parley-tree-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));

  void SetUp() override {
    fs::remove_all(folder);
    fs::create_directories(folder / "src");
    std::ofstream(folder / "src/a.txt") << "one";
    std::ofstream(folder / "b.txt") << "two";
  }
  void TearDown() override { fs::remove_all(folder); }
  base::Digest hash() const { return hash_of_tree(folder).value(); }
};

TEST_F(WorkTree, Has_the_same_hash_wherever_it_lies_and_whenever_it_was_written) {
  const base::Digest before = hash();
  const fs::path copy = folder.string() + "-copy";
  fs::remove_all(copy);
  fs::copy(folder, copy, fs::copy_options::recursive);
  fs::last_write_time(copy / "b.txt", fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(hash_of_tree(copy).value(), before);
  fs::remove_all(copy);
}

TEST_F(WorkTree, Has_another_with_every_change_of_its_files) {
  base::Digest before = hash();
  const auto differs = [&](const char* what) {
    const base::Digest now = hash();
    EXPECT_NE(now, before) << what;
    before = now;
  };
  std::ofstream(folder / "src/a.txt") << "one, changed";
  differs("contents");
  fs::permissions(folder / "b.txt", fs::perms::owner_exec, fs::perm_options::add);
  differs("can be run");
  fs::rename(folder / "b.txt", folder / "c.txt");
  differs("name");
  fs::create_symlink("c.txt", folder / "link");
  differs("a link");
  fs::remove(folder / "link");
  fs::create_symlink("src/a.txt", folder / "link");
  differs("where it points");
  fs::remove(folder / "c.txt");
  differs("a file less");
}

TEST_F(WorkTree, Of_git_are_the_files_that_it_knows_or_would_take_up) {
  ASSERT_EQ(std::system(("git init -q '" + folder.string() + "'").c_str()), 0);
  std::ofstream(folder / ".gitignore") << "build/\n";
  const base::Digest before = hash();
  fs::create_directories(folder / "build");
  std::ofstream(folder / "build/out") << "made";
  EXPECT_EQ(hash(), before);
  std::ofstream(folder / "new.txt") << "new";
  EXPECT_NE(hash(), before);
}

TEST_F(WorkTree, Of_git_that_git_cannot_read_has_none) {
  ASSERT_EQ(std::system(("git init -q '" + folder.string() + "'").c_str()), 0);
  fs::remove(folder / ".git/HEAD");
  for (const fs::path& directory : {folder, folder / "src"}) {
    const auto refused = hash_of_tree(directory);
    ASSERT_FALSE(refused) << directory;
    EXPECT_NE(refused.error().message.find("not a git repository"), std::string::npos) << refused.error().message;
  }
}

TEST_F(WorkTree, That_is_not_there_has_none) {
  EXPECT_FALSE(hash_of_tree(folder / "nowhere"));
}

}  // namespace
}  // namespace parley::cli
