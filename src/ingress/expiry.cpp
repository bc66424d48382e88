#include "ingress/expiry.hpp"

namespace parley::ingress {
namespace {

constexpr base::Instant last_instant = std::chrono::sys_days(std::chrono::year(9999) / 12 / 31) + std::chrono::days(1);

// By way of double: exact to the microsecond for 285 years, and comparisons cannot overflow.
std::optional<base::Instant> after(base::Instant now, double microseconds) {
  if (!(microseconds > 0)) return now;
  if (microseconds >= static_cast<double>((last_instant - now).count())) return std::nullopt;
  return now + base::Duration(static_cast<std::int64_t>(microseconds));
}

}  // namespace

std::optional<base::Instant> expiry_of(json::Value value, profile::ExpiryUnit unit, base::Instant now) {
  if (unit == profile::ExpiryUnit::instant) {
    const auto text = value.if_string();
    if (!text) return std::nullopt;
    const auto instant = base::parse_rfc3339(*text);
    return instant ? std::optional(*instant) : std::nullopt;
  }
  const auto number = value.if_double();
  if (!number) return std::nullopt;
  return after(now, *number * (unit == profile::ExpiryUnit::seconds ? 1e6 : 1e3));
}

}  // namespace parley::ingress
