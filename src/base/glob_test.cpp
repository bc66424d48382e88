#include "base/glob.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace parley::base {
namespace {

TEST(Glob, matches_names_and_paths) {
  EXPECT_TRUE(glob_matches("src/settings/**", "src/settings/load.cpp"));
  EXPECT_TRUE(glob_matches("src/settings/**", "src/settings/deep/er/load.cpp"));
  EXPECT_FALSE(glob_matches("src/settings/**", "src/settings"));
  EXPECT_FALSE(glob_matches("src/settings/**", "src/settings2/load.cpp"));
  EXPECT_TRUE(glob_matches("src/*.cpp", "src/load.cpp"));
  EXPECT_FALSE(glob_matches("src/*.cpp", "src/settings/load.cpp"));
  EXPECT_TRUE(glob_matches("**/*.cpp", "load.cpp"));
  EXPECT_TRUE(glob_matches("**/*.cpp", "a/b/load.cpp"));
  EXPECT_TRUE(glob_matches("a/**/b/*.h", "a/b/x.h"));
  EXPECT_TRUE(glob_matches("a/**/b/*.h", "a/b/b/c/b/x.h"));
  EXPECT_FALSE(glob_matches("a/**/b/*.h", "a/b/c/x.h"));
  EXPECT_TRUE(glob_matches("**", "any/thing"));
  EXPECT_TRUE(glob_matches("docs/?.md", "docs/a.md"));
  EXPECT_FALSE(glob_matches("docs?a.md", "docs/a.md"));
  EXPECT_TRUE(glob_matches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(glob_matches("a*b*c", "a-b-b-d"));
  EXPECT_TRUE(glob_matches("src/settings.hpp", "src/settings.hpp"));
  EXPECT_FALSE(glob_matches("src/settings.hpp", "src/settings.hpp.orig"));
  EXPECT_TRUE(glob_matches("x**y", "xzzy"));  // not alone between slashes: as `*`
}

TEST(Glob, nothing_matches_a_path_that_leaves_the_tree) {
  for (const char* path : {"../secret", "src/../../secret", "/etc/passwd", "", "src//x", "./src/x", "src/./x", "src/"})
    EXPECT_FALSE(glob_matches("**", path)) << path;
}

TEST(Glob, takes_no_time_over_many_stars) {
  std::string glob, path;
  for (int i = 0; i < 200; ++i) glob += "**/a*";
  for (int i = 0; i < 500; ++i) path += "aaaa/";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(glob_matches(glob + "b", path + "c"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace parley::base
