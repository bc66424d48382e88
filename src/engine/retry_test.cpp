// HND-09, R39: base · multiplier^(n-1), at most `max_delay`, with full jitter between nothing and that.
#include "engine/retry.hpp"

#include <gtest/gtest.h>

namespace parley::engine {
namespace {

using namespace std::chrono_literals;

const profile::RetryPolicy jittered{
    .attempts = 5, .base_delay = 1s, .multiplier = 2, .max_delay = 60s, .full_jitter = true};
const profile::RetryPolicy exact{
    .attempts = 5, .base_delay = 1s, .multiplier = 2, .max_delay = 60s, .full_jitter = false};

TEST(Backoff, HND_09_doubles_up_to_its_bound) {
  const std::array<base::Duration, 8> expected{1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s};
  for (std::uint32_t failed = 1; failed <= expected.size(); ++failed)
    EXPECT_EQ(backoff(exact, failed, 99), expected[failed - 1]);
  EXPECT_EQ(backoff(exact, 4'000'000'000u, 99), 60s);
}

TEST(Backoff, HND_09_full_jitter_lies_anywhere_within_the_bound) {
  for (std::uint32_t failed = 1; failed <= 8; ++failed) {
    const base::Duration most = backoff(exact, failed, 0);
    base::Duration sum{}, least = most, longest{};
    std::uint64_t seed = failed;
    for (int i = 0; i < 4'000; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const base::Duration delay = backoff(jittered, failed, seed >> 11);
      ASSERT_GE(delay, 0s);
      ASSERT_LE(delay, most);
      sum += delay;
      least = std::min(least, delay);
      longest = std::max(longest, delay);
    }
    EXPECT_LT(least, most / 50);
    EXPECT_GT(longest, most - most / 50);
    EXPECT_NEAR(static_cast<double>(sum.count()) / 4'000, static_cast<double>(most.count()) / 2,
                static_cast<double>(most.count()) / 25);
  }
}

TEST(Backoff, C3_without_a_delay_or_with_any_there_is_no_overflow) {
  profile::RetryPolicy policy = exact;
  policy.base_delay = 0s;
  EXPECT_EQ(backoff(policy, 7, 1), 0s);
  policy.base_delay = base::Duration::max();
  policy.max_delay = base::Duration::max() / 2;
  EXPECT_LE(backoff(policy, 7, 1), policy.max_delay);
}

}  // namespace
}  // namespace parley::engine
