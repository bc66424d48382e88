// The canonical kinds' fields, from spec/envelope/kinds.json (R2): what a profile may map its own fields to.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "envelope/kind.hpp"
#include "json/value.hpp"

namespace parley::profile {

enum class FieldType : std::uint8_t { string, instant, integer, number, boolean, list, object, any };

// Whether the envelope takes a field along: not, until a translation asks; for the decision alone; into the event.
enum class Carried : std::uint8_t { no, to_decide, yes };

struct CanonicalField {
  std::string name;
  FieldType type{};
  bool required = false;  // every type of the kind maps it
  Carried carried{};
};

// Whether a value can stand in a field of this type. Where data are plain (R41) it may not: then the field is absent.
bool is_of(FieldType type, json::Value value);

// Of one kind, in the order of the file; and one of them, null where the kind has none of this name.
const std::vector<CanonicalField>& fields_of(envelope::Kind kind);
const CanonicalField* field_named(envelope::Kind kind, std::string_view name);

}  // namespace parley::profile
