#include "schema/report.hpp"

#include <algorithm>

#include "json/writer.hpp"
#include "schema/code.hpp"

namespace parley::schema {

void Report::add(const Trail<true>& trail, std::string message) {
  ++found;
  const std::uint32_t depth = depth_of(trail.instance());
  if (!make_room(depth)) return;
  problems.push_back({pointer_of(trail.instance()), pointer_of(trail.schema()), std::move(message)});
  depths.push_back(depth);
}

void Report::take_over(Report branch) {
  found += branch.found;
  cut_short |= branch.cut_short;
  for (std::size_t i = 0; i < branch.problems.size(); ++i) {
    if (!make_room(branch.depths[i])) continue;
    problems.push_back(std::move(branch.problems[i]));
    depths.push_back(branch.depths[i]);
  }
}

bool Report::make_room(std::uint32_t depth) {
  if (problems.size() < problems_max) return true;
  const auto deepest = std::max_element(depths.rbegin(), depths.rend());  // of equal ones the last
  if (deepest == depths.rend() || *deepest <= depth) return false;
  const auto at = std::distance(deepest, depths.rend()) - 1;
  problems.erase(problems.begin() + at);
  depths.erase(depths.begin() + at);
  return true;
}

std::size_t Report::distance(std::uint32_t depth) const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string& schema = problems[i].schema;
    const bool here = depths[i] == depth;
    const bool tells_apart = depths[i] <= depth + 1 && (schema.ends_with("/const") || schema.ends_with("/enum"));
    sum += here && schema.ends_with("/type") ? 10'000 : tells_apart ? 100 : 1;
  }
  return sum;
}

std::uint32_t depth_of(const Link<true>* link) {
  std::uint32_t depth = 0;
  for (; link; link = link->up) ++depth;
  return depth;
}

std::string shortened(std::string text, std::size_t characters) {
  std::size_t bytes = 0;
  for (std::size_t count = 0; bytes < text.size(); ++bytes)
    if ((static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80 && count++ == characters) break;
  if (bytes < text.size()) text.replace(bytes, text.npos, "…");
  return text;
}

std::string number_text(const json::Number& number) {
  std::string text;
  json::Writer writer(text);
  switch (number.kind) {
    case json::Number::Kind::integer:
      writer.integer(number.i);
      break;
    case json::Number::Kind::unsigned_integer:
      writer.unsigned_integer(number.u);
      break;
    case json::Number::Kind::real:
      writer.real(number.d);
      break;
  }
  return text;
}

std::string types_text(std::uint8_t bits) {
  std::string text;
  const auto add = [&](std::string_view name) { text.append(text.empty() ? "" : " or ").append(name); };
  if (bits & null_bit) add("null");
  if (bits & boolean_bit) add("boolean");
  if (bits & real_bit)
    add("number");
  else if (bits & integer_bit)
    add("integer");
  if (bits & string_bit) add("string");
  if (bits & array_bit) add("array");
  if (bits & object_bit) add("object");
  return text;
}

std::string found_text(json::Value v, bool hide) {
  std::string text(to_text(v.type()));
  if (hide || v.is_null()) return text;
  if (v.is_object() || v.is_array()) return text + " of " + std::to_string(v.size());
  if (v.is_string()) {
    std::string quoted;
    json::append_string(quoted, shortened(std::string(v.as_string()), 64));
    return text + " " + quoted;
  }
  return text + " " + json::to_text(v);
}

}  // namespace parley::schema
