#include "engine/tasks/scopes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "base/glob_overlap.hpp"
#include "base/test_words.hpp"

namespace parley::engine {
namespace {

using base::Offset;

constexpr std::size_t any = 1'000'000;

// COL-10: held against the comparison of every pair of short globs.
TEST(Scopes, overlook_no_task_that_overlaps) {
  const auto globs = base::words_of("ab*/", 4);
  std::deque<base::PackedTexts> kept;
  Scopes scopes;
  for (std::size_t i = 0; i < globs.size(); ++i) scopes.add(Offset(i + 1), kept.emplace_back(std::vector{globs[i]}));
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < globs.size(); i += 3) {
    auto near = scopes.near(globs[i], any);
    std::ranges::sort(near);
    for (std::size_t j = 0; j < globs.size(); ++j) {
      std::uint64_t steps = 0;
      if (!base::globs_overlap(globs[i], globs[j], steps)) continue;
      ASSERT_TRUE(std::ranges::binary_search(near, Offset(j + 1))) << globs[i] << ' ' << globs[j];
      ++overlapping;
    }
  }
  EXPECT_GT(overlapping, 1'000u);
}

// A search begins where the one before it ended: held against one that begins anew.
TEST(Scopes, find_the_same_wherever_a_search_begins) {
  const auto globs = base::words_of("ab*/", 4);
  std::mt19937 random(11);
  std::map<Offset, base::PackedTexts> kept;
  Scopes scopes;
  for (std::uint64_t step = 1; step <= 20'000; ++step) {
    const std::string& glob = globs[random() % globs.size()];
    if (random() % 3 > 0) {
      if (step % 50 == 0) {
        Scopes anew;
        for (const auto& [offset, texts] : kept) anew.add(offset, texts);
        ASSERT_EQ(scopes.near(glob, any), anew.near(glob, any)) << glob << " at " << step;
      }
      (void)scopes.near(glob, any);
      scopes.add(Offset(step), kept.emplace(Offset(step), std::vector{glob}).first->second);
    } else if (const auto one = kept.lower_bound(Offset(random() % step)); one != kept.end()) {
      scopes.remove(one->first, one->second);
      kept.erase(one);
    }
  }
}

TEST(Scopes, look_at_few_of_many) {
  std::deque<base::PackedTexts> kept;
  const base::PackedTexts last(std::vector<std::string_view>{"**/*.md", "docs/guide.md"});
  Scopes scopes;
  for (std::uint64_t i = 1; i <= 10'000; ++i)
    scopes.add(Offset(i), kept.emplace_back(std::vector{"src/" + std::to_string(i) + "/**"}));
  scopes.add(Offset(10'001), last);
  EXPECT_EQ(scopes.near("src/77/main.cpp", any), (std::vector{Offset(10'001), Offset(77)}));
  EXPECT_EQ(scopes.near("docs/guide.md", any), (std::vector{Offset(10'001), Offset(10'001)}));
  EXPECT_EQ(scopes.near("src/**", 100).size(), 100u);
  scopes.remove(Offset(10'001), last);
  EXPECT_EQ(scopes.near("src/77/main.cpp", any), std::vector{Offset(77)});
}

}  // namespace
}  // namespace parley::engine
