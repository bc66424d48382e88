#include "base/glob.hpp"

#include <algorithm>

namespace parley::base {
namespace {

bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name == ".." || name == "." || name.empty()) return false;
    at = end + 1;
  }
  return true;
}

// "**/" and a "**" at the end.
bool is_any_names(std::string_view glob) {
  return glob.starts_with("**") && (glob.size() == 2 || glob[2] == '/');
}

}  // namespace

// Where it does not go on, the newest star takes one character more; `*` before `**`, for what a later star took can be
// had by an earlier one as well.
bool glob_matches(std::string_view glob, std::string_view path) {
  std::uint64_t steps = 0;
  return glob_matches(glob, path, steps);
}

bool glob_matches(std::string_view glob, std::string_view path, std::uint64_t& steps) {
  ++steps;
  if (!stays_inside(path)) return false;
  constexpr std::size_t none = std::string_view::npos;
  std::size_t g = 0, p = 0;
  std::size_t star_g = none, star_p = 0, names_g = none, names_p = 0;
  bool at_name = true;  // p stands at the beginning of a name
  while (p < path.size()) {
    ++steps;
    const bool both_begin = at_name && (g == 0 || glob[g - 1] == '/');
    if (g < glob.size() && both_begin && is_any_names(glob.substr(g))) {
      if (g + 2 == glob.size()) return true;
      names_g = g += 3;
      names_p = p;
      star_g = none;
      continue;
    }
    if (g < glob.size() && glob[g] == '*') {
      star_g = ++g;
      star_p = p;
      continue;
    }
    if (g < glob.size() && (glob[g] == path[p] || (glob[g] == '?' && path[p] != '/'))) {
      at_name = path[p] == '/';
      ++g, ++p;
      continue;
    }
    if (star_g != none && path[star_p] != '/') {
      g = star_g;
      p = ++star_p;
    } else if (names_g != none && path.find('/', names_p) != none) {
      g = names_g;
      p = names_p = path.find('/', names_p) + 1;
      star_g = none;
    } else {
      return false;
    }
    at_name = path[p - 1] == '/';
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace parley::base
