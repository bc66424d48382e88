// JSON texts with one place changed. Pure functions for tests; places are JSON Pointers that lead somewhere.
#pragma once
#include <string>
#include <string_view>

#include "json/value.hpp"

namespace parley::conformance {

std::string replaced(json::Value document, json::Value place, std::string_view json);
std::string without_member(json::Value document, json::Value object, std::string_view key);
std::string with_member(json::Value document, json::Value object, std::string_view key, std::string_view json);

// The text of an array of `count` elements: those of `array` in order, again from the first where they do not suffice.
std::string array_text(json::Value array, std::size_t count);

}  // namespace parley::conformance
