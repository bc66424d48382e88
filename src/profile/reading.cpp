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

TypeIndex Reading::form_of(TypeIndex type, std::span<const json::Value> found) const {
  for (const auto& [condition, variant] : types[type.value].variants)
    if (condition.holds(found[condition.slot])) return variant;
  return type;
}

}  // namespace parley::profile
