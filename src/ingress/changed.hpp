// A message with another value in a canonical field, as a human changes what an agent proposes (SUP-05). Pure.
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"
#include "profile/ruleset.hpp"

namespace parley::ingress {

struct Changed {
  std::string bytes;
  std::string at;  // the field's place, a JSON Pointer
};

// TYPE_UNKNOWN where the message is of no type of the profile, BAD_REQUEST where that type has no such field, or the
// message no place for it.
base::Result<Changed> changed(json::Value message, const profile::Ruleset& rules, std::string_view field,
                              json::Value value);

}  // namespace parley::ingress
