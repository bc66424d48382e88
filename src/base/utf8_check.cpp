// Bjoern Hoehrmann's automaton (bjoern.hoehrmann.de/utf-8/decoder/dfa), with ASCII, of which JSON mostly consists,
// passed over 64 bytes at a time.
#include "base/utf8_check.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace parley::base {
namespace {

constexpr std::uint8_t rejected = 12;

constexpr std::array<std::uint8_t, 256> byte_classes = [] {
  std::array<std::uint8_t, 256> classes{};
  const auto fill = [&](int from, int to, std::uint8_t value) {
    for (int i = from; i <= to; ++i) classes[static_cast<std::size_t>(i)] = value;
  };
  fill(0x80, 0x8F, 1);
  fill(0x90, 0x9F, 9);
  fill(0xA0, 0xBF, 7);
  fill(0xC0, 0xC1, 8);
  fill(0xC2, 0xDF, 2);
  fill(0xE0, 0xE0, 10);
  fill(0xE1, 0xEC, 3);
  fill(0xED, 0xED, 4);
  fill(0xEE, 0xEF, 3);
  fill(0xF0, 0xF0, 11);
  fill(0xF1, 0xF3, 6);
  fill(0xF4, 0xF4, 5);
  fill(0xF5, 0xFF, 8);
  return classes;
}();

// Next state by state (multiples of 12) and class.
constexpr std::array<std::uint8_t, 108> transitions = {
    0,  12, 24, 36, 60, 96, 84, 12, 12, 12, 48, 72, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 0,  12,
    12, 12, 12, 12, 0,  12, 0,  12, 12, 12, 24, 12, 12, 12, 12, 12, 24, 12, 24, 12, 12, 12, 12, 12, 12, 12, 12,
    12, 24, 12, 12, 12, 12, 12, 24, 12, 12, 12, 12, 12, 12, 12, 24, 12, 12, 12, 12, 12, 12, 12, 12, 12, 36, 12,
    36, 12, 12, 12, 36, 12, 12, 12, 12, 12, 36, 12, 36, 12, 12, 12, 36, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12};

constexpr std::size_t stride = 64;

std::size_t ascii_run(std::string_view bytes) {
  std::size_t at = 0;
  for (; at + stride <= bytes.size(); at += stride) {
    const auto word = [from = bytes.data() + at](std::size_t i) {
      std::uint64_t bits;
      std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
      return bits;
    };
    const std::uint64_t any = word(0) | word(1) | word(2) | word(3) | word(4) | word(5) | word(6) | word(7);
    if ((any & 0x8080808080808080u) != 0) break;
  }
  return at;
}

}  // namespace

bool Utf8Check::add(std::string_view bytes) {
  std::uint32_t state = state_;
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (state == 0) at += ascii_run(bytes.substr(at));
    const std::size_t end = std::min(at + stride, bytes.size());
    for (; at < end; ++at) state = transitions[state + byte_classes[static_cast<unsigned char>(bytes[at])]];
    if (state == rejected) break;
  }
  state_ = state;
  return state != rejected;
}

bool is_utf8(std::string_view bytes) {
  Utf8Check check;
  return check.add(bytes) && check.whole();
}

}  // namespace parley::base
