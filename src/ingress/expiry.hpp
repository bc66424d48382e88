// When a message expires by its own word (R10, COR-16). Pure; no value, however large, overflows.
#pragma once
#include <optional>

#include "base/time.hpp"
#include "json/value.hpp"
#include "profile/reading.hpp"

namespace parley::ingress {

// A time to live counts from `now`, when the server has it: the server's clock decides (R10). 0 and below expire at
// once. None where the value is no number or time, or where the message would outlive the year 9999.
std::optional<base::Instant> expiry_of(json::Value value, profile::ExpiryUnit unit, base::Instant now);

}  // namespace parley::ingress
