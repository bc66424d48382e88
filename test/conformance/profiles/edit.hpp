// JSON texts with one place changed. Pure functions for tests; places are JSON Pointers that lead somewhere.
#pragma once
#include <string>
#include <string_view>

#include "json/value.hpp"

namespace parley::conformance {

std::string replaced(json::Value document, json::Value place, std::string_view json);
std::string without_member(json::Value document, json::Value object, std::string_view key);
std::string with_member(json::Value document, json::Value object, std::string_view key, std::string_view json);

// The array's text with its first `keep` elements (all where there are fewer), then `more` times its last one.
std::string array_text(json::Value array, std::size_t keep, std::size_t more);

}  // namespace parley::conformance
