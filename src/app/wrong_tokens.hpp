// Somebody calls with tokens that are nobody's (I4): a line of the log at once, then one in ten seconds at most, with
// how many there were since the last. Never the token itself. Value type, the loop's.
#pragma once
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "observe/log.hpp"

namespace parley::app {

class WrongTokens {
 public:
  WrongTokens(base::Clock& clock, observe::Log& log) : clock_(clock), log_(log) {}

  void seen(std::string_view front) {
    ++count_;
    const base::Duration now = clock_.monotonic();
    if (now < quiet_until_) return;
    quiet_until_ = now + every;
    log_.warning("wrong_token", {{"front", front}, {"count", std::exchange(count_, 0)}});
  }

 private:
  static constexpr base::Duration every = std::chrono::seconds(10);

  base::Clock& clock_;
  observe::Log& log_;
  std::uint64_t count_ = 0;
  base::Duration quiet_until_{};
};

}  // namespace parley::app
