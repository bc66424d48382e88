#include "envelope/envelope.hpp"

#include <algorithm>
#include <array>

#include "base/named.hpp"

namespace parley::envelope {
namespace {

constexpr std::array<std::string_view, priority_count> priority_names{"low", "normal", "high", "critical"};

}  // namespace

std::string_view name(Priority priority) {
  return priority_names[static_cast<std::size_t>(priority)];
}

std::string_view name(DeliveryClass delivery) {
  return delivery == DeliveryClass::at_least_once ? "at_least_once" : "at_most_once";
}

std::optional<Priority> priority_named(std::string_view text) {
  return base::named<Priority>(priority_names, text);
}

const Field* find(const std::vector<Field>& fields, std::string_view name) {
  const auto at = std::ranges::find(fields, name, &Field::name);
  return at == fields.end() ? nullptr : &*at;
}

std::string_view unquoted(std::string_view json) {
  return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

}  // namespace parley::envelope
