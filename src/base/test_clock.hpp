// The seams of clock.hpp in a test's hands: time that stands still until it is moved, time that passes and is moved as
// well, and randomness that repeats.
#pragma once
#include <atomic>

#include "base/clock.hpp"
#include "base/splitmix.hpp"

namespace parley::base {

class TestClock final : public Clock {
 public:
  Instant wall() override { return instant_of(1'770'109'200'000'000) + passed; }  // from 2026-02-03T09:00:00Z on
  Duration monotonic() override { return (passed += each_look) - slept; }
  Duration suspended() override { return slept; }

  Duration passed{};  // slept too
  Duration slept{};
  Duration each_look{};  // passes with it
};

// For what waits for the world outside as well: the system's time, and what a test adds to it in place of sleeping. Any
// thread.
class RunningClock final : public Clock {
 public:
  Instant wall() override { return system_.wall() + added_.load(); }
  Duration monotonic() override { return system_.monotonic() + added_.load(); }

  void put_forward(Duration by) { added_ = added_.load() + by; }  // one thread alone

 private:
  SystemClock system_;
  std::atomic<Duration> added_{};
};

class TestRandom final : public Random {
 public:
  explicit TestRandom(std::uint64_t seed = 42) : state_(seed) {}
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(next_mixed(state_) >> 56);
  }

 private:
  std::uint64_t state_;
};

}  // namespace parley::base
