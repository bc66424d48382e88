// Texts in and out of JSON.
#pragma once
#include <string>
#include <string_view>

#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace parley::sim {

inline std::string quoted(std::string_view text) {
  std::string json;
  json::append_string(json, text);
  return json;
}

// Empty where there is none.
inline std::string text_at(json::Value root, std::string_view pointer) {
  return std::string(json::Pointer::parse(pointer).value().resolve(root).if_string().value_or(""));
}

}  // namespace parley::sim
