// MSH-14, reliability D5: no priority starves, and what an offer changes is what its selection foresaw.
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

// One taker. Notes of each level how long it waited, in offers and in time: since it was served, or has something
// ready.
class Service {
 public:
  void put(Priority priority, std::uint64_t lane = 0) {
    const Entry entry{Offset(++last_), LaneId(lane), priority};
    entries_[entry.offset] = entry;
    mailbox_.queue(entry);
    if (++count_[priority] == 1) since_[priority] = {offers_, now_};
  }

  Priority offer(base::Duration after) {
    now_ += after;
    const Offset offset = Selection(mailbox_, whoever, now_).next();
    const Entry entry = entries_.at(offset);
    mailbox_.offer(entry, whoever, false, now_);
    mailbox_.settle(entry, whoever);
    entries_.erase(offset);
    ++offers_;
    for (const auto& [level, count] : count_) {
      if (count == 0) continue;
      const auto& [at_offer, at_time] = since_[level];
      offers_waited_[level] = std::max(offers_waited_[level], offers_ - at_offer);
      longest_wait_[level] = std::max(longest_wait_[level], now_ - at_time);
    }
    --count_[entry.priority];
    since_[entry.priority] = {offers_, now_};
    return entry.priority;
  }

  std::uint64_t count(Priority priority) { return count_[priority]; }
  std::uint64_t offers_waited(Priority priority) { return offers_waited_[priority]; }
  base::Duration longest_wait(Priority priority) { return longest_wait_[priority]; }

 private:
  Mailbox mailbox_;
  std::map<Offset, Entry> entries_;
  std::uint64_t last_ = 0, offers_ = 0;
  Instant now_ = start;
  std::map<Priority, std::uint64_t> count_;
  std::map<Priority, std::pair<std::uint64_t, Instant>> since_;
  std::map<Priority, std::uint64_t> offers_waited_;
  std::map<Priority, base::Duration> longest_wait_;
};

constexpr std::array lower{Priority::low, Priority::normal, Priority::high};

// Something critical is always ready, and the lower levels have more than they get. What was offered of each.
std::map<Priority, int> unbroken_load(Service& service, int offers, base::Duration an_offer) {
  std::map<Priority, int> offered;
  for (const Priority level : lower)
    for (int i = 0; i < offers; ++i) service.put(level);
  for (int i = 0; i < offers; ++i) {
    service.put(Priority::critical);
    ++offered[service.offer(an_offer)];
  }
  return offered;
}

TEST(Fairness, D5_MSH_14_each_lower_level_gets_one_in_16_offers_under_unbroken_critical_load) {
  Service service;
  auto offered = unbroken_load(service, 20'000, 1ms);
  for (const Priority level : lower) {
    EXPECT_GE(offered[level], 20'000 / 16) << name(level);
    EXPECT_LE(service.offers_waited(level), 16u) << name(level);
  }
  EXPECT_GT(offered[Priority::critical], 14'000);  // critical ones do come first
}

TEST(Fairness, D5_MSH_14_no_level_waits_longer_than_60_s_where_an_offer_takes_10_s_at_most) {
  for (const base::Duration an_offer : std::initializer_list<base::Duration>{500ms, 3s, 4s, 5s, 6s, 7s, 8s, 9s, 10s}) {
    Service service;
    auto offered = unbroken_load(service, 1'000, an_offer);
    for (const Priority level : lower) {
      EXPECT_LE(service.longest_wait(level), 60s) << name(level) << ' ' << an_offer;
      EXPECT_LE(service.offers_waited(level), 16u) << name(level) << ' ' << an_offer;
    }
    EXPECT_GE(offered[Priority::critical], an_offer <= 3s ? 700 : 500) << an_offer;
  }
}

TEST(Fairness, D5_MSH_14_critical_ones_get_every_second_offer_however_slow_the_taker_is) {
  for (const base::Duration an_offer : std::initializer_list<base::Duration>{11s, 40s, 1h}) {
    Service service;
    auto offered = unbroken_load(service, 600, an_offer);
    EXPECT_EQ(offered[Priority::critical], 300) << an_offer;
    EXPECT_LE(service.offers_waited(Priority::critical), 2u) << an_offer;
    for (const Priority level : lower) EXPECT_LE(service.offers_waited(level), 6u) << name(level) << ' ' << an_offer;
  }
}

// Where the highest level runs dry the next one takes its place, and not the place of one that is due.
TEST(Fairness, D5_MSH_14_a_level_that_becomes_the_highest_keeps_none_waiting_longer) {
  for (int with_critical = 0; with_critical < 40; ++with_critical) {
    Service service;
    for (int i = 0; i < 20; ++i)
      for (const Priority level : lower) service.put(level);
    for (int i = 0; i < with_critical; ++i) {
      service.put(Priority::critical);
      service.offer(0s);
    }
    for (int i = 0; i < 20; ++i) service.offer(0s);
    EXPECT_LE(service.offers_waited(Priority::low), 16u) << with_critical;
  }
}

TEST(Fairness, D5_MSH_14_a_level_that_becomes_the_highest_while_it_is_due_is_not_passed_over_again) {
  Service service;
  service.put(Priority::normal);
  service.put(Priority::low);
  for (int i = 0; i < 11; ++i) {
    service.put(Priority::critical);
    ASSERT_EQ(service.offer(0s), Priority::critical);
  }
  EXPECT_EQ(service.offer(0s), Priority::normal);
  EXPECT_EQ(service.offer(0s), Priority::low);
}

// What stands in a lane that somebody holds is for that taker alone, and each goes ahead of the highest in its turn.
TEST(Fairness, D5_what_one_taker_alone_may_have_does_not_starve_behind_the_offers_of_another) {
  constexpr Fairness::Ready of_one{true, false, true, true}, of_another{true, true, false, true};  // from low on
  Fairness fairness;
  Instant now = start;
  int high_waited = 0, normal_waited = 0;  // offers to who may have it
  const auto offer = [&](const Fairness::Ready& ready, Priority own, int& waited) {
    const auto offered = fairness.next(ready, now);
    fairness.served(*offered, ready, now);
    waited = offered == own ? 0 : waited + 1;
    return waited;
  };
  for (int i = 0; i < 60; ++i) {
    now += 20s;
    ASSERT_LE(offer(of_another, Priority::normal, normal_waited), 15);
    now += 5s;
    ASSERT_LE(offer(of_one, Priority::high, high_waited), 15);
  }
}

TEST(Fairness, MSH_14_urgent_comes_first_however_long_nobody_took) {
  Service service;
  for (const Priority level : lower) service.put(level);
  service.put(Priority::critical);
  EXPECT_EQ(service.offer(1h), Priority::critical);
  EXPECT_EQ(service.offer(0s), Priority::high);
  EXPECT_EQ(service.offer(0s), Priority::normal);
  EXPECT_EQ(service.offer(0s), Priority::low);
}

// Whatever comes when, and however fast the taker is from one offer to the next.
RC_GTEST_PROP(Fairness, D5_MSH_14_no_level_starves, ()) {
  Service service;
  for (int i = 0; i < 300; ++i) {
    const auto puts = *rc::gen::inRange(0, 3);
    for (int put = 0; put < puts; ++put) service.put(static_cast<Priority>(*rc::gen::inRange(0, 4)));
    const bool critical_waits = service.count(Priority::critical) > 0;
    if (!critical_waits && service.count(Priority::high) + service.count(Priority::normal) == 0 &&
        service.count(Priority::low) == 0)
      continue;
    service.offer(
        std::chrono::milliseconds(*rc::gen::weightedElement<int>({{4, 0}, {2, 900}, {1, 10'000}, {1, 70'000}})));
  }
  RC_ASSERT(service.offers_waited(Priority::critical) <= 2u);
  for (const Priority level : lower) RC_ASSERT(service.offers_waited(level) <= 16u);
}

// A lane stands anew whenever something is put behind its head: that must not count as having been served.
TEST(Fairness, D5_a_lane_that_grows_while_it_waits_does_not_starve) {
  Service service;
  service.put(Priority::low, 5);
  int low = 0;
  for (int i = 0; i < 1'600; ++i) {
    service.put(Priority::critical);
    service.put(Priority::low, 5);
    if (service.offer(1ms) == Priority::low) ++low;
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
    mailbox.queue(entry);
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
      mailbox.give_back(entries.at(offset), taker);
    }
  }
}

}  // namespace
}  // namespace parley::engine
