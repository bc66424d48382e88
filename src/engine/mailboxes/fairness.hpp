// No priority starves (issue "Parley runs" §5; D5): under unbroken load above, each lower level is offered at least
// 1 in 16, and a level that has something ready waits at most 60 s. Value type, part of the engine's state.
#pragma once
#include <array>
#include <optional>

#include "envelope/envelope.hpp"

namespace parley::engine {

class Fairness {
 public:
  using Ready = std::array<bool, envelope::priority_count>;

  // Which level to offer from next, given which have something ready; nothing where none has.
  std::optional<envelope::Priority> next(const Ready& ready, base::Instant now) const;

  void became_ready(envelope::Priority level, base::Instant now);
  void served(envelope::Priority level, const Ready& ready_before, base::Instant now);

  template <class Archive>
  void archive(Archive& a) {
    a(passed_over_, waiting_since_);
  }

 private:
  bool due(std::size_t level, base::Instant now) const;

  std::array<std::uint8_t, envelope::priority_count> passed_over_{};  // offers since its own last, while ready
  std::array<base::Instant, envelope::priority_count> waiting_since_{};
};

}  // namespace parley::engine
