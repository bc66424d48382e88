// Where problems are reported, and the bounds that keep a hostile schema or document cheap (reliability F5).
#include "schema/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::schema {
namespace {

using base::ErrorCode;

json::Document document(std::string_view text) {
  auto parsed = json::Document::parse(text, {.bytes = 64 << 20, .depth = 1024, .elements = 2'000'000});
  EXPECT_TRUE(parsed) << text.substr(0, 200);
  return std::move(*parsed);
}

Program program(std::string_view schema, const CompileOptions& options = {}) {
  auto compiled = compile(schema, Registry{}, options);
  EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message + " at " + compiled.error().where);
  return std::move(*compiled);
}

// "instance schema" of each problem, in order.
std::vector<std::string> places(std::string_view schema, std::string_view instance,
                                const CompileOptions& options = {}) {
  const json::Document d = document(instance);
  const Program p = program(schema, options);
  std::vector<std::string> found;
  for (const base::Problem& problem : p.explain(d.root())) found.push_back(problem.instance + " " + problem.schema);
  EXPECT_EQ(p.accepts(d.root()), found.empty());
  return found;
}

std::string message(std::string_view schema, std::string_view instance, const ExplainOptions& options = {}) {
  const json::Document d = document(instance);
  const auto problems = program(schema).explain(d.root(), options);
  return problems.empty() ? "" : problems[0].message;
}

base::Error refusal(std::string_view schema, const CompileOptions& options = {}) {
  const auto compiled = compile(schema, Registry{}, options);
  EXPECT_FALSE(compiled);
  return compiled ? base::Error{} : compiled.error();
}

using Places = std::vector<std::string>;

TEST(SchemaExplain, COR_04_each_keyword_is_named_with_its_place) {
  const auto one = [](std::string_view schema, std::string_view instance) {
    const Places found = places(schema, instance);
    return found.size() == 1 ? found[0] : std::to_string(found.size()) + " problems";
  };
  EXPECT_EQ(one(R"({"type":"object"})", "[]"), " /type");
  EXPECT_EQ(one(R"({"enum":[1,"a"]})", "2"), " /enum");
  EXPECT_EQ(one(R"({"const":{"a":1}})", R"({"a":2})"), " /const");
  EXPECT_EQ(one(R"({"minimum":1})", "0"), " /minimum");
  EXPECT_EQ(one(R"({"maximum":1})", "1.5"), " /maximum");
  EXPECT_EQ(one(R"({"exclusiveMinimum":1})", "1"), " /exclusiveMinimum");
  EXPECT_EQ(one(R"({"exclusiveMaximum":1})", "1.0"), " /exclusiveMaximum");
  EXPECT_EQ(one(R"({"multipleOf":0.01})", "0.015"), " /multipleOf");
  EXPECT_EQ(one(R"({"minLength":2})", "\"é\""), " /minLength");
  EXPECT_EQ(one(R"({"maxLength":1})", "\"éé\""), " /maxLength");
  EXPECT_EQ(one(R"({"pattern":"^a"})", "\"b\""), " /pattern");
  EXPECT_EQ(one(R"({"minItems":1})", "[]"), " /minItems");
  EXPECT_EQ(one(R"({"maxItems":1})", "[1,2]"), " /maxItems");
  EXPECT_EQ(one(R"({"uniqueItems":true})", "[1,{\"a\":1},{\"a\":1.0}]"), " /uniqueItems");
  EXPECT_EQ(one(R"({"prefixItems":[true,{"type":"null"}]})", "[1,2]"), "/1 /prefixItems/1/type");
  EXPECT_EQ(one(R"({"items":{"type":"null"}})", "[null,2]"), "/1 /items/type");
  EXPECT_EQ(one(R"({"contains":{"type":"null"}})", "[1]"), " /contains");
  EXPECT_EQ(one(R"({"contains":{"type":"null"},"minContains":2})", "[null]"), " /minContains");
  EXPECT_EQ(one(R"({"contains":{"type":"null"},"maxContains":1})", "[null,null]"), " /maxContains");
  EXPECT_EQ(one(R"({"unevaluatedItems":false,"prefixItems":[true]})", "[1,2]"), "/1 /unevaluatedItems");
  EXPECT_EQ(one(R"({"minProperties":1})", "{}"), " /minProperties");
  EXPECT_EQ(one(R"({"maxProperties":0})", R"({"a":1})"), " /maxProperties");
  EXPECT_EQ(one(R"({"required":["a","b"]})", R"({"a":1})"), " /required");
  EXPECT_EQ(one(R"({"properties":{"a/b":{"type":"null"}}})", R"({"a/b":1})"), "/a~1b /properties/a~1b/type");
  EXPECT_EQ(one(R"({"patternProperties":{"^a":{"type":"null"}}})", R"({"ab":1})"), "/ab /patternProperties/^a/type");
  EXPECT_EQ(one(R"({"properties":{"a":true},"additionalProperties":false})", R"({"b":1})"), "/b /additionalProperties");
  EXPECT_EQ(one(R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})"), " /propertyNames/maxLength");
  EXPECT_EQ(one(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})"), " /dependentRequired");
  EXPECT_EQ(one(R"({"dependentSchemas":{"a":{"required":["b"]}}})", R"({"a":1})"), " /dependentSchemas/a/required");
  EXPECT_EQ(one(R"({"allOf":[true,{"type":"null"}]})", "1"), " /allOf/1/type");
  EXPECT_EQ(one(R"({"not":{"type":"integer"}})", "1"), " /not");
  EXPECT_EQ(one(R"({"if":{"type":"integer"},"then":{"minimum":5}})", "1"), " /then/minimum");
  EXPECT_EQ(one(R"({"if":{"type":"null"},"else":{"minimum":5}})", "1"), " /else/minimum");
  EXPECT_EQ(one(R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}})", "1"), " /$ref/type");
  EXPECT_EQ(
      one(R"({"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#b"},"b":{"$anchor":"b","type":"null"}}})",
          R"({"a":1})"),
      "/a /properties/a/$ref/$ref/type");
  EXPECT_EQ(one(R"({"oneOf":[{"type":"integer"},{"minimum":0}]})", "1"), " /oneOf");
  EXPECT_EQ(one(R"({"unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}]})", R"({"a":1,"b":1})"),
            "/b /unevaluatedProperties");
}

TEST(SchemaExplain, a_member_that_nobody_knows_is_named) {
  EXPECT_EQ(message(R"({"properties":{"lease":true},"additionalProperties":false})", R"({"leese":1})"),
            "there is no member 'leese' here");
  EXPECT_EQ(message(R"({"items":false})", "[1]"), "nothing is allowed here");
  EXPECT_EQ(message("false", "1"), "nothing is allowed here");
}

TEST(SchemaExplain, a_pattern_is_explained_by_examples_where_there_are_any) {
  EXPECT_EQ(message(R"({"pattern":"^[0-9]+(ms|s)$","examples":["100ms","30s"]})", R"("soon")"),
            R"(expected text such as 100ms, 30s, found string "soon")");
  EXPECT_EQ(message(R"({"pattern":"^a$"})", R"("b")"), R"(expected text that matches ^a$, found string "b")");
}

TEST(SchemaExplain, all_defects_are_found_at_once) {
  EXPECT_EQ(
      places(R"({"required":["x"],"properties":{"a":{"type":"null"},"b":{"minimum":3}},"additionalProperties":false})",
             R"({"a":1,"b":2,"c":3})"),
      (Places{"/a /properties/a/type", "/b /properties/b/minimum", "/c /additionalProperties", " /required"}));
}

TEST(SchemaExplain, the_branch_whose_const_matches_is_explained) {
  constexpr std::string_view schema = R"({"oneOf":[
    {"properties":{"type":{"const":"a"},"x":{"type":"integer"},"y":{"type":"integer"}},"required":["type","x","y"]},
    {"properties":{"type":{"enum":["b","c"]},"z":{"type":"string","minLength":3}},"required":["type","z"]}]})";
  EXPECT_EQ(places(schema, R"({"type":"a","x":1,"y":"no"})"), Places{"/y /oneOf/0/properties/y/type"});
  EXPECT_EQ(places(schema, R"({"type":"c","z":"no"})"), Places{"/z /oneOf/1/properties/z/minLength"});
  EXPECT_EQ(places(schema, R"({"type":"a"})"), (Places{" /oneOf/0/required", " /oneOf/0/required"}));
  EXPECT_EQ(places(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1"), Places{" /anyOf"});
  EXPECT_EQ(places(R"({"anyOf":[{"type":"string","minLength":2},{"type":"null"}]})", "\"a\""),
            Places{" /anyOf/0/minLength"});
}

TEST(SchemaExplain, a_failed_branch_does_not_make_every_member_unevaluated) {
  EXPECT_EQ(places(R"({"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{"type":"null"}},"required":["a"]}]})",
                   R"({"a":1,"b":2})"),
            Places{"/a /anyOf/0/properties/a/type"});
}

TEST(SchemaExplain, messages_show_what_was_expected_and_found) {
  EXPECT_EQ(message(R"({"type":["string","null"]})", "12"), "expected null or string, found integer 12");
  EXPECT_EQ(message(R"({"enum":["low","high"]})", "\"hi\""), "expected one of \"low\", \"high\", found string \"hi\"");
  EXPECT_EQ(message(R"({"required":["id"]})", "{}"), "expected the member \"id\"");
  EXPECT_EQ(message(R"({"type":"null"})", '"' + std::string(500, 'x') + '"'),
            "expected null, found string \"" + std::string(64, 'x') + "…\"");
  EXPECT_EQ(message(R"({"type":"null"})", R"({"a":1})"), "expected null, found object of 1");
}

TEST(SchemaExplain, hidden_values_do_not_appear) {
  constexpr std::string_view schema = R"({"anyOf":[{"type":"null"},{"pattern":"^a"},{"maxLength":3},{"const":"x"}]})";
  const std::string shown = message(schema, "\"secret\""),
                    hidden = message(schema, "\"secret\"", {.hide_values = true});
  EXPECT_NE(shown.find("secret"), std::string::npos);
  EXPECT_EQ(hidden.find("secret"), std::string::npos);
  EXPECT_EQ(message(R"({"type":"null"})", "\"secret\"", {.hide_values = true}), "expected null, found string");
}

TEST(SchemaExplain, stops_at_the_number_of_problems_asked_for) {
  const json::Document d = document("[1,1,1,1,1]");
  Tally tally;
  EXPECT_EQ(program(R"({"items":{"type":"null"}})").explain(d.root(), {.problems_max = 3}, &tally).size(), 3u);
  EXPECT_EQ(tally.found, 5u);
  EXPECT_FALSE(tally.at_least);
}

TEST(SchemaExplain, D11_a_list_of_many_defects_is_not_looked_through_and_what_stands_beside_it_is) {
  const auto tally_of = [](std::string_view schema, const std::string& instance) {
    const json::Document d = document(instance);
    Tally tally;
    Places named;
    for (const base::Problem& problem : program(schema).explain(d.root(), {.problems_max = 2}, &tally))
      named.push_back(problem.instance);
    EXPECT_THAT(named, testing::Contains("/id")) << schema;
    EXPECT_TRUE(tally.at_least) << schema;
    return tally.found;
  };
  std::string items, members;
  for (int i = 0; i < 1000; ++i) {
    items += "1,";
    members += "\"m" + std::to_string(i) + "\":1,";
  }
  const std::string array = R"({"many":[)" + items + R"(1],"id":1})";
  const std::string object = R"({"many":{)" + members + R"("z":1},"id":1})";
  const auto many = [](const std::string& schema) {
    return R"({"properties":{"many":)" + schema + R"(,"id":{"type":"string"}}})";
  };
  EXPECT_EQ(tally_of(many(R"({"items":{"type":"null"}})"), array), 5u);
  EXPECT_EQ(tally_of(many(R"({"unevaluatedItems":false})"), array), 5u);
  EXPECT_EQ(tally_of(many(R"({"items":{"type":"null"},"contains":true,"unevaluatedItems":false})"), array), 5u);
  EXPECT_EQ(tally_of(many(R"({"additionalProperties":false})"), object), 5u);
  EXPECT_EQ(tally_of(many(R"({"patternProperties":{"^m":false}})"), object), 5u);
  EXPECT_EQ(tally_of(R"({"properties":{"in":)" + many(R"({"propertyNames":{"maxLength":0}})") +
                         R"(,"id":{"type":"string"}}})",
                     R"({"in":)" + object + R"(,"id":1})"),
            6u);
  EXPECT_EQ(tally_of(many(R"({"unevaluatedProperties":false})"), object), 5u);
  EXPECT_EQ(tally_of(many(R"({"additionalProperties":false,"properties":{"z":{"type":"null"}}})"), object), 6u);
}

TEST(SchemaExplain, COL_22_what_is_wrong_near_the_root_is_always_named) {
  const json::Document d = document(R"({"deep":[[1,1,1]],"id":1})");
  const Program p = program(
      R"({"properties":{"deep":{"items":{"items":{"type":"null"}}}},"allOf":[{"properties":{"id":{"type":"string"}}}]})");
  Places named;
  Tally tally;
  for (const base::Problem& problem : p.explain(d.root(), {.problems_max = 2}, &tally))
    named.push_back(problem.instance);
  EXPECT_EQ(named, (Places{"/deep/0/0", "/id"}));
  EXPECT_EQ(tally.found, 4u);
}

TEST(SchemaExplain, COR_04_not_says_why_where_its_schema_does) {
  EXPECT_EQ(message(R"({"description":"It stands alone.","not":{"const":"all"}})", R"("all")"),
            "found string \"all\": It stands alone.");
}

TEST(SchemaFormats, are_asserted_only_when_asked) {
  constexpr std::string_view schema = R"({"format":"date-time"})";
  EXPECT_EQ(places(schema, "\"no\""), Places{});
  EXPECT_EQ(places(schema, "\"no\"", {.assert_formats = true}), Places{" /format"});
  EXPECT_EQ(places(schema, "\"2026-11-21T21:48:34.5Z\"", {.assert_formats = true}), Places{});
}

TEST(SchemaFormats, a_quoted_local_part_ends_at_its_first_quote_that_is_not_escaped) {
  const auto found = [](std::string_view local) {
    std::string address;
    json::append_string(address, std::string(local) + "@a.org");
    return places(R"({"format":"email"})", address, {.assert_formats = true});
  };
  EXPECT_EQ(found(R"("a b")"), Places{});
  EXPECT_EQ(found(R"("a\"b")"), Places{});
  EXPECT_EQ(found(R"("a\\")"), Places{});
  EXPECT_EQ(found(R"("a"b")"), Places{" /format"});
  EXPECT_EQ(found(R"("a\\"b")"), Places{" /format"});
  EXPECT_EQ(found(R"("a\\\")"), Places{" /format"});
}

TEST(SchemaCompile, names_the_keyword_it_cannot_compile) {
  EXPECT_EQ(refusal(R"({"properties":{"a":{"type":"strin"}}})").where, "/properties/a/type");
  EXPECT_EQ(refusal(R"({"allOf":[{"pattern":"("}]})").where, "/allOf/0/pattern");
  EXPECT_EQ(refusal(R"({"minLength":-1})").where, "/minLength");
  EXPECT_EQ(refusal(R"({"items":3})").where, "/items");
  EXPECT_EQ(refusal(R"({"required":"a"})").where, "/required");
  EXPECT_EQ(refusal("[]").code, ErrorCode::SCHEMA_INVALID);
  EXPECT_EQ(refusal("{").code, ErrorCode::SCHEMA_INVALID);
  EXPECT_EQ(refusal(R"({"$schema":"http://json-schema.org/draft-07/schema#"})").where, "/$schema");
  const base::Error lookahead = refusal(R"json({"pattern":"^(?=a)"})json");
  EXPECT_EQ(lookahead.code, ErrorCode::SCHEMA_INVALID);
  EXPECT_NE(lookahead.message.find("Lookahead"), std::string::npos);
}

// F5

TEST(SchemaBounds, F5_nothing_is_ever_fetched) {
  for (const std::string_view uri : {"http://example.com/s.json", "file:///etc/passwd", "http://169.254.169.254/latest",
                                     "other.json", "#/$defs/none", "#none"}) {
    const base::Error error = refusal(R"({"properties":{"a":{"$ref":")" + std::string(uri) + R"("}}})");
    EXPECT_EQ(error.code, ErrorCode::SCHEMA_INVALID) << uri;
    EXPECT_EQ(error.where, "/properties/a/$ref") << uri;
  }
}

TEST(SchemaBounds, F5_references_that_never_look_into_the_instance_are_refused) {
  for (
      const std::string_view schema :
      {R"({"$ref":"#"})", R"({"anyOf":[{"type":"null"},{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})",
       R"({"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"if":{"$ref":"#/$defs/a"},"then":true}}})"})
    EXPECT_EQ(refusal(schema).code, ErrorCode::SCHEMA_INVALID) << schema;
}

TEST(SchemaBounds, F5_recursion_through_the_instance_is_fine_and_bounded) {
  const Program tree = program(R"({"type":"object","properties":{"child":{"$ref":"#"}},"additionalProperties":false})");
  std::string deep = "{}";
  for (int i = 0; i < 60; ++i) deep = R"({"child":)" + deep + "}";
  EXPECT_TRUE(tree.accepts(document(deep).root()));
  std::string deeper = "{}";
  for (int i = 0; i < 1000; ++i) deeper = R"({"child":)" + deeper + "}";
  const json::Document d = document(deeper);
  EXPECT_EQ(tree.check(d.root()), Verdict::too_complex);
  EXPECT_EQ(tree.explain(d.root()).size(), 1u);
}

std::string list_of(std::size_t count, std::string_view piece) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text.append(i ? "," : "").append(piece);
  return text;
}

TEST(SchemaBounds, F5_a_hundred_thousand_branches_are_too_complex) {
  EXPECT_EQ(refusal(R"({"allOf":[)" + list_of(100'000, R"({"type":"null"})") + "]}").code,
            ErrorCode::SCHEMA_TOO_COMPLEX);
}

TEST(SchemaBounds, F5_a_long_chain_of_references_is_too_complex) {
  std::string schema = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 5000; ++i)
    schema += '"' + std::to_string(i) + R"(":{"$ref":"#/$defs/)" + std::to_string(i + 1) + "\"},";
  EXPECT_EQ(refusal(schema + R"("5000":true}})").code, ErrorCode::SCHEMA_TOO_COMPLEX);
}

TEST(SchemaBounds, F5_branches_that_double_at_each_level_run_out_of_steps) {
  std::string schema = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = R"({"$ref":"#/$defs/)" + std::to_string(i + 1) + R"("})";
    schema += '"' + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]},";
  }
  const Program p = program(schema + R"("40":{"type":"null"}}})");
  const json::Document d = document("1");
  EXPECT_EQ(p.check(d.root()), Verdict::too_complex);
  EXPECT_FALSE(p.accepts(d.root()));
  EXPECT_FALSE(p.explain(d.root()).empty());
}

TEST(SchemaBounds, F5_exhaustion_is_no_acceptance_even_under_not) {
  const Program p = program(R"({"not":{"items":{"items":{"type":"string"}}}})", {.steps_max = 10});
  EXPECT_EQ(p.check(document("[" + list_of(50, "[\"a\"]") + "]").root()), Verdict::too_complex);
}

TEST(SchemaBounds, F5_patterns_take_linear_time) {
  const Program p = program(R"json({"pattern":"(a+)+$"})json");
  EXPECT_FALSE(p.accepts(document('"' + std::string(100'000, 'a') + "b\"").root()));
  EXPECT_EQ(refusal(R"({"pattern":"((a{100}){100}){100}"})").code, ErrorCode::SCHEMA_TOO_COMPLEX);
}

TEST(SchemaBounds, F5_huge_enums_are_looked_up_not_searched) {
  std::string values;
  for (int i = 0; i < 50'000; ++i)
    values += (i ? ",\"value" : "\"value") + std::to_string(i) + "\",[" + std::to_string(i) + "]";
  const Program p = program(R"({"items":{"enum":[)" + values + "]}}");
  EXPECT_TRUE(p.accepts(document("[" + list_of(50'000, R"("value49999")") + "]").root()));
  EXPECT_TRUE(p.accepts(document("[" + list_of(50'000, "[49999]") + "]").root()));
  EXPECT_FALSE(p.accepts(document("[[50000]]").root()));
}

TEST(SchemaBounds, F5_unevaluated_properties_do_not_blow_up) {
  std::string branches;
  for (int i = 0; i < 200; ++i)
    branches += (i ? "," : "") + std::string(R"({"properties":{"p)") + std::to_string(i) +
                R"(":true},"unevaluatedProperties":true})";
  const Program p = program(R"({"anyOf":[)" + branches + R"(],"unevaluatedProperties":false})");
  std::string members;
  for (int i = 0; i < 500; ++i) members += (i ? ",\"p" : "\"p") + std::to_string(i) + "\":1";
  EXPECT_TRUE(p.accepts(document("{" + members + "}").root()));
}

TEST(SchemaBounds, F5_unique_items_of_many_elements_are_hashed) {
  std::string elements;
  for (int i = 0; i < 100'000; ++i) elements += (i ? ",{\"a\":" : "{\"a\":") + std::to_string(i) + "}";
  const Program p = program(R"({"uniqueItems":true})");
  EXPECT_TRUE(p.accepts(document("[" + elements + "]").root()));
  EXPECT_FALSE(p.accepts(document("[" + elements + R"(,{"a":99999.0}])").root()));
}

TEST(SchemaBounds, F5_a_loop_of_dynamic_references_ends) {
  const Program p =
      program(R"({"$id":"http://x/a","$dynamicAnchor":"n","anyOf":[{"type":"null"},{"$dynamicRef":"#n"}]})");
  EXPECT_TRUE(p.accepts(document("null").root()));
  EXPECT_EQ(p.check(document("1").root()), Verdict::too_complex);
}

TEST(SchemaProgram, objects_with_more_than_64_required_names_are_checked) {
  std::string names, members;
  for (int i = 0; i < 100; ++i) {
    names += (i ? ",\"n" : "\"n") + std::to_string(i) + "\"";
    if (i != 77) members += (i ? ",\"n" : "\"n") + std::to_string(i) + "\":1";
  }
  EXPECT_EQ(places(R"({"required":[)" + names + "]}", "{" + members + "}"), Places{" /required"});
  EXPECT_EQ(places(R"({"required":[)" + names + "]}", "{" + members + ",\"n77\":0}"), Places{});
}

TEST(SchemaProgram, numbers_compare_exactly) {
  EXPECT_EQ(places(R"({"maximum":9007199254740992})", "9007199254740993"), Places{" /maximum"});
  EXPECT_EQ(places(R"({"maximum":9007199254740992.0})", "9007199254740993"), Places{" /maximum"});
  EXPECT_EQ(places(R"({"minimum":9223372036854775808})", "9223372036854775807"), Places{" /minimum"});
  EXPECT_EQ(places(R"({"maximum":1.5})", "1"), Places{});
  EXPECT_EQ(places(R"({"exclusiveMaximum":1.5})", "2"), Places{" /exclusiveMaximum"});
  EXPECT_EQ(places(R"({"minimum":0.1})", "0.1"), Places{});
  EXPECT_EQ(places(R"({"exclusiveMinimum":0.1})", "0.1"), Places{" /exclusiveMinimum"});
  EXPECT_EQ(places(R"({"type":"integer","maximum":3})", "2.0"), Places{});
}

}  // namespace
}  // namespace parley::schema
