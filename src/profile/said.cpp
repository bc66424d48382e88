#include "profile/said.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "json/writer.hpp"
#include "profile/reading.hpp"

namespace parley::profile {
namespace {

const Filling* find(std::string_view name, std::span<const Filling> fillings) {
  const auto at = std::find_if(fillings.begin(), fillings.end(), [name](const Filling& f) { return f.name == name; });
  return at == fillings.end() ? nullptr : &*at;
}

std::string_view value_of(std::string_view name, std::span<const Filling> fillings) {
  const Filling* const filling = find(name, fillings);
  return filling ? std::string_view(filling->value) : std::string_view();
}

std::string filled(std::string_view text, std::span<const Filling> fillings) {
  std::string out;
  while (true) {
    const std::size_t open = text.find('{'), close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) return out.append(text);
    out.append(text.substr(0, open)).append(value_of(text.substr(open + 1, close - open - 1), fillings));
    text.remove_prefix(close + 1);
  }
}

// "task" of "{task}"; empty where there is more.
std::string_view name_alone(json::Value value) {
  const auto text = value.if_string().value_or(std::string_view());
  const bool alone = text.size() > 2 && text.front() == '{' && text.find('}') == text.size() - 1;
  return alone ? text.substr(1, text.size() - 2) : std::string_view();
}

// What "{order:/place}" stands for; absent: it is not such a text, or there is nothing.
json::Value value_within(std::string_view name, std::span<const Filling> fillings) {
  const std::size_t colon = name.find(':');
  const Filling* const filling = colon == name.npos ? nullptr : find(name.substr(0, colon), fillings);
  return filling && filling->within ? filling->within.at_pointer(name.substr(colon + 1)) : json::Value();
}

// "{task}", and there is no task.
bool is_left_out(json::Value value, std::span<const Filling> fillings) {
  const std::string_view name = name_alone(value);
  if (name.find(':') != name.npos) return !value_within(name, fillings);
  return !name.empty() && value_of(name, fillings).empty();
}

void write(json::Writer& writer, json::Value value, std::span<const Filling> fillings) {
  if (value.is_object()) {
    writer.begin_object();
    for (const auto [name, content] : value.members())
      if (!is_left_out(content, fillings)) write(writer.key(name), content, fillings);
    writer.end_object();
  } else if (value.is_array()) {
    writer.begin_array();
    for (const json::Value element : value.elements()) write(writer, element, fillings);
    writer.end_array();
  } else if (const json::Value there = value_within(name_alone(value), fillings)) {
    writer.value(there);
  } else if (const Filling* const alone = find(name_alone(value), fillings); alone && alone->json) {
    writer.raw(alone->value);
  } else if (value.is_string()) {
    writer.string(filled(value.as_string(), fillings));
  } else {
    writer.value(value);
  }
}

}  // namespace

Spoken say(const Ruleset& rules, Occasion occasion, std::span<const Filling> fillings) {
  const auto place = static_cast<std::size_t>(occasion);
  PARLEY_ASSERT(rules.says[place].has_value());
  const Reading& reading = *rules.reading;
  const json::Value said = reading.description.root().find("says").find(occasion_names[place]).find("message");
  const TypeReading& type = reading.types[rules.says[place]->type.value];
  const auto id_at = json::Pointer::parse(reading.places[type.places].pointer(type.envelope.id));
  Spoken spoken;
  json::Writer writer(spoken.message);
  write(writer, said, fillings);
  spoken.id = filled(id_at->resolve(said).if_string().value_or(""), fillings);
  return spoken;
}

}  // namespace parley::profile
