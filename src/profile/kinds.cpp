#include "profile/kinds.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/named.hpp"
#include "json/parser.hpp"
#include "profile/embedded.hpp"

namespace parley::profile {
namespace {

using Table = std::array<std::vector<CanonicalField>, envelope::kind_names.size()>;

constexpr std::array<std::string_view, 8> type_names{"string",  "instant", "integer", "number",
                                                     "boolean", "list",    "object",  "any"};

FieldType type_named(std::string_view name) {
  const auto found = base::named<FieldType>(type_names, name);
  PARLEY_ASSERT(found);
  return *found;
}

// Mechanisms work on ids, words, numbers and times. Long texts, lists and objects would only be copied into every
// event.
Carried carried(FieldType type, json::Value stated) {
  if (stated.if_string() == "to_decide") return Carried::to_decide;
  const bool small = type != FieldType::list && type != FieldType::object && type != FieldType::any;
  return stated.if_bool().value_or(small) ? Carried::yes : Carried::no;
}

CanonicalField field_of(std::string_view name, json::Value stated) {
  const FieldType type = type_named(stated.find("type").as_string());
  return {std::string(name), type, stated.find("required").if_bool().value_or(false),
          carried(type, stated.find("carried"))};
}

// The file is part of the binary: what is wrong with it is our own bug.
Table table_of_spec() {
  const auto files = embedded_files();
  const auto file =
      std::find_if(files.begin(), files.end(), [](const EmbeddedFile& f) { return f.path == "envelope/kinds.json"; });
  PARLEY_ASSERT(file != files.end());
  const auto document = json::Document::parse(file->bytes);
  PARLEY_ASSERT(document.has_value());

  Table table;
  for (const auto [kind_name, kind] : document->root().find("kinds").members()) {
    const auto index = envelope::kind_named(kind_name);
    PARLEY_ASSERT(index.has_value());
    for (const auto [name, stated] : kind.find("fields").members())
      table[static_cast<std::size_t>(*index)].push_back(field_of(name, stated));
  }
  return table;
}

}  // namespace

bool is_of(FieldType type, json::Value value) {
  switch (type) {
    case FieldType::string:
    case FieldType::instant:
      return value.is_string();
    case FieldType::integer:
      return value.if_int().has_value();
    case FieldType::number:
      return value.is_number();
    case FieldType::boolean:
      return value.is_bool();
    case FieldType::list:
      return value.is_array();
    case FieldType::object:
      return value.is_object();
    case FieldType::any:
      break;
  }
  return !value.is_absent();
}

const std::vector<CanonicalField>& fields_of(envelope::Kind kind) {
  static const Table table = table_of_spec();
  return table[static_cast<std::size_t>(kind)];
}

const CanonicalField* field_named(envelope::Kind kind, std::string_view name) {
  for (const CanonicalField& field : fields_of(kind))
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace parley::profile
