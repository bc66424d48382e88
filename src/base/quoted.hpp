// Names as refusals and notices show them: in quotes, a long one cut, of many the first.
#pragma once
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "base/excerpt.hpp"
#include "base/joined.hpp"

namespace parley::base {

inline std::string quoted(std::string_view name) {
  return "'" + excerpt(name, 128) + "'";
}

// "'a', 'b'"; with "…" after the first `most`.
inline std::string listed(const std::vector<std::string>& names, std::size_t most = 20) {
  const std::string list = joined(names | std::views::take(most), quoted);
  return names.size() > most ? list + ", …" : list;
}

}  // namespace parley::base
