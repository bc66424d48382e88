// Looking things up in a head: few fields, so a walk beats a table.
#include "net/http/head.hpp"

#include <algorithm>

namespace parley::net::http {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool list_names(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (same_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

bool Head::has(std::string_view name) const {
  return std::ranges::any_of(fields, [name](const Field& field) { return same_ignoring_case(field.name, name); });
}

std::string_view Head::find(std::string_view name) const {
  for (const auto& field : fields)
    if (same_ignoring_case(field.name, name)) return field.value;
  return {};
}

}  // namespace parley::net::http
