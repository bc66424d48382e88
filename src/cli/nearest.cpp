// Slips are letters left out, put in, replaced, or two of them swapped.
#include "cli/nearest.hpp"

#include <algorithm>

namespace parley::cli {
namespace {

std::size_t slips_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> slips(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        slips[i][j] = i + j;
        continue;
      }
      slips[i][j] = std::min({slips[i - 1][j] + 1, slips[i][j - 1] + 1, slips[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        slips[i][j] = std::min(slips[i][j], slips[i - 2][j - 2] + 1);
    }
  return slips[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > 64) return {};
  std::string best;
  std::size_t least = std::clamp<std::size_t>(word.size() / 3, 1, 2) + 1;
  for (const auto& one : known)
    if (const auto slips = slips_between(word, one); slips < least) {
      least = slips;
      best = one;
    }
  return best;
}

}  // namespace parley::cli
