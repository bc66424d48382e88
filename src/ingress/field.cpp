#include "ingress/field.hpp"

#include <algorithm>

#include "json/pointer.hpp"
#include "profile/reading.hpp"

namespace parley::ingress {

using base::ErrorCode;

base::Result<std::string> place_of(json::Value message, const profile::Ruleset& rules, std::string_view field) {
  const profile::Reading& reading = *rules.reading;
  const auto type = rules.type_named(reading.type_at.resolve(message).if_string().value_or(""));
  if (!type) return base::fail(ErrorCode::TYPE_UNKNOWN, "the message is of no type of '" + rules.name + "'");
  const auto& fields = reading.types[type->value].fields;
  const auto at = std::find_if(fields.begin(), fields.end(), [field](const auto& f) { return f.name == field; });
  if (at == fields.end())
    return base::fail(ErrorCode::BAD_REQUEST,
                      "a '" + rules.type(*type).name + "' has no " + std::string(field) + " that could be changed");
  return reading.places[reading.types[type->value].places].pointer(at->slot);
}

json::Value field_of(json::Value message, const profile::Ruleset& rules, std::string_view field) {
  const auto place = place_of(message, rules, field);
  return place ? json::Pointer::parse(*place)->resolve(message) : json::Value();
}

}  // namespace parley::ingress
