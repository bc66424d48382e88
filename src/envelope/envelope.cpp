#include "envelope/envelope.hpp"

#include <array>

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
  for (std::size_t i = 0; i < priority_names.size(); ++i)
    if (priority_names[i] == text) return static_cast<Priority>(i);
  return std::nullopt;
}

}  // namespace parley::envelope
