#include "base/clock.hpp"

#include <sys/random.h>
#include <time.h>

#include "base/assert.hpp"

namespace parley::base {

Instant SystemClock::wall() {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

Duration SystemClock::monotonic() {
  return std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

Duration SystemClock::suspended() {
  timespec awake_and_asleep{};
  const Duration awake = monotonic();  // read first: never more than what was
  PARLEY_ASSERT(::clock_gettime(CLOCK_BOOTTIME, &awake_and_asleep) == 0);
  return std::chrono::floor<Duration>(std::chrono::seconds(awake_and_asleep.tv_sec) +
                                      std::chrono::nanoseconds(awake_and_asleep.tv_nsec)) -
         awake;
}

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    PARLEY_ASSERT(count > 0);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace parley::base
