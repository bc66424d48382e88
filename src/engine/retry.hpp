// How long a nacked message waits before it is offered again, and when it is given up (HND-09, R39, R46).
#pragma once
#include "profile/ruleset.hpp"

namespace parley::engine {

// `failed` attempts so far, at least 1; `seed` decides the jitter.
base::Duration backoff(const profile::RetryPolicy& policy, std::uint32_t failed, std::uint64_t seed);

// Offers that a restart or a lost connection took back: more of them mean a message that kills its readers (R46).
inline constexpr std::uint8_t uncounted_offers_max = 16;

}  // namespace parley::engine
