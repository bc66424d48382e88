#include "envelope/envelope.hpp"

#include <algorithm>
#include <array>

#include "base/named.hpp"

namespace parley::envelope {
namespace {

constexpr std::array<std::string_view, priority_count> priority_names{"low", "normal", "high", "critical"};

const Field* find(const Envelope& envelope, std::string_view name) {
  const bool noted = envelope.field_bits != 0;
  if (noted && (envelope.field_bits & bit_of(name)) == 0) return nullptr;
  const auto at = std::ranges::find(envelope.fields, name, &Field::name);
  return at == envelope.fields.end() ? nullptr : &*at;
}

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

std::string_view field(const Envelope& envelope, std::string_view name) {
  const Field* const found = find(envelope, name);
  return found ? std::string_view(found->json) : std::string_view();
}

json::Value value(const Envelope& envelope, std::string_view name) {
  const Field* const found = find(envelope, name);
  return found ? found->value : json::Value();
}

std::string_view unquoted(std::string_view json) {
  return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

}  // namespace parley::envelope
