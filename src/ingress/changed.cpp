#include "ingress/changed.hpp"

#include <algorithm>

#include "json/pointer.hpp"
#include "json/writer.hpp"
#include "profile/reading.hpp"

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
  const profile::Reading& reading = *rules.reading;
  const auto type = rules.type_named(reading.type_at.resolve(message).if_string().value_or(""));
  if (!type) return base::fail(ErrorCode::TYPE_UNKNOWN, "the message is of no type of '" + rules.name + "'");
  const auto& fields = reading.types[type->value].fields;
  const auto at = std::find_if(fields.begin(), fields.end(), [field](const auto& f) { return f.name == field; });
  if (at == fields.end())
    return base::fail(ErrorCode::BAD_REQUEST,
                      "a '" + rules.type(*type).name + "' has no " + std::string(field) + " that could be changed");
  const std::string& pointer = reading.places[reading.types[type->value].places].pointer(at->slot);
  const json::Value place = json::Pointer::parse(pointer)->resolve(message);
  if (!place) return base::fail(ErrorCode::BAD_REQUEST, "the message has nothing at " + pointer);
  Changed made{{}, pointer};
  json::Writer writer(made.bytes);
  write(writer, message, place, value);
  return made;
}

}  // namespace parley::ingress
