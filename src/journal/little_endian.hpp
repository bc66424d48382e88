// Integers as the journal's formats hold them: little-endian, unaligned.
#pragma once
#include <bit>
#include <concepts>
#include <cstring>

namespace parley::journal {

template <std::integral T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  return value;
}

template <std::integral T>
void store(char* to, T value) {
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace parley::journal
