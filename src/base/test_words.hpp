// Every short text of some letters, for tests that hold one thing against another over all of them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace parley::base {

// Of at most `most` letters, the empty one first.
inline std::vector<std::string> words_of(std::string_view letters, std::size_t most) {
  std::vector<std::string> words{""};
  for (std::size_t first = 0, size = 0; size < most; ++size) {
    const std::size_t end = words.size();
    for (; first < end; ++first)
      for (const char letter : letters) words.push_back(words[first] + letter);
  }
  return words;
}

}  // namespace parley::base
