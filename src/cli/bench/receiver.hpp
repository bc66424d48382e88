// What both kinds of consumers share: counting deliveries, and the ids that are to be acked.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/load.hpp"
#include "cli/bench/messages.hpp"
#include "sdk/cpp/delivery.hpp"

namespace parley::cli::bench {

// Deliveries of which the ack is not yet answered: the numbers of their messages.
struct AckSheet {
  std::uint64_t frame = 0;
  std::vector<std::uint64_t> numbers;
};

class Receiver {
 public:
  explicit Receiver(Tally& tally) : tally_(&tally) {}

  // Who needs to know of no message.
  struct Unheard {
    void operator()(const Mark&, std::string_view) const {}
  };
  // `each` is told the mark and the native bytes of each message that comes for the first time.
  template <class Each = Unheard>
  void take(sdk::Deliveries deliveries, Duration now, const Each& each = {}) {
    for (const sdk::Delivery& delivery : deliveries) {
      Mark mark;
      if (take(delivery, now, mark) && delivery.attempt == 1) each(mark, delivery.message);
    }
  }
  std::size_t pending() const { return ids_.size(); }

  // Up to `at_most` of what is to be acked; views are good until drop_taken.
  std::span<const std::string_view> next_ids(std::size_t at_most);
  AckSheet drop_taken();  // of the last next_ids

  // Statuses in order; none, and no error: all done.
  void take_statuses(const AckSheet& sheet, json::Value results, const std::optional<base::Error>& error, Duration now);

 private:
  bool take(const sdk::Delivery& delivery, Duration now, Mark& mark);  // false: it is none of this run's messages

  Tally* tally_;
  MarkFinder marks_;
  std::vector<std::string> ids_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string_view> views_;
};

}  // namespace parley::cli::bench
