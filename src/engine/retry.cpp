#include "engine/retry.hpp"

namespace parley::engine {

base::Duration backoff(const profile::RetryPolicy& policy, std::uint32_t failed, std::uint64_t seed) {
  double delay = static_cast<double>(policy.base_delay.count());
  const double most = static_cast<double>(policy.max_delay.count());
  for (std::uint32_t i = 1; i < failed && delay < most; ++i) delay *= policy.multiplier;
  const std::int64_t whole = delay < most ? static_cast<std::int64_t>(delay) : policy.max_delay.count();
  if (!policy.full_jitter || whole <= 0) return base::Duration(whole);
  return base::Duration(static_cast<std::int64_t>(seed % (static_cast<std::uint64_t>(whole) + 1)));
}

}  // namespace parley::engine
