#include "net/http/target.hpp"

#include <gtest/gtest.h>

namespace parley::net::http {
namespace {

TEST(Target, DecodesEscapesAndRefusesBrokenOnes) {
  EXPECT_EQ(percent_decoded("a%2Fb+%e2%82%ac").value(), "a/b+€");
  for (const auto* broken : {"%", "%4", "%zz", "%4g", "a%0"}) EXPECT_FALSE(percent_decoded(broken)) << broken;
  for (const auto* no_utf8 : {"%FF%FE", "a%80", "%C0%AF", "%ED%A0%80", "%E2%82"})
    EXPECT_FALSE(percent_decoded(no_utf8)) << no_utf8;
  EXPECT_EQ(percent_decoded("%41").value(), "A");
  EXPECT_EQ(percent_decoded("a%0Ab").value(), "a\nb");
  EXPECT_EQ(percent_decoded("a%00b").value(), std::string_view("a\0b", 3));
}

TEST(Target, ReadsQueriesAndRefusesRepeatedNames) {
  const auto parameters = parse_query("after=x%26y&limit=10&&flag&q=a+b");
  ASSERT_TRUE(parameters.has_value());
  const QueryParameters expected = {{"after", "x&y"}, {"limit", "10"}, {"flag", ""}, {"q", "a b"}};
  EXPECT_EQ(*parameters, expected);
  EXPECT_FALSE(parse_query("a=1&%61=2"));
  EXPECT_FALSE(parse_query("a=%"));
  EXPECT_FALSE(parse_query("a=%FF"));
  EXPECT_TRUE(parse_query("")->empty());
}

}  // namespace
}  // namespace parley::net::http
