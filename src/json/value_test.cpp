// The cursor, pointers, numbers and equality.
#include "json/value.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "json/pointer.hpp"

namespace parley::json {
namespace {

Document document(std::string_view text) {
  auto parsed = Document::parse(text);
  EXPECT_TRUE(parsed) << text;
  return std::move(*parsed);
}

bool equal_texts(std::string_view a, std::string_view b) {
  const Document left = document(a), right = document(b);
  const bool same = equal(left.root(), right.root());
  EXPECT_EQ(same, equal(right.root(), left.root())) << a << " and " << b;
  if (same) {
    EXPECT_EQ(hash(left.root()), hash(right.root())) << a << " and " << b;
  }
  return same;
}

TEST(JsonValue, has_types_and_contents) {
  const Document d = document(R"({"n":null,"t":true,"i":-5,"u":18446744073709551615,"r":1.5,"s":"x","a":[1],"o":{}})");
  const Value root = d.root();
  EXPECT_TRUE(root.find("n").is_null());
  EXPECT_EQ(root.find("t").if_bool(), true);
  EXPECT_EQ(root.find("i").if_int(), -5);
  EXPECT_EQ(root.find("i").if_uint(), std::nullopt);
  EXPECT_EQ(root.find("u").if_int(), std::nullopt);
  EXPECT_EQ(root.find("r").if_int(), std::nullopt);
  EXPECT_EQ(root.find("r").if_double(), 1.5);
  EXPECT_EQ(root.find("s").if_string(), "x");
  EXPECT_EQ(root.find("a").element(0).if_int(), 1);
  EXPECT_FALSE(root.find("a").element(1));
  EXPECT_EQ(root.size(), 8u);
  EXPECT_EQ(root.find("o").size(), 0u);
}

TEST(JsonValue, what_is_absent_stays_absent) {
  const Value nothing;
  EXPECT_FALSE(nothing);
  EXPECT_EQ(nothing.find("a").find("b").if_string(), std::nullopt);
  EXPECT_EQ(nothing.size(), 0u);
  for (const auto member : nothing.members()) FAIL() << member.key;
  const Document d = document(R"(["a"])");
  EXPECT_FALSE(d.root().find("a"));
  EXPECT_FALSE(d.root().element(0).element(0));
}

TEST(JsonValue, is_walked_in_the_texts_order) {
  const Document d = document(R"({"b":[1,[2],{"x":3}],"a":{"c":4},"":5})");
  std::string keys;
  for (const auto [key, value] : d.root().members())
    keys += std::string(key) + "," + std::to_string(value.size()) + ";";
  EXPECT_EQ(keys, "b,3;a,1;,0;");
}

TEST(JsonPointer, follows_rfc_6901) {
  const Document d = document(R"({"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"k\"l":6," ":7,"0":{"1":"x"}})");
  const Value root = d.root();
  EXPECT_EQ(root.at_pointer("").size(), 7u);
  EXPECT_EQ(root.at_pointer("/foo/1").if_string(), "baz");
  EXPECT_EQ(root.at_pointer("/").if_int(), 0);
  EXPECT_EQ(root.at_pointer("/a~1b").if_int(), 1);
  EXPECT_EQ(root.at_pointer("/m~0n").if_int(), 8);
  EXPECT_EQ(root.at_pointer("/k\"l").if_int(), 6);
  EXPECT_EQ(root.at_pointer("/ ").if_int(), 7);
  EXPECT_EQ(root.at_pointer("/0/1").if_string(), "x");
  for (const auto* nowhere : {"/foo/01", "/foo/-", "/foo/2", "/foo/x", "/b", "foo", "/m~2n", "/foo/99999999999"})
    EXPECT_FALSE(root.at_pointer(nowhere)) << nowhere;
  EXPECT_EQ(Pointer::parse("/a~1b/~0")->to_text(), "/a~1b/~0");
  EXPECT_EQ(pointer_to(root, root.at_pointer("/0/1")), "/0/1");
  EXPECT_EQ(pointer_to(root, root.at_pointer("/foo/1")), "/foo/1");
}

TEST(JsonValue, equality_is_that_of_json_schema) {
  EXPECT_TRUE(equal_texts("1", "1.0"));
  EXPECT_TRUE(equal_texts("100", "1e2"));
  EXPECT_TRUE(equal_texts("0", "-0.0"));
  EXPECT_TRUE(equal_texts("18446744073709551615", "18446744073709551615"));
  EXPECT_FALSE(equal_texts("18446744073709551615", "18446744073709551616.0"));
  EXPECT_FALSE(equal_texts("9007199254740993", "9007199254740992.0"));
  EXPECT_TRUE(equal_texts("9007199254740992", "9007199254740992.0"));
  EXPECT_FALSE(equal_texts("-1", "18446744073709551615"));
  EXPECT_FALSE(equal_texts("false", "0"));
  EXPECT_FALSE(equal_texts("null", "false"));
  EXPECT_FALSE(equal_texts("\"1\"", "1"));
  EXPECT_TRUE(equal_texts(R"({"a":1,"b":[1,{"c":2}]})", R"({"b":[1.0,{"c":2e0}],"a":1})"));
  EXPECT_FALSE(equal_texts(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(equal_texts("[1,2]", "[2,1]"));
  EXPECT_FALSE(equal_texts("[1]", "[1,1]"));
}

TEST(JsonValue, large_objects_compare_by_sorted_keys) {
  std::string forward = "{", backward = "{", other = "{";
  for (int i = 0; i < 200; ++i) {
    forward += (i ? ",\"" : "\"") + std::to_string(i) + "\":" + std::to_string(i);
    backward += (i ? ",\"" : "\"") + std::to_string(199 - i) + "\":" + std::to_string(199 - i);
    other += (i ? ",\"" : "\"") + std::to_string(i) + "\":" + std::to_string(i == 150 ? 0 : i);
  }
  EXPECT_TRUE(equal_texts(forward + "}", backward + "}"));
  EXPECT_FALSE(equal_texts(forward + "}", other + "}"));
}

TEST(JsonNumber, compares_exactly) {
  const auto big = Number::of(std::uint64_t{1} << 63);
  EXPECT_TRUE(compare(Number::of(std::int64_t{3}), Number::of(3.5)) < 0);
  EXPECT_TRUE(compare(Number::of(std::int64_t{-3}), Number::of(-3.5)) > 0);
  EXPECT_TRUE(compare(Number::of(INT64_MAX), Number::of(9223372036854775808.0)) < 0);
  EXPECT_TRUE(compare(big, Number::of(9223372036854775808.0)) == 0);
  EXPECT_TRUE(compare(Number::of(UINT64_MAX), Number::of(18446744073709551616.0)) < 0);
  EXPECT_TRUE(compare(Number::of(1e300), big) > 0);
  EXPECT_TRUE(compare(Number::of(-1e300), Number::of(INT64_MIN)) < 0);
  EXPECT_TRUE(compare(Number::of(std::int64_t{-1}), big) < 0);
}

TEST(JsonNumber, multiples_are_those_of_decimal_numbers) {
  const auto multiple = [](auto value, auto divisor) { return is_multiple(Number::of(value), Number::of(divisor)); };
  EXPECT_TRUE(multiple(0.0075, 0.0001));
  EXPECT_FALSE(multiple(0.00751, 0.0001));
  EXPECT_TRUE(multiple(4.5, 1.5));
  EXPECT_FALSE(multiple(std::int64_t{35}, 1.5));
  EXPECT_TRUE(multiple(0.0, 1.5));
  EXPECT_TRUE(multiple(1e308, 0.5));
  EXPECT_TRUE(multiple(1e308, 1e-8));
  EXPECT_FALSE(multiple(1e308, 0.123456789));
  EXPECT_TRUE(multiple(std::int64_t{9007199254740993}, std::int64_t{3}));
  EXPECT_FALSE(multiple(std::int64_t{9007199254740994}, std::int64_t{3}));
  EXPECT_TRUE(multiple(INT64_MIN, std::int64_t{2}));
  EXPECT_FALSE(multiple(0.5, 1e300));
  EXPECT_FALSE(multiple(5e-324, std::int64_t{1}));
}

TEST(JsonValue, counts_code_points) {
  EXPECT_EQ(code_points(""), 0u);
  EXPECT_EQ(code_points("aé€😀"), 4u);
}

}  // namespace
}  // namespace parley::json
