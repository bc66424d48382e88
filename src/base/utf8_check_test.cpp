#include "base/utf8_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parley::base {
namespace {

// The definition itself (Unicode 15, table 3-7), to hold the automaton against.
bool by_definition(std::string_view s) {
  for (std::size_t at = 0; at < s.size();) {
    const auto byte = [&](std::size_t i) { return at + i < s.size() ? static_cast<unsigned char>(s[at + i]) : 0; };
    const auto in = [](int value, int low, int high) { return value >= low && value <= high; };
    const int a = byte(0), b = byte(1), c = byte(2), d = byte(3);
    const auto tail = [&](int value) { return in(value, 0x80, 0xBF); };
    if (a < 0x80)
      at += 1;
    else if (in(a, 0xC2, 0xDF) && tail(b))
      at += 2;
    else if (in(a, 0xE0, 0xEF) && in(b, a == 0xE0 ? 0xA0 : 0x80, a == 0xED ? 0x9F : 0xBF) && tail(c))
      at += 3;
    else if (in(a, 0xF0, 0xF4) && in(b, a == 0xF0 ? 0x90 : 0x80, a == 0xF4 ? 0x8F : 0xBF) && tail(c) && tail(d))
      at += 4;
    else
      return false;
  }
  return true;
}

TEST(Utf8, AgreesWithItsDefinitionOnAllPairsAndEdgesOfLongerOnes) {
  const unsigned char edges[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
                                 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF};
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const std::string pair = {static_cast<char>(a), static_cast<char>(b)};
      ASSERT_EQ(is_utf8(pair), by_definition(pair)) << a << ' ' << b;
      for (const auto c : edges)
        for (const auto d : edges) {
          const std::string text = pair + static_cast<char>(c) + static_cast<char>(d);
          if (is_utf8(text) != by_definition(text)) FAIL() << a << ' ' << b << ' ' << int(c) << ' ' << int(d);
        }
    }
}

TEST(Utf8, IsTheSameAtEverySplitAndOffset) {
  const std::string text = std::string(40, 'a') + "ü€😀" + std::string(70, 'b') + "é";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Utf8Check check;
    EXPECT_TRUE(check.add(std::string_view(text).substr(0, cut)));
    EXPECT_TRUE(check.add(std::string_view(text).substr(cut)));
    EXPECT_TRUE(check.whole());
    std::string broken = text;
    if (cut < text.size()) {
      broken[cut] = '\xff';
      EXPECT_FALSE(is_utf8(broken)) << cut;
    }
  }
}

}  // namespace
}  // namespace parley::base
