// Enumerators by the words that the outside has for them.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace parley::base {

// `words` are those of all enumerators, in their order. None: it is none of them.
template <class Enumeration, std::size_t n>
constexpr std::optional<Enumeration> named(const std::array<std::string_view, n>& words, std::string_view word) {
  for (std::size_t i = 0; i < n; ++i)
    if (words[i] == word) return static_cast<Enumeration>(i);
  return std::nullopt;
}

}  // namespace parley::base
