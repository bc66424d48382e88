#include "base/base64.hpp"

#include <array>

namespace parley::base {
namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

std::string_view last_two(Alphabet alphabet) {
  return alphabet == Alphabet::standard ? "+/" : "-_";
}

char letter(std::uint32_t value, Alphabet alphabet) {
  return value < letters.size() ? letters[value] : last_two(alphabet)[value - letters.size()];
}

std::optional<std::uint32_t> value_of(char c, Alphabet alphabet) {
  if (const std::size_t at = letters.find(c); at != letters.npos) return static_cast<std::uint32_t>(at);
  if (const std::size_t at = last_two(alphabet).find(c); at != letters.npos)
    return static_cast<std::uint32_t>(letters.size() + at);
  return std::nullopt;
}

}  // namespace

std::string to_base64(std::string_view bytes, Alphabet alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view part = bytes.substr(at, 3);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i) word = word << 8 | (i < part.size() ? static_cast<std::uint8_t>(part[i]) : 0u);
    for (std::size_t i = 0; i <= part.size(); ++i) text += letter(word >> (18 - 6 * i) & 63, alphabet);
    if (alphabet == Alphabet::standard) text.append(3 - part.size(), '=');
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text, Alphabet alphabet) {
  if (alphabet == Alphabet::standard) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const auto value = value_of(c, alphabet);
    if (!value) return std::nullopt;
    word = word << 6 | *value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(word >> bits & 255);
    word &= (1u << bits) - 1;
  }
  if (word != 0) return std::nullopt;  // bits that no byte has
  return bytes;
}

}  // namespace parley::base
