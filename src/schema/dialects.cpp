#include "schema/dialects.hpp"

namespace parley::schema {
namespace {

using base::ErrorCode;
using json::Value;

constexpr std::string_view dialect_2020_12 = "https://json-schema.org/draft/2020-12/schema";

base::Result<Vocabularies> read_vocabularies(Value metaschema, const std::string& dialect) {
  const Value declared = metaschema.find("$vocabulary");
  if (!declared) return Vocabularies{};
  Vocabularies found{.applicator = false, .unevaluated = false, .validation = false};
  constexpr std::string_view prefix = "https://json-schema.org/draft/2020-12/vocab/";
  for (const auto [uri, required] : declared.members()) {
    const std::string_view name = uri.starts_with(prefix) ? uri.substr(prefix.size()) : std::string_view();
    if (name == "applicator") {
      found.applicator = true;
    } else if (name == "unevaluated") {
      found.unevaluated = true;
    } else if (name == "validation") {
      found.validation = true;
    } else if (name == "format-assertion") {
      found.format_assertion = true;
    } else if (name != "core" && name != "meta-data" && name != "content" && name != "format-annotation" &&
               required.if_bool().value_or(false)) {
      return base::fail(ErrorCode::SCHEMA_INVALID,
                        "The dialect \"" + dialect + "\" requires the unknown vocabulary " + std::string(uri) + ".");
    }
  }
  return found;
}

}  // namespace

base::Result<Vocabularies> Dialects::of(const Place& place) {
  const Resource& resource = place.source->resources[place.resource];
  const std::string& dialect = resource.dialect;
  if (dialect.empty() || dialect == dialect_2020_12) return Vocabularies{};
  const auto known = known_.find(dialect);
  if (known != known_.end()) return known->second;
  const auto metaschema = resolver_.resource(dialect);
  if (!metaschema)
    return base::fail(ErrorCode::SCHEMA_INVALID, "The dialect \"" + dialect + "\" is not known here.",
                      pointer_to({place.source, resource.at}, "$schema"),
                      "Write the schema in 2020-12: \"$schema\": \"" + std::string(dialect_2020_12) + "\".");
  PARLEY_TRY(const Vocabularies declared, read_vocabularies(metaschema->source->at(metaschema->at), dialect));
  return known_[dialect] = declared;
}

}  // namespace parley::schema
