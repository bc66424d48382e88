// Every mutant is refused, at exactly the place it was made for.
#include "mutants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "json/parser.hpp"
#include "schema/program.hpp"

namespace parley::schema {
namespace {

constexpr std::string_view schema_text = R"json({
  "type": "object", "required": ["id", "kind", "n"], "additionalProperties": false, "minProperties": 1,
  "properties": {
    "id": {"$ref": "#/$defs/id"},
    "kind": {"enum": ["a", "b"]},
    "version": {"const": "1"},
    "n": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 3},
    "x": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5},
    "list": {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true,
             "items": {"allOf": [{"type": "string", "minLength": 1, "maxLength": 5}]}},
    "pair": {"prefixItems": [{"type": "boolean"}, {"type": "null"}], "items": false},
    "more": {"properties": {"k": {"type": "string"}}, "unevaluatedProperties": false}
  },
  "$defs": {"id": {"type": "string", "pattern": "^[a-z]+$"}}
})json";

constexpr std::string_view valid_text =
    R"({"id":"abc","kind":"a","version":"1","n":3,"x":0.5,"list":["p","q"],"pair":[true,null],"more":{"k":"v"}})";

TEST(SchemaMutants, COR_04_each_is_refused_at_its_instance_and_schema_path) {
  const auto program = compile(schema_text);
  const auto valid = json::Document::parse(valid_text);
  ASSERT_TRUE(program && valid && program->accepts(valid->root()));
  const auto mutants = mutants_of(schema_text, valid->root());
  ASSERT_TRUE(mutants);
  std::set<std::string> keywords;
  for (const Mutant& mutant : *mutants) {
    const auto document = json::Document::parse(mutant.json);
    ASSERT_TRUE(document) << mutant.json;
    EXPECT_FALSE(program->accepts(document->root())) << mutant.schema << " " << mutant.json;
    const auto problems = program->explain(document->root());
    EXPECT_TRUE(std::any_of(problems.begin(), problems.end(),
                            [&](const base::Problem& problem) {
                              return problem.instance == mutant.instance && problem.schema == mutant.schema;
                            }))
        << mutant.instance << " " << mutant.schema << " in " << mutant.json;
    keywords.insert(mutant.schema.substr(mutant.schema.rfind('/') + 1));
  }
  EXPECT_EQ(keywords, (std::set<std::string>{"type", "required", "additionalProperties", "minProperties", "pattern",
                                             "enum", "const", "minimum", "maximum", "multipleOf", "exclusiveMinimum",
                                             "exclusiveMaximum", "minItems", "maxItems", "uniqueItems", "minLength",
                                             "maxLength", "unevaluatedProperties"}));
}

}  // namespace
}  // namespace parley::schema
