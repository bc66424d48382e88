// Engine time (D2): follows the monotonic clock, never goes back, resumes after a restart at the wall's time or, where
// that lies before it, at the last journaled one.
#pragma once
#include <algorithm>

#include "base/clock.hpp"

namespace parley::broker {

class TimeSource {
 public:
  explicit TimeSource(base::Clock& clock) : clock_(clock) { begin(clock.wall()); }

  // Returns how long the server was down.
  base::Duration resume(base::Instant last_journaled) {
    begin(std::max(clock_.wall(), last_journaled));
    return last_journaled == base::Instant{} ? base::Duration{} : engine_began_ - last_journaled;
  }
  base::Instant now() { return engine_began_ + (clock_.monotonic() - began_); }

  // How long the machine was suspended, where that was not skipped yet; nothing below a second, for two clocks that are
  // read one after the other differ by what passes between.
  base::Duration missed() {
    const base::Duration missed = clock_.suspended() - suspended_;
    return missed < std::chrono::seconds(1) ? base::Duration{} : missed;
  }
  void skip(base::Duration missed) {
    suspended_ += missed;
    engine_began_ += missed;
  }

 private:
  void begin(base::Instant at) {
    began_ = clock_.monotonic();
    suspended_ = clock_.suspended();
    engine_began_ = at;
  }

  base::Clock& clock_;
  base::Duration began_{};
  base::Duration suspended_{};
  base::Instant engine_began_;
};

}  // namespace parley::broker
