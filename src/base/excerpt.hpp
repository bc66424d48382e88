// The beginning of a text, for whoever reads a refusal or an event: never cut through a character, for what is not
// UTF-8 is neither JSON nor a field of an event.
#pragma once
#include <string>
#include <string_view>

namespace parley::base {

// Of valid UTF-8; with "…" where something is left out.
inline std::string excerpt(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace parley::base
