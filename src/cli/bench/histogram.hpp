// Counts of latencies in buckets of less than 1 % width from 1 µs to hours: percentiles without keeping the values.
// Value type. Adding is a few instructions; two of them can be added up.
#pragma once
#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace parley::cli::bench {

class Histogram {
 public:
  Histogram() : counts_(buckets) {}

  void add(base::Duration latency, std::uint64_t times = 1) {
    const auto us = static_cast<std::uint64_t>(latency.count() < 0 ? 0 : latency.count());
    counts_[bucket_of(us)] += times;
    count_ += times;
    if (us > max_) max_ = us;
  }

  std::uint64_t count() const { return count_; }
  // At least this share (0 to 1) of the values is not above it: the upper end of the value's bucket, never above max.
  base::Duration percentile(double share) const;
  base::Duration max() const { return base::Duration(max_); }

 private:
  static constexpr int precision_bits = 7;  // 128 buckets for each doubling
  static constexpr std::uint64_t fine = std::uint64_t{1} << precision_bits;
  static constexpr std::size_t buckets = (64 - precision_bits + 1) * fine;

  static std::size_t bucket_of(std::uint64_t us);
  static std::uint64_t upper_end(std::size_t bucket);

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace parley::cli::bench
