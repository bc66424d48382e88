#include "ingress/changed.hpp"

#include "ingress/field.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace parley::ingress {
namespace {

using base::ErrorCode;

// The same place of the same document.
bool same(json::Value a, json::Value b) {
  return a.words() == b.words() && a.at() == b.at();
}

void write(json::Writer& writer, json::Value value, json::Value place, json::Value replacement) {
  if (same(value, place)) {
    writer.value(replacement);
  } else if (value.is_object()) {
    writer.begin_object();
    for (const auto [key, content] : value.members()) write(writer.key(key), content, place, replacement);
    writer.end_object();
  } else if (value.is_array()) {
    writer.begin_array();
    for (const json::Value element : value.elements()) write(writer, element, place, replacement);
    writer.end_array();
  } else {
    writer.value(value);
  }
}

}  // namespace

base::Result<Changed> changed(json::Value message, const profile::Ruleset& rules, std::string_view field,
                              json::Value value) {
  PARLEY_TRY(const std::string pointer, place_of(message, rules, field));
  const json::Value place = json::Pointer::parse(pointer)->resolve(message);
  if (!place) return base::fail(ErrorCode::BAD_REQUEST, "the message has nothing at " + pointer);
  Changed made{{}, pointer};
  json::Writer writer(made.bytes);
  write(writer, message, place, value);
  return made;
}

}  // namespace parley::ingress
