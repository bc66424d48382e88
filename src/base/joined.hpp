// Words in one line: "a, b, c".
#pragma once
#include <functional>
#include <string>

namespace parley::base {

// `shown`: what of each word, and how.
template <class Words, class Shown = std::identity>
std::string joined(const Words& words, const Shown& shown = {}) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ", ";
    line += std::invoke(shown, word);
  }
  return line;
}

}  // namespace parley::base
