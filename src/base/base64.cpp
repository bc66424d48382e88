#include "base/base64.hpp"

#include <array>

namespace parley::base {
namespace {

using Letters = std::array<char, 64>;
using Values = std::array<std::uint8_t, 256>;
constexpr std::uint8_t no_letter = 255;

constexpr Letters letters_with(std::string_view last_two) {
  Letters letters{};
  std::size_t at = 0;
  for (char c = 'A'; c <= 'Z'; ++c) letters[at++] = c;
  for (char c = 'a'; c <= 'z'; ++c) letters[at++] = c;
  for (char c = '0'; c <= '9'; ++c) letters[at++] = c;
  for (const char c : last_two) letters[at++] = c;
  return letters;
}

constexpr Values values_of(const Letters& letters) {
  Values values;
  values.fill(no_letter);
  for (std::size_t i = 0; i < letters.size(); ++i)
    values[static_cast<unsigned char>(letters[i])] = static_cast<std::uint8_t>(i);
  return values;
}

struct Table {
  Letters letters;
  Values values = values_of(letters);
};
constexpr std::array<Table, 2> tables = {Table{letters_with("+/")}, Table{letters_with("-_")}};

const Table& table_of(Alphabet alphabet) {
  return tables[static_cast<std::size_t>(alphabet)];
}

}  // namespace

std::string to_base64(std::string_view bytes, Alphabet alphabet) {
  const Letters& letters = table_of(alphabet).letters;
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view part = bytes.substr(at, 3);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i) word = word << 8 | (i < part.size() ? static_cast<std::uint8_t>(part[i]) : 0u);
    for (std::size_t i = 0; i <= part.size(); ++i) text += letters[word >> (18 - 6 * i) & 63];
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
  const Values& values = table_of(alphabet).values;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t value = values[static_cast<unsigned char>(c)];
    if (value == no_letter) return std::nullopt;
    word = word << 6 | value;
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
