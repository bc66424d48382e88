// The schemas of a built-in profile by the names that `parley schema` lists, with an example of each. Value types.
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"
#include "json/parser.hpp"
#include "profile/files.hpp"

namespace parley::cli {

inline constexpr json::Limits profile_file_limits{.bytes = 16 << 20};

// A type, a variant that has a schema of its own, or a record. A variant goes by the name of its schema's file.
struct NamedSchema {
  std::string name;
  std::string file;      // "schemas/task_handoff.schema.json"
  std::string examples;  // what the paths of its examples begin with: "examples/TASK_HANDOFF."
  json::Value entry;     // its own in profile.json
  json::Value type;      // of a variant: its type's entry, which says what it leaves out

  bool is_record() const { return !entry.find("kind") && !type; }
  json::Value find(std::string_view key) const {
    const json::Value own = entry.find(key);
    return own ? own : type.find(key);
  }
};

// `description`: of profile.json, which must outlive the answer. Types in its order, each before its variants; then the
// records.
std::vector<NamedSchema> named_schemas(json::Value description);

// With what it refers to among its `$defs`: each keeps its `$id`, by which references find it (JSON Schema 2020-12,
// §9.3), so that a validator needs nothing else.
base::Result<std::string> whole_schema(const std::string& file, const profile::Files& files);

// The plain one, or the first: that the schema accepts, for a type's examples are also those of its variants.
base::Result<std::string> example_of(const NamedSchema& named, const profile::Files& files);

}  // namespace parley::cli
