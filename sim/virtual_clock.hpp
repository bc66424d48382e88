// Time that passes only when the simulator says so. The wall may jump, in either direction, while the server is down
// (reliability C2). Resource type, one thread.
#pragma once
#include "base/clock.hpp"

namespace parley::sim {

class VirtualClock final : public base::Clock {
 public:
  // The examples of the profiles are of 2026: a day before the first of them, none has expired.
  base::Instant wall() override { return base::Instant(std::chrono::sys_days(first_day)) + passed_ + jumped_; }
  base::Duration monotonic() override { return passed_ - suspended_; }
  base::Duration suspended() override { return suspended_; }

  void pass(base::Duration time) { passed_ += time; }
  void suspend(base::Duration time) { passed_ += time, suspended_ += time; }
  void jump(base::Duration by) { jumped_ += by; }
  base::Duration passed() const { return passed_; }  // true time, since the run began

 private:
  static constexpr std::chrono::year_month_day first_day{std::chrono::year(2026), std::chrono::month(1),
                                                         std::chrono::day(15)};
  base::Duration passed_{};
  base::Duration suspended_{};
  base::Duration jumped_{};
};

}  // namespace parley::sim
