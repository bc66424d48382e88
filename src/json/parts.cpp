#include "json/parts.hpp"

#include <algorithm>
#include <string>

#include "json/parser.hpp"

namespace parley::json {
namespace {

constexpr std::string_view whitespace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(whitespace);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(whitespace) - first + 1);
}

// Behind the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

bool parts_objects(std::string_view text, std::size_t comma) {
  const std::size_t before = comma == 0 ? text.npos : text.find_last_not_of(whitespace, comma - 1);
  const std::size_t behind = text.find_first_not_of(whitespace, comma + 1);
  return before != text.npos && behind != text.npos && text[before] == '}' && text[behind] == '{';
}

bool string_parts_objects(std::string_view string) {
  for (std::size_t comma = string.find(','); comma != string.npos; comma = string.find(',', comma + 1))
    if (parts_objects(string, comma)) return true;
  return false;
}

// A quote too many, or a bracket too few, makes one part of several objects: what was between two of them is then in a
// string, or in an object, where a name would have to follow.
bool may_be_several(std::string_view part) {
  std::string open;
  for (std::size_t at = 0; at < part.size(); ++at) {
    const char c = part[at];
    if (c == '"') {
      const std::size_t end = std::min(end_of_string(part, at), part.size());
      if (string_parts_objects(part.substr(at, end - at))) return true;
      at = end - 1;
    } else if (c == '[' || c == '{') {
      open += c;
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    } else if (c == ',' && open.ends_with('{') && parts_objects(part, at)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::string_view>> parts_of(std::string_view text, std::size_t most) {
  text = trimmed(text);
  const bool is_array = text.starts_with('[') && text.ends_with(']');
  const bool is_object = text.starts_with('{') && text.ends_with('}');
  if (text.size() < 2 || (!is_array && !is_object)) return std::nullopt;
  text = trimmed(text.substr(1, text.size() - 2));
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '"') {
      at = end_of_string(text, at) - 1;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth-- == 0) return std::nullopt;
    } else if (c == ',' && depth == 0) {
      if (parts.size() == most) return std::nullopt;
      parts.push_back(trimmed(text.substr(begin, at - begin)));
      if (parts.back().empty()) return std::nullopt;
      begin = at + 1;
    }
  }
  if (begin != text.size() + 1) return std::nullopt;  // a bracket or a string is open
  return parts;
}

bool is_one_part(std::string_view part) {
  if (part.find_first_of("{}") == part.npos) return Parser().parse(part).has_value();
  if (!part.starts_with('{') || !part.ends_with('}')) return false;
  return !may_be_several(part) || Parser().parse(part).has_value();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != line.npos) lines.push_back(line);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace parley::json
