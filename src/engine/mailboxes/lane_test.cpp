// R32: long lanes against a plain map, so that places given back at the front and moves in the middle are seen too.
#include "engine/mailboxes/lane.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

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
  for (int step = 0; step < steps; ++step) {
    const auto what = *rc::gen::inRange(0, 10);
    const auto pick = *rc::gen::inRange<std::size_t>(0, 1000);
    if (model.empty() || what < 4) {
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
    if (step % 16 == 0) agree(lane, model);
  }
  agree(lane, model);
}

}  // namespace
}  // namespace parley::engine
