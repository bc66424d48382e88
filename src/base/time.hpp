// Points in time and durations, in microseconds, and their texts: RFC 3339 (ruling R10) and "100ms", "30s".
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace parley::base {

using Duration = std::chrono::microseconds;
using Instant = std::chrono::sys_time<Duration>;  // UTC

constexpr Instant instant_of(std::int64_t unix_us) {
  return Instant(Duration(unix_us));
}
constexpr std::int64_t unix_us(Instant at) {
  return at.time_since_epoch().count();
}

// RFC 3339 by the names of its grammar (§5.6); nothing for what is no such thing. A time has an offset or Z, and is
// told from its date's midnight in UTC on. More than six fraction digits are cut. Leap second :60 reads as :59.999999.
std::optional<std::chrono::sys_days> full_date(std::string_view text);
std::optional<Duration> full_time(std::string_view text);
std::optional<Instant> date_time(std::string_view text);  // of the years 0000 to 9999 in UTC: clamped

Result<Instant> parse_rfc3339(std::string_view text);  // a date-time
std::string to_rfc3339(Instant at);                    // always Z; fraction only where there is one; clamped too

// A non-negative integer and a unit: us, ms, s, m, h, d.
Result<Duration> parse_duration(std::string_view text);
std::string to_text(Duration duration);  // the largest unit that divides it

}  // namespace parley::base
