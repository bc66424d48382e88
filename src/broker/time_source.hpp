// Engine time (D2): follows the monotonic clock, never goes back, resumes after a restart at the wall's time or, where
// that lies before it, at the last journaled one.
#pragma once
#include <algorithm>

#include "base/clock.hpp"

namespace parley::broker {

class TimeSource {
 public:
  explicit TimeSource(base::Clock& clock) : clock_(clock), began_(clock.monotonic()), engine_began_(clock.wall()) {}

  // Returns how long the server was down.
  base::Duration resume(base::Instant last_journaled) {
    began_ = clock_.monotonic();
    engine_began_ = std::max(clock_.wall(), last_journaled);
    return last_journaled == base::Instant{} ? base::Duration{} : engine_began_ - last_journaled;
  }
  base::Instant now() { return engine_began_ + (clock_.monotonic() - began_); }

 private:
  base::Clock& clock_;
  base::Duration began_;
  base::Instant engine_began_;
};

}  // namespace parley::broker
