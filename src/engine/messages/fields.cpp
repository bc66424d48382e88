#include "engine/messages/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace parley::engine {

std::string text_in(const envelope::Envelope& envelope, std::string_view name) {
  return std::string(envelope::value(envelope, name).if_string().value_or(""));
}

std::vector<std::string> read_texts(json::Value list) {
  std::vector<std::string> texts;
  for (const json::Value item : list.elements())
    if (const auto text = item.if_string()) texts.emplace_back(*text);
  return texts;
}

std::optional<double> read_number(std::string_view json) {
  double value = 0;
  const auto read = std::from_chars(json.data(), json.data() + json.size(), value);
  return read.ec != std::errc() ? std::nullopt : std::optional(value);
}

std::optional<base::Instant> read_instant(std::string_view json) {
  const auto instant = base::parse_rfc3339(envelope::unquoted(json));
  return instant ? std::optional(*instant) : std::nullopt;
}

std::string text_of(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::optional<base::Duration> read_wait(double stated, base::Duration unit, base::Duration most) {
  if (!(stated > 0)) return std::nullopt;
  using Units = std::chrono::duration<double, base::Duration::period>;
  const double units_most = Units(most) / Units(unit);
  return std::max(std::chrono::duration_cast<base::Duration>(std::min(stated, units_most) * Units(unit)),
                  base::Duration(1));
}

}  // namespace parley::engine
