// D5, MSH-14: no priority starves, and what an offer changes is what its selection foresaw.
#include "engine/mailboxes/fairness.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "engine/mailboxes/selection.hpp"

namespace parley::engine {
namespace {

using namespace std::chrono_literals;

constexpr Instant start = base::instant_of(1'770'109'200'000'000);
constexpr SessionId whoever(7);

// One taker at service rate: as fast as critical messages come. Notes at each offer who waited how long.
class Service {
 public:
  explicit Service(base::Duration an_offer) : an_offer_(an_offer) {}

  void put(Priority priority, std::uint64_t lane = 0) {
    const Entry entry{Offset(++last_), LaneId(lane), priority};
    entries_[entry.offset] = entry;
    mailbox_.queue(entry, now_);
  }

  Priority offer() {
    now_ += an_offer_;
    const Offset offset = Selection(mailbox_, whoever, now_).next();
    const Entry entry = entries_.at(offset);
    mailbox_.offer(entry, whoever, false, now_);
    mailbox_.settle(entry, whoever, now_);
    entries_.erase(offset);
    ++offers_;
    auto& [at_offer, at_time] = newest_[entry.priority];
    if (at_offer != 0) {
      offers_between_[entry.priority] = std::max(offers_between_[entry.priority], offers_ - at_offer);
      longest_wait_[entry.priority] = std::max(longest_wait_[entry.priority], now_ - at_time);
    }
    at_offer = offers_;
    at_time = now_;
    return entry.priority;
  }

  std::uint64_t offers_between(Priority priority) { return offers_between_[priority]; }
  base::Duration longest_wait(Priority priority) { return longest_wait_[priority]; }

 private:
  const base::Duration an_offer_;
  Mailbox mailbox_;
  std::map<Offset, Entry> entries_;
  std::uint64_t last_ = 0, offers_ = 0;
  Instant now_ = start;
  std::map<Priority, std::pair<std::uint64_t, Instant>> newest_;
  std::map<Priority, std::uint64_t> offers_between_;
  std::map<Priority, base::Duration> longest_wait_;
};

constexpr std::array lower{Priority::low, Priority::normal, Priority::high};

TEST(Fairness, D5_MSH_14_each_lower_level_gets_one_in_16_offers_under_unbroken_critical_load) {
  Service service(1ms);
  for (const Priority level : lower)
    for (int i = 0; i < 5'000; ++i) service.put(level);
  std::map<Priority, int> offered;
  for (int i = 0; i < 20'000; ++i) {
    service.put(Priority::critical);
    ++offered[service.offer()];
  }
  for (const Priority level : lower) {
    EXPECT_GE(offered[level], 20'000 / 16) << name(level);
    EXPECT_LE(service.offers_between(level), 16u) << name(level);
    EXPECT_GT(service.offers_between(level), 1u) << name(level);  // critical ones do come first
  }
  EXPECT_GT(offered[Priority::critical], 10'000);
}

TEST(Fairness, D5_no_level_waits_longer_than_60_s_at_a_slow_taker) {
  Service service(9s);
  for (const Priority level : lower)
    for (int i = 0; i < 500; ++i) service.put(level);
  for (int i = 0; i < 1'000; ++i) {
    service.put(Priority::critical);
    service.offer();
  }
  for (const Priority level : lower) EXPECT_LE(service.longest_wait(level), 60s) << name(level);
}

// A lane stands anew whenever something is put behind its head: that must not count as having been served.
TEST(Fairness, D5_a_lane_that_grows_while_it_waits_does_not_starve) {
  Service service(1ms);
  service.put(Priority::low, 5);
  int low = 0;
  for (int i = 0; i < 1'600; ++i) {
    service.put(Priority::critical);
    service.put(Priority::low, 5);
    if (service.offer() == Priority::low) ++low;
  }
  EXPECT_GE(low, 100);
}

// What apply does with an Offered event, one by one, is what the selection said at once; its fairness goes the same
// way.
RC_GTEST_PROP(Selection, foresees_the_order_that_offers_make, ()) {
  Mailbox mailbox;
  std::map<Offset, Entry> entries;
  std::map<Offset, bool> final;
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 60);
  for (std::uint64_t i = 1; i <= count; ++i) {
    const Entry entry{Offset(i), LaneId(*rc::gen::inRange<std::uint64_t>(0, 5)),
                      static_cast<Priority>(*rc::gen::inRange(0, 4))};
    entries[entry.offset] = entry;
    final[entry.offset] = *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
    mailbox.queue(entry, start + std::chrono::seconds(*rc::gen::inRange(0, 60)));
  }
  // Some history, so that lanes are held and levels were passed over.
  const auto offer_some = [&](SessionId taker, Instant now, std::size_t most) {
    std::vector<Offset> order;
    Selection selection(mailbox, taker, now);
    for (std::size_t i = 0; i < most; ++i) {
      const Offset offset = selection.next();
      if (offset == Offset{}) break;
      order.push_back(offset);
    }
    for (const Offset expected : order) {
      RC_ASSERT(Selection(mailbox, taker, now).next() == expected);
      mailbox.offer(entries.at(expected), taker, final.at(expected), now);
    }
    return order;
  };
  for (int round = 1; round <= 4; ++round) {
    const SessionId taker(*rc::gen::inRange<std::uint64_t>(1, 4));
    const Instant now = start + std::chrono::seconds(60 + 20 * round);
    for (const Offset offset : offer_some(taker, now, *rc::gen::inRange<std::size_t>(0, 20))) {
      if (final.at(offset) || *rc::gen::arbitrary<bool>()) continue;
      mailbox.give_back(entries.at(offset), taker, now);
    }
  }
}

}  // namespace
}  // namespace parley::engine
