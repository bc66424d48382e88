// Characters of ASCII, whatever the locale.
#pragma once

namespace parley::base {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace parley::base
