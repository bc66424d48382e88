// JSON Schema 2020-12, compiled once to a flat program and run over parsed documents (D6).
// Schemas that cannot be compiled are refused with SCHEMA_INVALID (`where`: JSON Pointer of the keyword) or, over a
// bound counted in steps and never in time, SCHEMA_TOO_COMPLEX. What a schema may say: docs/reference/json-schema.md.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "json/value.hpp"
#include "schema/registry.hpp"

namespace parley::schema {

struct CompileOptions {
  std::string base_uri{};                    // what `$ref` is relative to, where the schema has no `$id`
  bool assert_formats = false;               // else `format` only annotates
  std::uint32_t schemas_max = 20'000;        // subschemas in use
  std::uint32_t pattern_cost_max = 100'000;  // RE2 instructions of all patterns
  std::uint64_t steps_max = 2'000'000;       // of validating one document; a step is some 10 ns
};

struct ExplainOptions {
  std::size_t problems_max = 16;
  bool hide_values = false;  // for private messages: texts name types only, nothing of a value
};

// How many defects there are: so many, or, where long lists of them were not looked through, at least so many.
struct Tally {
  std::size_t found = 0;
  bool at_least = false;
};

enum class Verdict : std::uint8_t { accepted, refused, too_complex };

// Value type, cheap to copy. Read by any thread.
class Program {
 public:
  // The hot path: no exceptions, and no allocation but for arrays or objects of unusual size.
  bool accepts(const json::Value& document) const { return check(document) == Verdict::accepted; }
  Verdict check(const json::Value& document) const;

  // Every defect, each once, at its place: `instance` is a JSON Pointer into the document, `schema` the evaluated path:
  // keywords and names from the root schema down, through `$ref`, ending in the keyword: /properties/to/$ref/pattern.
  // Of anyOf and oneOf the branch that fits best is explained: one whose const and enum match, then the one with the
  // fewest defects; where none comes near, the defect is the anyOf or oneOf itself. Empty exactly where accepted.
  // Of more than problems_max those nearest the root. An array, or the members that no schema names, in which twice as
  // many were found, is looked through no further (D11). `tally`, where given, becomes the number of all.
  std::vector<base::Problem> explain(const json::Value& document, const ExplainOptions& options = {},
                                     Tally* tally = nullptr) const;

 private:
  friend base::Result<Program> compile(std::string_view, const Registry&, const CompileOptions&);
  std::shared_ptr<const struct Code> code_;
};

base::Result<Program> compile(std::string_view schema_json, const Registry& registry = {},
                              const CompileOptions& options = {});

}  // namespace parley::schema
