#include "engine/mailboxes/fairness.hpp"

namespace parley::engine {
namespace {

// With three lower levels, two others may be due at the same time and go first, each after one of the highest:
// 11 + 4 + its own turn = 16.
constexpr int passed_over_max = 11;
// So it is also where other takers, who may not have what waits for this one, go ahead each time.
constexpr int passed_over_last = 15;
constexpr base::Duration waiting_max = std::chrono::seconds(60);
// Until its own turn: the four above, itself, and the one after which it was first passed over.
constexpr int offers_to_come = 6;

}  // namespace

// By number, or because at the pace of the offers since it was first passed over its time would not be kept.
bool Fairness::due(std::size_t level, base::Instant now) const {
  const int passed = passed_over_[level];
  if (passed >= passed_over_max) return true;
  return passed > 0 && (now - passed_over_since_[level]) * (passed + offers_to_come) >= waiting_max * passed;
}

std::optional<envelope::Priority> Fairness::next(const Ready& ready, base::Instant now) const {
  std::optional<std::size_t> highest;
  std::optional<std::size_t> overdue;
  for (std::size_t level = ready.size(); level-- > 0;) {
    if (!ready[level]) continue;
    if (!highest) highest = level;
    // The highest as well: one that became so while it was due itself is not passed over again.
    if (due(level, now) && (!overdue || passed_over_since_[level] < passed_over_since_[*overdue])) overdue = level;
  }
  if (!highest) return std::nullopt;
  // Never twice in a row, for at a slow reader all lower levels are always due; whether the highest is still the same
  // level or not.
  const bool goes_ahead = overdue && (!went_ahead_ || passed_over_[*overdue] >= passed_over_last);
  return static_cast<envelope::Priority>(goes_ahead ? *overdue : *highest);
}

void Fairness::became_ready(envelope::Priority level) {
  passed_over_[static_cast<std::size_t>(level)] = 0;
}

void Fairness::served(envelope::Priority served_level, const Ready& ready_before, base::Instant now) {
  went_ahead_ = false;
  for (std::size_t level = 0; level < ready_before.size(); ++level) {
    if (!ready_before[level] || level == static_cast<std::size_t>(served_level)) continue;
    went_ahead_ = went_ahead_ || level > static_cast<std::size_t>(served_level);
    if (passed_over_[level] == 0) passed_over_since_[level] = now;
    if (passed_over_[level] < 255) ++passed_over_[level];
  }
  passed_over_[static_cast<std::size_t>(served_level)] = 0;
}

}  // namespace parley::engine
