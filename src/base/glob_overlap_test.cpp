#include "base/glob_overlap.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/glob.hpp"
#include "base/test_words.hpp"

namespace parley::base {
namespace {

bool overlap(std::string_view a, std::string_view b) {
  std::uint64_t steps = 0;
  const bool forth = globs_overlap(a, b, steps), back = globs_overlap(b, a, steps);
  EXPECT_EQ(forth, back) << a << ' ' << b;
  return forth;
}

// COL-10: two scopes overlap where one file may be in both.
TEST(GlobOverlap, is_where_one_path_matches_both) {
  EXPECT_TRUE(overlap("src/**", "src/engine/tasks/*.cpp"));
  EXPECT_TRUE(overlap("src/*.cpp", "src/main.*"));
  EXPECT_TRUE(overlap("**/tasks.hpp", "src/engine/**"));
  EXPECT_TRUE(overlap("a/**/b", "a/b"));
  EXPECT_TRUE(overlap("docs/?.md", "docs/*"));
  EXPECT_TRUE(overlap("README.md", "README.md"));
}

TEST(GlobOverlap, is_none_where_no_path_does) {
  EXPECT_FALSE(overlap("src/*", "src/engine/tasks.hpp"));
  EXPECT_FALSE(overlap("src/**", "docs/**"));
  EXPECT_FALSE(overlap("src/*.cpp", "src/*.hpp"));
  EXPECT_FALSE(overlap("docs/?.md", "docs/??.md"));
  EXPECT_FALSE(overlap("src", "src/**"));
  EXPECT_FALSE(overlap("", "**"));
}

// Held against the matcher itself: every path of few letters against every pair of short globs.
TEST(GlobOverlap, agrees_with_what_matches) {
  const auto globs = words_of("a*/?", 4), paths = words_of("ab/", 6);
  std::vector<std::vector<bool>> matched;
  for (const std::string& glob : globs) {
    auto& of_glob = matched.emplace_back();
    for (const std::string& path : paths) of_glob.push_back(glob_matches(glob, path));
  }
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < globs.size(); ++i)
    for (std::size_t j = i; j < globs.size(); j += 7) {
      bool both = false;
      for (std::size_t p = 0; p < paths.size() && !both; ++p) both = matched[i][p] && matched[j][p];
      std::uint64_t steps = 0;
      ASSERT_EQ(globs_overlap(globs[i], globs[j], steps), both) << globs[i] << ' ' << globs[j];
      ++pairs;
    }
  EXPECT_GT(pairs, 5'000u);
}

}  // namespace
}  // namespace parley::base
