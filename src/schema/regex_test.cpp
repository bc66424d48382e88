// ECMA-262 patterns over RE2, and that the row matcher agrees with RE2 wherever it is used.
#include "schema/regex.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parley::schema {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const auto regex = Regex::compile(pattern);
  EXPECT_TRUE(regex) << pattern << ": " << (regex ? "" : regex.error().message);
  return regex && regex->matches(text);
}

TEST(SchemaRegex, has_the_meaning_of_ecma_262) {
  EXPECT_TRUE(matches("^\\d+$", "123"));
  EXPECT_FALSE(matches("^\\d+$", "१२"));
  EXPECT_FALSE(matches("^a$", "a\n"));
  EXPECT_FALSE(matches("a.b", "a\nb"));
  EXPECT_FALSE(matches("a.b", "a\u2028b"));
  EXPECT_TRUE(matches("a.b", "a😀b"));
  EXPECT_TRUE(matches("^\\s$", "\u00a0"));
  EXPECT_TRUE(matches("^[\\s]$", "\ufeff"));
  EXPECT_FALSE(matches("^\\S$", "\u2003"));
  EXPECT_TRUE(matches("^\\p{Letter}+$", "Žé"));
  EXPECT_TRUE(matches("^\\p{Script=Greek}$", "λ"));
  EXPECT_TRUE(matches("^\\uD83D\\uDE00$", "😀"));
  EXPECT_TRUE(matches("^\\u{1F600}$", "😀"));
  EXPECT_TRUE(matches("^\\cA$", "\x01"));
  EXPECT_TRUE(matches("^[^]$", "\n"));
  EXPECT_FALSE(matches("[]", "a"));
  EXPECT_TRUE(matches("^[[]$", "["));
  EXPECT_TRUE(matches("^(?<year>\\d{4})$", "2026"));
  EXPECT_TRUE(matches("b", "abc"));
}

TEST(SchemaRegex, refuses_what_re2_cannot_express) {
  for (const auto* pattern :
       {"(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "\\k<n>", "\\a", "\\Z", "\\Q", "[a", "(", "a**", "(?i)a"})
    EXPECT_FALSE(Regex::compile(pattern)) << pattern;
}

TEST(SchemaRegex, a_row_of_classes_matches_as_re2_does) {
  const std::string texts[] = {"",
                               "a",
                               "ab",
                               "abc",
                               "a1",
                               "a-b",
                               "1.2.3",
                               "01",
                               "x-1",
                               "A",
                               "é",
                               "a\n",
                               "a_b",
                               "6f1f3bd0-6b0e-4e6a-9d0c-0f6f6a7b1c2d",
                               std::string(64, 'a'),
                               std::string(65, 'a'),
                               "aa]b",
                               "a\\"};
  for (const std::string pattern :
       {"^a", "^[a-z]+$", "^[a-z]{2,3}$", "^[a-z0-9][a-z0-9._-]{0,63}$", "^\\d+\\.\\d+\\.\\d+$", "^x-", "^[^a]$",
        "^a?b?c?$", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", "^\\w+$", "^a*a$",
        "^[a-z]*[0-9]{1,}$", "^a{0,1}$", "^$", "^", "^[\\]a]+b$", "^[-a]+$", "^[a\\\\]+$"}) {
    // A group keeps the row matcher from taking it.
    const std::string grouped = "(?:" + pattern + ")";
    for (const std::string& text : texts)
      EXPECT_EQ(matches(pattern, text), matches(grouped, text)) << pattern << " " << text;
  }
}

}  // namespace
}  // namespace parley::schema
