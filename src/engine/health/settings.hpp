// What a workspace says of its agents' health in place of their profiles, and when a breaker opens (R39, R40). Value
// types.
#pragma once
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::event {
class Settings;
}

namespace parley::engine {

struct BreakerPolicy {
  std::uint32_t error_threshold = 0;
  base::Duration timeout{};        // so many errors in a row within it open the breaker
  base::Duration reset_timeout{};  // then one attempt

  friend bool operator==(const BreakerPolicy&, const BreakerPolicy&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(error_threshold, timeout, reset_timeout);
  }
};

struct HealthSettings {
  std::optional<base::Duration> heartbeat_every;   // none: as each profile says
  std::optional<std::uint32_t> heartbeats_missed;  // likewise
  std::optional<BreakerPolicy> breaker;            // none: nobody's errors shut it out

  friend bool operator==(const HealthSettings&, const HealthSettings&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(heartbeat_every, heartbeats_missed, breaker);
  }
};

base::Result<> check_health(const HealthSettings& settings);
void write(const HealthSettings& settings, event::Settings& out);
HealthSettings read_health(const event::Settings& in);

}  // namespace parley::engine
