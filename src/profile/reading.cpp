#include "profile/reading.hpp"

#include <algorithm>

namespace parley::profile {

bool Condition::holds(json::Value found) const {
  switch (test) {
    case Test::present:
      return !found.is_absent();
    case Test::absent:
      return found.is_absent();
    case Test::among:
      break;
  }
  return found && std::any_of(values.begin(), values.end(), [&](json::Value v) { return json::equal(v, found); });
}

std::optional<envelope::Priority> Reading::priority_of(std::string_view word) const {
  for (const auto& [text, priority] : priority_words)
    if (text == word) return priority;
  return std::nullopt;
}

std::string_view Reading::pointer_to(TypeIndex type, std::string_view name, json::Value message) const {
  const TypeReading& read = types[type.value];
  const Places& all = places[read.places];
  if (name == "task" && !read.envelope.task.empty()) {
    const auto stands = [&](Slot slot) {
      return !json::Pointer::parse(all.pointer(slot))->resolve(message).is_absent();
    };
    const auto there = std::ranges::find_if(read.envelope.task, stands);
    return all.pointer(there == read.envelope.task.end() ? read.envelope.task.front() : *there);
  }
  for (const FieldSlot& field : read.fields)
    if (field.name == name) return all.pointer(field.slot);
  return description.root().find("envelope").find(name).if_string().value_or("");
}

TypeIndex Reading::form_of(TypeIndex type, std::span<const json::Value> found) const {
  for (const auto& [condition, variant] : types[type.value].variants)
    if (condition.holds(found[condition.slot])) return variant;
  return type;
}

}  // namespace parley::profile
