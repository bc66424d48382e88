// Names as refusals and notices show them: in quotes, a long one cut, of many the first.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/excerpt.hpp"

namespace parley::base {

inline std::string quoted(std::string_view name) {
  return "'" + excerpt(name, 128) + "'";
}

// "'a', 'b'"; with "…" after the first `most`.
inline std::string listed(const std::vector<std::string>& names, std::size_t most = 20) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) list += (i > 0 ? ", " : "") + base::quoted(names[i]);
  return names.size() > most ? list + ", …" : list;
}

}  // namespace parley::base
