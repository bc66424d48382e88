#include "ingress/changed.hpp"

#include "ingress/field.hpp"
#include "json/pointer.hpp"
#include "json/replace.hpp"

namespace parley::ingress {
using base::ErrorCode;

base::Result<Changed> changed(json::Value message, const profile::Ruleset& rules, std::string_view field,
                              json::Value value) {
  PARLEY_TRY(const std::string pointer, place_of(message, rules, field));
  const json::Value place = json::Pointer::parse(pointer)->resolve(message);
  if (!place) return base::fail(ErrorCode::BAD_REQUEST, "the message has nothing at " + pointer);
  Changed made{{}, pointer};
  json::Writer writer(made.bytes);
  json::write_replaced(writer, message, place, value);
  return made;
}

}  // namespace parley::ingress
