#include "engine/mailboxes/selection.hpp"

#include <algorithm>

namespace parley::engine {

Selection::Selection(const Mailbox& mailbox, SessionId session, Instant now)
    : mailbox_(mailbox), now_(now), fairness_(mailbox.fairness()) {
  static const StandingSet none;
  for (std::size_t level = 0; level < candidates_.size(); ++level) {
    const Level& at = mailbox.levels()[level];
    const auto held = at.held.find(session);
    const StandingSet& mine = held == at.held.end() ? none : held->second;
    const bool for_others = at.held.size() > (held == at.held.end() ? 0u : 1u);
    candidates_[level] = {at.free.begin(), at.free.end(), mine.begin(), mine.end(), {}, for_others};
  }
}

Standing Selection::Candidates::pop() {
  const auto before = [](bool a_there, const auto& a, bool b_there, const auto& b) {
    return a_there && (!b_there || *a < *b);
  };
  const auto again = restood.begin();
  const bool free_there = free != free_end;
  const bool held_there = held != held_end;
  const bool again_there = again != restood.end();
  if (before(free_there, free, held_there, held) && before(free_there, free, again_there, again)) return *free++;
  if (before(held_there, held, again_there, again)) return *held++;
  const Standing standing = *again;
  restood.erase(again);
  return standing;
}

void Selection::stand_anew(LaneId id) {
  const Lane& lane = mailbox_.lanes().at(id);
  if (lane.next(lane.head()) == lane.end()) return;  // the usual lane holds one
  LaneLeft& left = lanes_.try_emplace(id, LaneLeft{lane.head(), lane.unleased()}).first->second;
  --left.unleased[index(left.head->priority)];
  left.head = lane.next(left.head);
  if (left.head == lane.end() || left.head->state == Lane::State::backing_off) return;
  const auto highest = std::find_if(left.unleased.rbegin(), left.unleased.rend(), [](auto n) { return n > 0; });
  const auto level = static_cast<std::size_t>(left.unleased.rend() - highest - 1);
  Candidates& at = candidates_[level];
  if (at.empty() && !at.for_others) fairness_.became_ready(static_cast<Priority>(level));
  at.restood.insert({left.head->offset, id});
}

Offset Selection::next() {
  Fairness::Ready ready{};
  for (std::size_t level = 0; level < ready.size(); ++level) ready[level] = !candidates_[level].empty();
  const auto level = fairness_.next(ready, now_);
  if (!level) return {};
  const Standing standing = candidates_[index(*level)].pop();
  fairness_.served(*level, ready, now_);
  if (standing.lane != LaneId{}) stand_anew(standing.lane);
  return standing.head;
}

}  // namespace parley::engine
