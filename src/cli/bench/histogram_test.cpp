// Percentiles against sorted values.
#include "cli/bench/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace parley::cli::bench {
namespace {

using base::Duration;

TEST(Histogram, small_values_are_exact) {
  Histogram histogram;
  for (int us = 1; us <= 100; ++us) histogram.add(Duration(us));
  EXPECT_EQ(histogram.percentile(0.5), Duration(50));
  EXPECT_EQ(histogram.percentile(0.99), Duration(99));
  EXPECT_EQ(histogram.percentile(1), Duration(100));
  EXPECT_EQ(histogram.percentile(0), Duration(1));
  EXPECT_EQ(histogram.max(), Duration(100));
}

TEST(Histogram, percentiles_are_within_one_percent_of_the_sorted_values) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latencies(8, 2);
  Histogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 100'000; ++i) {
    values.push_back(static_cast<std::int64_t>(latencies(random)));
    histogram.add(Duration(values.back()));
  }
  std::ranges::sort(values);
  for (const double share : {0.01, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    const auto index = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
    const auto exact = static_cast<double>(values[index]);
    const auto found = static_cast<double>(histogram.percentile(share).count());
    EXPECT_GE(found, exact) << share;
    EXPECT_LE(found, exact * 1.01 + 1) << share;
  }
}

TEST(Histogram, no_percentile_is_above_the_largest_value) {
  Histogram histogram;
  histogram.add(Duration(1'000'001));
  EXPECT_EQ(histogram.percentile(0.5), Duration(1'000'001));
  histogram.add(Duration::max());
  EXPECT_EQ(histogram.percentile(1), Duration::max());
  histogram.add(Duration(-5));  // a clock that went back counts as no time
  EXPECT_EQ(histogram.percentile(0.1), Duration(0));
}

TEST(Histogram, many_of_one_value_count_as_so_many) {
  Histogram histogram;
  histogram.add(Duration(10), 90);
  histogram.add(Duration(5000), 10);
  EXPECT_EQ(histogram.count(), 100u);
  EXPECT_EQ(histogram.percentile(0.9), Duration(10));
  EXPECT_GE(histogram.percentile(0.91), Duration(5000));
  EXPECT_EQ(Histogram().percentile(0.5), Duration(0));
}

}  // namespace
}  // namespace parley::cli::bench
