// A canonical field of a native message, by name (R2). Pure.
#pragma once
#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"
#include "profile/ruleset.hpp"

namespace parley::ingress {

// Its place, a JSON Pointer. TYPE_UNKNOWN where the message is of no type of the profile, BAD_REQUEST where that type
// has no such field.
base::Result<std::string> place_of(json::Value message, const profile::Ruleset& rules, std::string_view field);

// Its value; none where it has none. What is in compressed content is not looked for.
json::Value field_of(json::Value message, const profile::Ruleset& rules, std::string_view field);

}  // namespace parley::ingress
