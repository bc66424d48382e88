// The limits of a profile (SUP-08): in force whatever the validation; each refusal names the limit and the size.
#pragma once
#include "base/result.hpp"
#include "ingress/canonical.hpp"

namespace parley::ingress {

// PAYLOAD_TOO_LARGE where the message as sent, or one part of it, is over its limit.
base::Result<> check_size(std::string_view bytes, const profile::Ruleset& rules);
// The refusal of a message that is over its limit once its compressed content, at `pointer`, is inflated.
std::unexpected<base::Error> too_large_inside(const std::string& pointer, const profile::Ruleset& rules);
base::Result<> check_limits(const Found& found, const profile::TypeReading& type, const profile::Places& places);

}  // namespace parley::ingress
