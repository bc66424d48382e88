// Words that were refused, until it can be judged whether they had to be: once all that they were decided on is folded.
// Value type.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace parley::sim {

template <class Word>
class Refusals {
 public:
  // Decided when the workspace's newest event was the one at `head`.
  void add(std::uint64_t head, Word word) { refused_.emplace_back(head, std::move(word)); }

  // Folded is all up to and with `head`. Those told of after what came behind them was folded are let go unjudged.
  template <class Judge>
  void judge(std::uint64_t head, Judge judge) {
    std::erase_if(refused_, [&](const auto& one) {
      if (one.first == head) judge(one.second);
      return one.first <= head;
    });
  }
  void clear() { refused_.clear(); }

 private:
  std::vector<std::pair<std::uint64_t, Word>> refused_;
};

}  // namespace parley::sim
