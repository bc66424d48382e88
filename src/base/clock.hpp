// The seams for time and randomness: whatever needs them takes these, so that the simulator can run it.
#pragma once
#include <cstdint>
#include <span>

#include "base/time.hpp"

namespace parley::base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant wall() = 0;        // may jump
  virtual Duration monotonic() = 0;  // since an arbitrary point; never goes back while the process lives
  // How long the machine was suspended, since an arbitrary point: monotonic() stood still meanwhile. To some
  // microseconds.
  virtual Duration suspended() { return {}; }
};

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;

  std::uint64_t next() {
    std::uint64_t value = 0;
    fill({reinterpret_cast<std::uint8_t*>(&value), sizeof value});
    return value;
  }
};

class SystemClock final : public Clock {
 public:
  Instant wall() override;
  Duration monotonic() override;
  Duration suspended() override;
};

class SystemRandom final : public Random {  // the kernel's, fit for secrets
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

}  // namespace parley::base
