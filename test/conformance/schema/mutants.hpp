// For tests: one broken copy of a valid document for each keyword that applies to it, and the place where the defect
// must be reported. Made from the schema's text, not from its compiled form, so that it can judge the latter.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"
#include "schema/registry.hpp"

namespace parley::schema {

struct Mutant {
  std::string json;
  std::string instance;  // as base::Problem has them
  std::string schema;
};

// Follows properties, items, prefixItems, allOf and `$ref`; breaks type, const, enum, the bounds of numbers, lengths,
// items and members, multipleOf, pattern, uniqueItems, required, and additionalProperties and unevaluatedProperties
// that are false. A mutant may break more than the keyword it is for. Alternatives (anyOf, oneOf, if) are not entered.
base::Result<std::vector<Mutant>> mutants_of(std::string_view schema_json, const json::Value& valid,
                                             const Registry& registry = {}, std::string_view base_uri = {});

}  // namespace parley::schema
