// Below 128 µs each value has a bucket; above, the leading eight bits of the value choose it.
#include "cli/bench/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace parley::cli::bench {

std::size_t Histogram::bucket_of(std::uint64_t us) {
  if (us < fine) return us;
  const int shift = static_cast<int>(std::bit_width(us)) - precision_bits - 1;
  return static_cast<std::size_t>(shift + 1) * fine + ((us >> shift) - fine);
}

std::uint64_t Histogram::upper_end(std::size_t bucket) {
  if (bucket < fine) return bucket;
  const auto shift = bucket / fine - 1;
  const std::uint64_t first = (bucket % fine + fine) << shift;
  return first + ((std::uint64_t{1} << shift) - 1);
}

base::Duration Histogram::percentile(double share) const {
  if (count_ == 0) return {};
  const auto wanted =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return base::Duration(std::min(upper_end(i), max_));
  }
  return max();
}

}  // namespace parley::cli::bench
