// Which of a sender's ids may be forgotten by now, told by its messages' own timestamps (R8, decision 0001): a
// repetition has the timestamp of what it repeats, so it lies where something was forgotten. Value type.
//
// What was stamped more than a day ahead (R10) is kept apart: once that sender's clock is right again, its messages
// lie before all of it.
#pragma once
#include <algorithm>
#include <chrono>
#include <optional>

#include "base/time.hpp"

namespace parley::engine {

class Forgotten {
 public:
  struct Span {
    base::Instant first, last;

    template <class Archive>
    void archive(Archive& a) {
      a(first, last);
    }
  };

  void add(base::Instant sent_at, base::Instant accepted_at) {
    std::optional<Span>& span = sent_at > accepted_at + std::chrono::hours(24) ? ahead_ : usual_;
    if (!span) span = Span{sent_at, sent_at};
    *span = {std::min(span->first, sent_at), std::max(span->last, sent_at)};
  }
  // Where a message of this time may be one of them.
  std::optional<Span> around(base::Instant sent_at) const {
    for (const auto& span : {usual_, ahead_})
      if (span && sent_at >= span->first && sent_at <= span->last) return span;
    return std::nullopt;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(usual_, ahead_);
  }

 private:
  std::optional<Span> usual_, ahead_;
};

}  // namespace parley::engine
