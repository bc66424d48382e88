#include "engine/mailboxes/fairness.hpp"

namespace parley::engine {
namespace {

// With three lower levels, two others may be due at the same time and go first: 13 + 2 + its own turn = 16.
constexpr std::uint8_t passed_over_max = 13;
// Half of the 60 s, so that other levels due at once and one slow offer still fit.
constexpr base::Duration waiting_max = std::chrono::seconds(30);

}  // namespace

bool Fairness::due(std::size_t level, base::Instant now) const {
  return passed_over_[level] >= passed_over_max || now - waiting_since_[level] >= waiting_max;
}

std::optional<envelope::Priority> Fairness::next(const Ready& ready, base::Instant now) const {
  std::optional<std::size_t> highest;
  std::optional<std::size_t> overdue;
  for (std::size_t level = ready.size(); level-- > 0;) {
    if (!ready[level]) continue;
    if (!highest) {
      highest = level;
    } else if (due(level, now) && (!overdue || waiting_since_[level] < waiting_since_[*overdue])) {
      overdue = level;
    }
  }
  const auto chosen = overdue ? overdue : highest;
  if (!chosen) return std::nullopt;
  return static_cast<envelope::Priority>(*chosen);
}

void Fairness::became_ready(envelope::Priority level, base::Instant now) {
  passed_over_[static_cast<std::size_t>(level)] = 0;
  waiting_since_[static_cast<std::size_t>(level)] = now;
}

void Fairness::served(envelope::Priority served_level, const Ready& ready_before, base::Instant now) {
  for (std::size_t level = 0; level < ready_before.size(); ++level)
    if (ready_before[level] && level != static_cast<std::size_t>(served_level) && passed_over_[level] < 255)
      ++passed_over_[level];
  became_ready(served_level, now);
}

}  // namespace parley::engine
