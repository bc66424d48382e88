// Members of a call's body, which has passed its schema in spec/api/openapi.json: what is not there changes nothing.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/resources/amount.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"

namespace parley::broker {

inline std::string text_in(json::Value body, std::string_view key) {
  return std::string(body.find(key).if_string().value_or(""));
}

inline void read_texts(json::Value list, std::vector<std::string>& into) {
  if (!list) return;
  into.clear();
  for (const json::Value item : list.elements()) into.emplace_back(item.if_string().value_or(""));
}

inline engine::Amount read_amount(json::Value number) {
  return engine::amount_of(json::to_text(number)).value_or(engine::Amount{});
}

}  // namespace parley::broker
