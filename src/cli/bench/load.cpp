// Arithmetic only; the clock is the loop's.
#include "cli/bench/load.hpp"

#include <algorithm>
#include <cmath>

#include "base/splitmix.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli::bench {

std::size_t Schedule::due(Duration now, std::size_t at_most) const {
  if (over(now)) return 0;
  std::uint64_t due = at_most;
  if (paced()) {
    const auto limit = std::min(now, end_ - Duration(1));
    const auto all = static_cast<std::uint64_t>(std::floor(static_cast<double>(limit.count()) * per_second_ / 1e6)) + 1;
    due = all > sent_ ? all - sent_ : 0;
  }
  return static_cast<std::size_t>(std::min({due, std::uint64_t{at_most}, count_max_ - sent_}));
}

Duration Schedule::due_at(std::uint64_t index, Duration now) const {
  return paced() ? Duration(static_cast<std::int64_t>(std::ceil(static_cast<double>(index) * 1e6 / per_second_))) : now;
}

Duration Schedule::next(Duration now) const {
  if (sent_ >= count_max_) return Duration::max();
  const Duration at = due_at(sent_, now);
  return at < end_ ? at : Duration::max();
}

std::uint64_t hash_of(std::uint64_t number) {
  return base::next_mixed(number);
}

void Tally::refuse(const base::Error& error, std::uint64_t count) {
  using enum base::ErrorCode;
  const bool is_flow_control = error.code == OVERLOADED || error.code == RATE_LIMITED || error.code == MAILBOX_FULL;
  (is_flow_control ? held_back : refused) += count;
  if (!first_refusal) first_refusal = error;
}

bool Tally::take_outcome(json::Value outcome, std::uint64_t number, Duration latency) {
  if (const auto error = outcome.find("error")) {
    refuse(sdk::read_error(error, 422), 1);
    return false;
  }
  ack_latency.add(latency);
  ++accepted;
  accepted_sum += hash_of(number);
  if (outcome.find("status").if_string() == "duplicate") ++duplicates;
  return true;
}

}  // namespace parley::cli::bench
