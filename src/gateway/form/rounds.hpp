// All values of a map are looked at in so many rounds, a part of them in each (D11). Fewer are left where some go:
// those behind them are looked at no later for that. Value type.
#pragma once
#include <algorithm>
#include <cstddef>

namespace parley::gateway::form {

template <class Key>
class Rounds {
 public:
  // The next round. `look` may erase the value that it is given.
  template <class Map, class Look>
  void next(Map& map, const Look& look) {
    looks_ = std::max(looks_, map.size() / rounds + 1);
    for (std::size_t left = std::min(looks_, map.size()); left > 0 && !map.empty(); --left) {
      auto at = map.upper_bound(last_);
      if (at == map.end()) at = map.begin();
      last_ = at->first;
      look(at->second);
    }
    if (map.empty()) looks_ = 0;
  }

 private:
  static constexpr std::size_t rounds = 8;

  Key last_{};             // that was looked at
  std::size_t looks_ = 0;  // a round; raised while there are more, until there is nothing
};

}  // namespace parley::gateway::form
