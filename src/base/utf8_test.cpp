#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include "base/excerpt.hpp"

namespace parley::base {
namespace {

TEST(Utf8, ReadsTheFirstCharacter) {
  const auto expect = [](std::string_view text, char32_t point, std::size_t bytes) {
    const Character c = first_character(text);
    EXPECT_EQ(c.bytes, bytes) << text;
    EXPECT_EQ(c.point, point) << text;
  };
  expect("az", 'a', 1);
  expect("\u00e9x", 0xE9, 2);
  expect("\u20acx", 0x20AC, 3);
  expect("\U0001F600x", 0x1F600, 4);
  expect(std::string_view("\0", 1), 0, 1);
}

TEST(Utf8, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80",
                                      "\xE2\x82", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_EQ(first_character(text).bytes, 0u) << text.size();
}

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(beginning("ab\u20accd", 5), "ab\u20ac");
  EXPECT_EQ(beginning("ab\u20accd", 4), "ab");
  EXPECT_EQ(beginning("ab", 5), "ab");
  EXPECT_EQ(beginning("\u20ac", 1), "");
  EXPECT_EQ(excerpt("ab\u20accd", 4), "ab…");
  EXPECT_EQ(excerpt("abcd", 4), "abcd");
}

}  // namespace
}  // namespace parley::base
