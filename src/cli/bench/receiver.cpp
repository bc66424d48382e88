// A delivery counts as repeated where its attempt is not the first; acked where the server said done.
#include "cli/bench/receiver.hpp"

#include <algorithm>

namespace parley::cli::bench {

bool Receiver::take(const sdk::Delivery& delivery, Duration now, Mark& mark) {
  if (delivery.by_server || !marks_.find(delivery.message, mark)) return false;
  ++tally_->delivered;
  if (delivery.attempt > 1) ++tally_->repeated;
  tally_->delivery_latency.add(now - Duration(static_cast<std::int64_t>(mark.due_us)));
  ids_.emplace_back(delivery.delivery_id);
  numbers_.push_back(mark.number);
  return true;
}

std::span<const std::string_view> Receiver::next_ids(std::size_t at_most) {
  views_.assign(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(std::min(at_most, ids_.size())));
  return views_;
}

AckSheet Receiver::drop_taken() {
  const auto count = static_cast<std::ptrdiff_t>(views_.size());
  AckSheet sheet;
  sheet.numbers.assign(numbers_.begin(), numbers_.begin() + count);
  ids_.erase(ids_.begin(), ids_.begin() + count);
  numbers_.erase(numbers_.begin(), numbers_.begin() + count);
  views_.clear();
  return sheet;
}

void Receiver::take_statuses(const AckSheet& sheet, json::Value results, const std::optional<base::Error>& error,
                             Duration now) {
  tally_->last_ack = now;
  const auto settle = [this](std::uint64_t number, bool done) {
    if (!done) {
      ++tally_->not_acked;
      return;
    }
    ++tally_->acked;
    tally_->acked_sum += hash_of(number);
  };
  if (error || results.size() != sheet.numbers.size()) {
    for (const auto number : sheet.numbers) settle(number, !error);
    return;
  }
  std::size_t i = 0;
  for (const auto result : results.elements()) settle(sheet.numbers[i++], result.find("status").if_string() == "done");
}

}  // namespace parley::cli::bench
