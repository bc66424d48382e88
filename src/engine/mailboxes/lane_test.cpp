// R32: lanes against a plain map: short ones, which come and go, and long ones, in which places are given back at the
// front and moved in the middle.
#include "engine/mailboxes/lane.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/archive.hpp"

namespace parley::engine {
namespace {

using base::Offset;
using envelope::Priority;

void agree(const Lane& lane, const std::map<Offset, Lane::Item>& model) {
  Lane::Counts unleased{};
  std::size_t leased = 0;
  auto head = model.end();
  for (auto at = model.begin(); at != model.end(); ++at) {
    if (at->second.state == Lane::State::leased) {
      ++leased;
      continue;
    }
    ++unleased[static_cast<std::size_t>(at->second.priority)];
    if (head == model.end()) head = at;
  }
  RC_ASSERT(lane.empty() == model.empty());
  RC_ASSERT(lane.leased() == (leased > 0));
  RC_ASSERT(lane.unleased() == unleased);
  RC_ASSERT((lane.head() == lane.end()) == (head == model.end()));
  if (head != model.end()) RC_ASSERT(lane.head()->offset == head->first);
  auto expected = model.begin();
  std::size_t leased_before = 0;
  for (auto item = lane.begin(); item != lane.end(); ++item) {
    RC_ASSERT(expected != model.end());
    RC_ASSERT(item->offset == expected->first);
    RC_ASSERT(item->state == expected->second.state);
    RC_ASSERT(lane.leased_from(item) >= leased - leased_before);
    if (item <= lane.head()) RC_ASSERT(lane.leased_from(item) == leased - leased_before);
    if (item->state == Lane::State::leased) ++leased_before;
    ++expected;
  }
  RC_ASSERT(expected == model.end());
}

RC_GTEST_PROP(Lane, R32_does_what_a_sorted_map_does, ()) {
  Lane lane;
  std::map<Offset, Lane::Item> model;
  std::uint64_t newest = 1000;
  const auto steps = *rc::gen::inRange(1, 600);
  const auto most = *rc::gen::element<std::size_t>(1, 2, 3, 1'000);  // messages at once
  for (int step = 0; step < steps; ++step) {
    const auto what = *rc::gen::inRange(0, 10);
    const auto pick = *rc::gen::inRange<std::size_t>(0, 1000);
    if (model.empty()) lane = {};  // as a mailbox does
    if (model.empty() || (what < 4 && model.size() < most)) {
      // Mostly the newest; now and then one of long ago comes back (a redriven one).
      const Offset offset(what == 0 && pick > 0 && !model.contains(Offset(pick)) ? pick : ++newest);
      const auto priority = static_cast<Priority>(pick % envelope::priority_count);
      lane.put_in(offset, priority);
      model[offset] = {offset, priority};
    } else {
      const std::size_t near = what < 8 ? pick % std::min<std::size_t>(3, model.size()) : pick % model.size();
      const auto at = std::next(model.begin(), static_cast<std::ptrdiff_t>(near));
      if (what < 7) {
        lane.take_out(at->first);
        model.erase(at);
      } else {
        at->second.state = static_cast<Lane::State>(pick % 3);
        lane.become(at->first, at->second.state);
      }
    }
    if (most < 4 || step % 16 == 0) agree(lane, model);
  }
  agree(lane, model);
}

std::string saved(Lane& lane) {
  std::string bytes;
  const std::function<bool(std::string_view)> take = [&](std::string_view piece) {
    bytes += piece;
    return true;
  };
  Saver saver(take);
  saver(lane);
  saver.flush();
  return bytes;
}

// D2: what was in it before does not show in a snapshot.
TEST(Lane, IsSavedAsTheMessagesInItWhateverItHeldBefore) {
  Lane short_one, long_one;
  long_one.put_in(Offset(7), Priority::high);
  long_one.become(Offset(7), Lane::State::backing_off);
  long_one.put_in(Offset(3), Priority::low);  // one that was redriven
  for (Lane* const lane : {&short_one, &long_one}) {
    lane->put_in(Offset(9), Priority::normal);
    lane->become(Offset(9), Lane::State::leased);
    lane->holder = base::SessionId(5);
  }
  EXPECT_EQ(long_one.begin()[1].state, Lane::State::backing_off);
  long_one.take_out(Offset(3));
  long_one.take_out(Offset(7));
  const std::string bytes = saved(short_one);
  EXPECT_EQ(saved(long_one), bytes);

  std::string_view left = bytes;
  const std::function<std::string_view()> next = [&] { return std::exchange(left, {}); };
  Loader loader(next, bytes.size());
  Lane loaded;
  loader(loaded);
  ASSERT_TRUE(loader.complete());
  EXPECT_EQ(saved(loaded), bytes);
  EXPECT_TRUE(loaded.leased());
}

}  // namespace
}  // namespace parley::engine
