// What the parser refuses beyond the grammar, its limits, and the slices it cuts.
#include "json/parser.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace parley::json {
namespace {

using base::ErrorCode;

base::Result<Value> parse(std::string_view text, const Limits& limits = {}) {
  static Parser parser;
  return parser.parse(text, limits);
}

std::string where(std::string_view text, const Limits& limits = {}) {
  const auto result = parse(text, limits);
  return result ? "accepted" : result.error().where;
}

std::string repeated(std::size_t times, std::string_view piece) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

std::string nested(std::size_t depth) {
  return repeated(depth, "[") + repeated(depth, "]");
}

std::string object_of(std::size_t keys) {
  std::string text = "{";
  for (std::size_t i = 0; i < keys; ++i) text += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":0";
  return text + "}";
}

// F3: each limit at limit-1, limit, limit+1 and 10 times the limit.
void expect_limit(std::size_t limit, std::string (*make)(std::size_t), const Limits& limits, ErrorCode code) {
  for (const std::size_t size : {limit - 1, limit}) EXPECT_TRUE(parse(make(size), limits)) << size;
  for (const std::size_t size : {limit + 1, 10 * limit}) {
    const auto result = parse(make(size), limits);
    ASSERT_FALSE(result) << size;
    EXPECT_EQ(result.error().code, code) << size;
  }
}

TEST(JsonLimits, F3_bytes) {
  expect_limit(
      1 << 20, [](std::size_t n) { return '"' + std::string(n - 2, 'a') + '"'; }, {}, ErrorCode::PAYLOAD_TOO_LARGE);
}

TEST(JsonLimits, F3_depth) {
  expect_limit(64, nested, {}, ErrorCode::BAD_JSON);
  expect_limit(
      64, [](std::size_t n) { return repeated(n, "{\"a\":") + "1" + repeated(n, "}"); }, {}, ErrorCode::BAD_JSON);
  EXPECT_EQ(where(repeated(65, "[") + "1" + repeated(65, "]")), "byte 64");
  EXPECT_EQ(where(nested(65)), repeated(64, "/0"));
}

TEST(JsonLimits, F3_a_million_brackets_are_refused_without_a_stack_overflow) {
  EXPECT_FALSE(parse(repeated(1'000'000, "[")));
  EXPECT_FALSE(parse(repeated(200'000, "[{\"\":")));
}

TEST(JsonLimits, F3_keys_of_an_object) {
  expect_limit(10'000, object_of, {.bytes = 10 << 20}, ErrorCode::BAD_JSON);
  EXPECT_EQ(where("[0," + object_of(10'001) + "]"), "/1");
}

TEST(JsonLimits, F3_bytes_of_a_key) {
  expect_limit(1024, [](std::size_t n) { return "{\"" + std::string(n, 'k') + "\":1}"; }, {}, ErrorCode::BAD_JSON);
}

TEST(JsonLimits, F3_characters_of_a_number) {
  expect_limit(64, [](std::size_t n) { return "[1." + std::string(n - 2, '3') + " ]"; }, {}, ErrorCode::BAD_JSON);
  expect_limit(64, [](std::size_t n) { return "0." + std::string(n - 2, '3'); }, {}, ErrorCode::BAD_JSON);
  EXPECT_TRUE(parse("[1" + std::string(200, ' ') + "]"));
}

TEST(JsonLimits, F3_elements_of_an_array) {
  expect_limit(
      100'000, [](std::size_t n) { return "[0" + repeated(n - 1, ",0") + "]"; }, {.bytes = 10 << 20},
      ErrorCode::BAD_JSON);
}

TEST(JsonParser, F4_duplicate_keys_are_refused_with_their_place) {
  EXPECT_EQ(where(R"({"a":1,"b":{"c":1,"d":2,"c":3}})"), "/b/c");
  EXPECT_EQ(where(R"([{"a/b":1,"a/b":1}])"), "/0/a~1b");
  EXPECT_EQ(where(R"({"a":1,"\u0061":2})"), "/a");  // decoded keys count
  EXPECT_EQ(where(R"({"":1,"":2})"), "/");
  EXPECT_EQ(where(R"({"12345678":1,"123456789":2,"12345678":3})"), "/12345678");
  EXPECT_TRUE(parse(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})"));
  EXPECT_TRUE(parse(R"({"a":1,"a\u0000":2,"A":3,"":4})"));
}

TEST(JsonParser, What_was_checked_before_is_held_to_the_syntax_alone) {
  Parser parser;
  const Limits trusted{.keys = 1, .elements = 1, .checked_before = true};
  const auto twice = parser.parse(R"({"a":1,"b":[1,2],"a":3})", trusted);
  ASSERT_TRUE(twice.has_value());
  EXPECT_EQ(twice->find("a").if_uint(), 1u);
  EXPECT_FALSE(parser.parse(R"({"a":1,})", trusted).has_value());
  EXPECT_FALSE(parser.parse(nested(100), {.depth = 80, .checked_before = true}).has_value());
  EXPECT_FALSE(parser.parse(nested(10), {.bytes = 10, .checked_before = true}).has_value());
}

TEST(JsonParser, F4_a_duplicate_is_found_in_objects_of_every_size) {
  for (const std::size_t keys : {2, 3, 8, 31, 32, 33, 34, 100, 5000}) {
    std::string text = object_of(keys);
    EXPECT_TRUE(parse(text)) << keys;
    text.back() = ',';
    const std::string middle = "k" + std::to_string(keys / 2);
    EXPECT_EQ(where(text + "\"" + middle + "\":1}"), "/" + middle) << keys;
  }
}

TEST(JsonParser, F4_numbers_are_exact_or_refused) {
  EXPECT_EQ(parse("9007199254740993")->if_int(), 9007199254740993);
  EXPECT_EQ(parse("9223372036854775807")->if_int(), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808")->if_int(), INT64_MIN);
  EXPECT_EQ(parse("9223372036854775808")->if_uint(), 9223372036854775808u);
  EXPECT_EQ(parse("9223372036854775808")->type(), Type::unsigned_integer);
  EXPECT_EQ(parse("18446744073709551615")->if_uint(), UINT64_MAX);
  EXPECT_EQ(parse("-0")->if_int(), 0);
  EXPECT_EQ(parse("1.0")->type(), Type::real);
  EXPECT_EQ(parse("1e2")->if_int(), 100);
  EXPECT_EQ(where("18446744073709551616"), "byte 0");
  EXPECT_EQ(where("[1,-9223372036854775809]"), "byte 3");
  EXPECT_EQ(where("{\"a\": 1e400}"), "byte 6");
  EXPECT_EQ(where("[-1e400]"), "byte 1");
  EXPECT_EQ(where("[NaN]"), "byte 1");
  EXPECT_EQ(where("[-Infinity]"), "byte 2");
}

TEST(JsonParser, F4_text_is_utf8_without_surrogates_or_byte_order_mark) {
  EXPECT_EQ(where("\xEF\xBB\xBF{}"), "byte 0");
  for (const std::string_view bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF", "\x80"})
    EXPECT_EQ(where("[\"" + std::string(bad) + "\"]"), "byte 2");
  for (const std::string_view bad : {R"(\ud800)", R"(\udc00)", R"(\ud800\u0041)", R"(\ud800\ud800)", R"(\uDBFF\uE000)"})
    EXPECT_EQ(where("[\"" + std::string(bad) + "\"]"), "byte 2");
  EXPECT_EQ(parse(R"("\ud83d\ude00")")->as_string(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(parse(R"("a\u0000b")")->as_string(), std::string_view("a\0b", 3));
}

TEST(JsonParser, F4_nothing_follows_the_text) {
  EXPECT_EQ(where("{} x"), "byte 3");
  EXPECT_EQ(where("1 2"), "byte 2");
  EXPECT_EQ(where(std::string_view("{}\0", 3)), "byte 2");
  EXPECT_EQ(where(""), "byte 0");
  EXPECT_EQ(where(" \n"), "byte 2");
  EXPECT_TRUE(parse(" \r\n\t{} \n"));
}

TEST(JsonParser, a_refusal_names_the_byte_and_what_was_expected) {
  const auto result = parse(R"({"a": 1 "b": 2})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "byte 8");
  EXPECT_EQ(result.error().message, "Expected ',' or '}' after a member; found '\"'.");
}

TEST(JsonParser, is_as_good_after_a_refusal_and_after_a_large_text) {
  Parser parser;
  ASSERT_TRUE(parser.parse('"' + std::string(500'000, 'x') + '"'));
  ASSERT_FALSE(parser.parse("{"));
  const auto small = parser.parse(R"({"a":[1,2]})");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->at_pointer("/a/1").if_int(), 2);
}

TEST(JsonParser, reads_a_padded_text_in_place) {
  std::string text = R"({"a": "b"})";
  const std::size_t size = text.size();
  text.resize(size + padding);
  Parser parser;
  const auto root = parser.parse_padded({text.data(), size});
  ASSERT_TRUE(root);
  EXPECT_EQ(parser.slice(root->find("a")).data(), text.data() + 6);
}

std::vector<std::string> slices(std::string_view text, std::string_view pointer) {
  Parser parser;
  const auto root = parser.parse(text);
  EXPECT_TRUE(root) << text;
  std::vector<std::string_view> cut;
  parser.slices(root->at_pointer(pointer), cut);
  return {cut.begin(), cut.end()};
}

TEST(JsonSlices, are_the_native_bytes_of_each_element) {
  EXPECT_EQ(slices(R"({"id":1,"op":"send","messages":[{"a":1},{"b":[2]}]})", "/messages"),
            (std::vector<std::string>{R"({"a":1})", R"({"b":[2]})"}));
  EXPECT_EQ(slices("{\"x\":{\"y\":[1.50,{}],\"z\":-2},\"messages\": [ \n { \"a\" : 1 } ,\t\"s\\\"]}\" , 1e2 \r\n]}",
                   "/messages"),
            (std::vector<std::string>{"{ \"a\" : 1 }", "\"s\\\"]}\"", "1e2"}));
  EXPECT_EQ(slices(R"([null,true , false,"","[",[],[[ ]],{ },{"]":"}"}, 18446744073709551615])", ""),
            (std::vector<std::string>{"null", "true", "false", "\"\"", "\"[\"", "[]", "[[ ]]", "{ }", R"({"]":"}"})",
                                      "18446744073709551615"}));
  EXPECT_EQ(slices("[]", ""), std::vector<std::string>{});
  EXPECT_EQ(slices(R"([[],[ ],[{"a":[]}]])", "/2/0/a"), std::vector<std::string>{});
}

TEST(JsonSlices, of_every_value_reads_back_as_that_value) {
  const std::string text = R"( {"a":[1,{"b":"x, ]"},[[],[{"c":{"d":[0.5,"é\u00e9"]}}]]], "e" : {"f":null ,"g":{}} } )";
  Parser parser, second;
  const auto root = parser.parse(text);
  ASSERT_TRUE(root);
  const auto visit = [&](const auto& self, Value value) -> void {
    const auto again = second.parse(parser.slice(value));
    ASSERT_TRUE(again) << parser.slice(value);
    EXPECT_TRUE(equal(*again, value)) << parser.slice(value);
    EXPECT_NE(parser.slice(value).back(), ' ');
    for (const Value element : value.elements()) self(self, element);
    for (const auto [key, member] : value.members()) self(self, member);
  };
  visit(visit, *root);
}

TEST(JsonDocument, keeps_what_it_was_parsed_from) {
  Document kept;
  {
    auto document = Document::parse(R"({"name":"a long enough text","list":[1,2.5,""],"last":"é"})");
    ASSERT_TRUE(document);
    kept = std::move(*document);
  }
  EXPECT_EQ(kept.root().find("name").as_string(), "a long enough text");
  EXPECT_EQ(kept.root().find("list").size(), 3u);
  EXPECT_EQ(kept.root().find("last").as_string(), "é");
  EXPECT_FALSE(Document::parse("[1,]"));
}

}  // namespace
}  // namespace parley::json
