// No priority starves (MSH-14, reliability D5). The highest level goes first, and of those below it one that is due
// at most every second time. What is promised of a level that has something ready while there are some above it:
// - of 16 offers it gets one at least; where an offer takes 4 s or more it is due sooner, down to one of 6;
// - it waits 60 s at most, where offers come at an even pace and take no more than 10 s; others have the promise in
//   offers alone.
// What nothing was taken before is not due, however long nobody takes. Value type, part of the engine's state.
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

  void became_ready(envelope::Priority level);
  void served(envelope::Priority level, const Ready& ready_before, base::Instant now);

  template <class Archive>
  void archive(Archive& a) {
    a(passed_over_, passed_over_since_, went_ahead_);
  }

 private:
  bool due(std::size_t level, base::Instant now) const;

  std::array<std::uint8_t, envelope::priority_count> passed_over_{};         // offers since its own last, while ready
  std::array<base::Instant, envelope::priority_count> passed_over_since_{};  // the first of these offers
  bool went_ahead_ = false;  // the last offer was of a level below the highest that had something ready
};

}  // namespace parley::engine
