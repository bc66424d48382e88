#include "ingress/limits.hpp"

namespace parley::ingress {
namespace {

constexpr std::array<std::string_view, 3> unit_names{"bytes", "characters", "items"};

std::size_t measure(json::Value value, const profile::LimitRule& rule) {
  switch (rule.unit) {
    case profile::LimitUnit::bytes:
      return value.is_string() ? value.as_string().size() : 0;
    case profile::LimitUnit::code_points:
      if (!value.is_string()) return 0;
      if (value.as_string().size() <= rule.max) return value.as_string().size();  // no need to count
      return json::code_points(value.as_string());
    case profile::LimitUnit::items:
      break;
  }
  return value.is_array() ? value.size() : 0;
}

std::unexpected<base::Error> too_large(std::string_view rule, const std::string& pointer, std::size_t size,
                                       std::size_t max, std::string_view unit) {
  const std::string place = pointer.empty() ? "The message" : pointer;
  std::string message =
      place + " has " + std::to_string(size) + ' ' + std::string(unit) + "; the limit is " + std::to_string(max) + '.';
  auto error = base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE, message, pointer);
  error.error().details.push_back({pointer, std::string(rule), std::move(message)});
  return error;
}

}  // namespace

base::Result<> check_size(std::string_view bytes, const profile::Ruleset& rules) {
  if (bytes.size() <= rules.message_bytes_max) return {};
  return too_large("MESSAGE_BYTES", "", bytes.size(), rules.message_bytes_max, "bytes");
}

std::unexpected<base::Error> too_large_inside(const std::string& pointer, const profile::Ruleset& rules) {
  std::string message =
      "Inflated, the message has more than " + std::to_string(rules.message_bytes_max) + " bytes, the limit.";
  auto error = base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE, message, pointer);
  error.error().details.push_back({pointer, "MESSAGE_BYTES", std::move(message)});
  return error;
}

base::Result<> check_limits(const Found& found, const profile::TypeReading& type, const profile::Places& places) {
  for (const profile::LimitRule& rule : type.limits) {
    const std::size_t size = measure(found.at(rule.slot), rule);
    if (size > rule.max)
      return too_large(rule.name, places.pointer(rule.slot), size, rule.max,
                       unit_names[static_cast<std::size_t>(rule.unit)]);
  }
  return {};
}

}  // namespace parley::ingress
