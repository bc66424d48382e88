// What the writer writes, and that the parser reads it back (rapidcheck).
#include "json/writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "json/parser.hpp"

namespace parley::json {
namespace {

TEST(JsonWriter, writes_compact_json) {
  std::string out;
  Writer writer(out);
  writer.begin_object().member("id", 7).member("op", "send").member("ok", true).member("x", 1.0);
  writer.key("list").begin_array().integer(1).null().begin_object().end_object().raw("{ }").end_array();
  writer.end_object();
  EXPECT_EQ(out, R"({"id":7,"op":"send","ok":true,"x":1.0,"list":[1,null,{},{ }]})");
}

TEST(JsonWriter, writes_names_known_before_like_others) {
  for (const int indent : {0, 2}) {
    std::string out, known;
    Writer(out, indent)
        .begin_object()
        .member("a", 1)
        .member("b c", "x")
        .key("d")
        .begin_array()
        .end_array()
        .end_object();
    Writer writer(known, indent);
    writer.begin_object().member<"a">(1).member<"b c">("x").key<"d">().begin_array().end_array().end_object();
    EXPECT_EQ(known, out);
  }
}

TEST(JsonWriter, writes_indented_json) {
  std::string out;
  Writer writer(out, 2);
  writer.begin_object().key("a").begin_array().integer(1).integer(2).end_array();
  writer.key("b").begin_object().end_object().end_object();
  EXPECT_EQ(out, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

TEST(JsonWriter, escapes_what_must_be_and_nothing_else) {
  std::string out;
  append_string(out, std::string_view("\"\\/\b\f\n\r\t\0\x1f\x7f é😀", 18));
  EXPECT_EQ(out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f é😀\"");
}

TEST(JsonWriter, replaces_what_is_not_utf8) {
  std::string out;
  append_string(out, "a\xFFz\xC3");
  EXPECT_EQ(out, "\"a\xEF\xBF\xBDz\xEF\xBF\xBD\"");
}

TEST(JsonWriter, doubles_are_shortest_and_stay_doubles) {
  std::string out;
  Writer writer(out);
  writer.begin_array().real(0.1).real(1e21).real(5e-324).real(-0.0).real(100).end_array();
  EXPECT_EQ(out, "[0.1,1e+21,5e-324,-0.0,100.0]");
}

// A random document, written as it is made.
void write_any(Writer& writer, int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 8 : 6);
  switch (kind) {
    case 0:
      writer.null();
      return;
    case 1:
      writer.boolean(*rc::gen::arbitrary<bool>());
      return;
    case 2:
      writer.integer(*rc::gen::arbitrary<std::int64_t>());
      return;
    case 3:
      writer.unsigned_integer(*rc::gen::arbitrary<std::uint64_t>());
      return;
    case 4: {
      const double value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
      writer.real(std::isfinite(value) ? value : 0.5);
      return;
    }
    case 5:
      writer.string(*rc::gen::arbitrary<std::string>());
      return;
    case 6: {
      writer.begin_array();
      for (int n = *rc::gen::inRange(0, 5); n > 0; --n) write_any(writer, depth - 1);
      writer.end_array();
      return;
    }
    default:
      break;
  }
  writer.begin_object();
  for (int n = *rc::gen::inRange(0, 5); n > 0; --n) {
    writer.key(std::to_string(n) + *rc::gen::arbitrary<std::string>());
    write_any(writer, depth - 1);
  }
  writer.end_object();
}

TEST(JsonWriter, F1_what_is_written_reads_back_and_writes_the_same) {
  EXPECT_TRUE(rc::check("round trip", [] {
    std::string text;
    Writer writer(text, *rc::gen::element(0, 2));
    write_any(writer, 4);
    const auto first = Document::parse(text);
    RC_ASSERT(first.has_value());
    const std::string again = to_text(first->root());
    const auto second = Document::parse(again);
    RC_ASSERT(second.has_value());
    RC_ASSERT(equal(first->root(), second->root()));
    RC_ASSERT(to_text(second->root()) == again);
  }));
}

TEST(JsonWriter, every_double_reads_back_to_the_same_bits) {
  EXPECT_TRUE(rc::check("doubles", [](std::uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) return;
    std::string text;
    Writer(text).real(value);
    const auto document = Document::parse(text);
    RC_ASSERT(document.has_value());
    RC_ASSERT(std::bit_cast<std::uint64_t>(*document->root().if_double()) == bits);
  }));
}

}  // namespace
}  // namespace parley::json
