// The formats of JSON Schema 2020-12 §7.3 that Parley can assert. Pure functions of text; each by the RFC it names.
#pragma once
#include <string_view>

namespace parley::schema {

using FormatCheck = bool (*)(std::string_view text);

// Null for a format that is not checked: it stays an annotation (idn-hostname, and names nobody defined).
FormatCheck format_check(std::string_view name);

}  // namespace parley::schema
