#include "engine/mailboxes/mailbox.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::engine {
namespace {

constexpr SessionId anyone{};

std::size_t index(Priority priority) {
  return static_cast<std::size_t>(priority);
}

void take_out(Lane& lane, Offset offset) {
  const auto at = lane.waiting.find(offset);
  PARLEY_ASSERT(at != lane.waiting.end());
  --lane.waiting_at[index(at->second)];
  lane.waiting.erase(at);
  lane.backing_off.erase(offset);
}

void put_in(Lane& lane, const Entry& entry) {
  const bool added = lane.waiting.emplace(entry.offset, entry.priority).second;
  PARLEY_ASSERT(added);
  ++lane.waiting_at[index(entry.priority)];
}

}  // namespace

LanePlace place_of(LaneId id, const Lane& lane) {
  if (lane.waiting.empty() || lane.backing_off.contains(lane.waiting.begin()->first)) return {};
  for (std::size_t level = lane.waiting_at.size(); level-- > 0;)
    if (lane.waiting_at[level] > 0)
      return {true,
              static_cast<Priority>(level),
              lane.leased.empty() ? anyone : lane.holder,
              {lane.waiting.begin()->first, id}};
  return {};
}

void Mailbox::stand_at(Priority level, SessionId session, Standing standing, Instant now) {
  Level& at = levels_[index(level)];
  if (at.free.empty() && at.held.empty()) fairness_.became_ready(level, now);
  if (session == anyone)
    at.free.insert(standing);
  else
    at.held[session].insert(standing);
}

void Mailbox::unstand_from(Priority level, SessionId session, Standing standing) {
  Level& at = levels_[index(level)];
  if (session == anyone) {
    at.free.erase(standing);
  } else if (const auto held = at.held.find(session); held != at.held.end()) {
    held->second.erase(standing);
    if (held->second.empty()) at.held.erase(held);
  }
}

template <class Change>
void Mailbox::change_lane(LaneId id, Instant now, Change change) {
  Lane& lane = lanes_[id];
  const LanePlace before = place_of(id, lane);
  change(lane);
  const LanePlace after = place_of(id, lane);
  if (before != after) {
    // First the new place: a level that the lane only moves within has not become ready anew.
    if (after.stands) stand_at(after.level, after.session, after.standing, now);
    if (before.stands) unstand_from(before.level, before.session, before.standing);
  }
  if (lane.empty()) lanes_.erase(id);
}

void Mailbox::lease(Offset offset, SessionId session) {
  leased_.emplace(session, offset);
  ++leased_counts_[session];
}

void Mailbox::unlease(Offset offset, SessionId session) {
  const bool was_leased = leased_.erase({session, offset}) == 1;
  PARLEY_ASSERT(was_leased);
  const auto count = leased_counts_.find(session);
  if (--count->second == 0) leased_counts_.erase(count);
}

void Mailbox::queue(const Entry& entry, Instant now) {
  if (entry.lane == LaneId{})
    stand_at(entry.priority, anyone, {entry.offset, {}}, now);
  else
    change_lane(entry.lane, now, [&](Lane& lane) { put_in(lane, entry); });
}

void Mailbox::offer(const Entry& entry, SessionId session, bool final, Instant now) {
  const Fairness::Ready ready_before = ready(session);
  if (!final) lease(entry.offset, session);
  if (entry.lane == LaneId{}) {
    unstand_from(entry.priority, anyone, {entry.offset, {}});
    fairness_.served(entry.priority, ready_before, now);
    return;
  }
  fairness_.served(place_of(entry.lane, lanes_.at(entry.lane)).level, ready_before, now);
  change_lane(entry.lane, now, [&](Lane& lane) {
    take_out(lane, entry.offset);
    if (final) return;
    lane.leased.insert(entry.offset);
    lane.holder = session;
  });
}

void Mailbox::settle(const Entry& entry, SessionId session, Instant now) {
  unlease(entry.offset, session);
  if (entry.lane != LaneId{}) change_lane(entry.lane, now, [&](Lane& lane) { lane.leased.erase(entry.offset); });
}

void Mailbox::give_back(const Entry& entry, SessionId session, Instant now) {
  unlease(entry.offset, session);
  if (entry.lane == LaneId{}) return queue(entry, now);
  change_lane(entry.lane, now, [&](Lane& lane) {
    lane.leased.erase(entry.offset);
    put_in(lane, entry);
  });
}

void Mailbox::hold_back(const Entry& entry, SessionId session, Instant now) {
  unlease(entry.offset, session);
  if (entry.lane == LaneId{}) {
    backing_off_.insert(entry.offset);
    return;
  }
  change_lane(entry.lane, now, [&](Lane& lane) {
    lane.leased.erase(entry.offset);
    put_in(lane, entry);
    lane.backing_off.insert(entry.offset);
  });
}

void Mailbox::resume(const Entry& entry, Instant now) {
  if (entry.lane == LaneId{}) {
    backing_off_.erase(entry.offset);
    stand_at(entry.priority, anyone, {entry.offset, {}}, now);
    return;
  }
  change_lane(entry.lane, now, [&](Lane& lane) {
    const bool backed_off = lane.backing_off.erase(entry.offset) == 1;
    PARLEY_ASSERT(backed_off);
  });
}

void Mailbox::drop(const Entry& entry, Instant now) {
  if (entry.lane != LaneId{})
    change_lane(entry.lane, now, [&](Lane& lane) { take_out(lane, entry.offset); });
  else if (backing_off_.erase(entry.offset) == 0)
    unstand_from(entry.priority, anyone, {entry.offset, {}});
}

std::vector<Offset> Mailbox::leased_after(const Entry& entry) const {
  if (entry.lane == LaneId{}) return {};
  const Lane& lane = lanes_.at(entry.lane);
  return {lane.leased.upper_bound(entry.offset), lane.leased.end()};
}

std::vector<Offset> Mailbox::leased_to(SessionId session) const {
  std::vector<Offset> offsets;
  for (auto at = leased_.lower_bound({session, Offset{}}); at != leased_.end() && at->first == session; ++at)
    offsets.push_back(at->second);
  return offsets;
}

std::size_t Mailbox::leased_count(SessionId session) const {
  const auto at = leased_counts_.find(session);
  return at == leased_counts_.end() ? 0 : at->second;
}

std::vector<SessionId> Mailbox::sessions() const {
  std::vector<SessionId> sessions;
  for (const auto& [session, count] : leased_counts_) sessions.push_back(session);
  return sessions;
}

std::vector<Offset> Mailbox::open() const {
  std::vector<Offset> offsets(backing_off_.begin(), backing_off_.end());
  for (const auto& [session, offset] : leased_) offsets.push_back(offset);
  for (const Level& level : levels_)
    for (const Standing& standing : level.free)
      if (standing.lane == LaneId{}) offsets.push_back(standing.head);
  for (const auto& [id, lane] : lanes_)
    for (const auto& [offset, priority] : lane.waiting) offsets.push_back(offset);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

std::array<bool, envelope::priority_count> Mailbox::ready(SessionId session) const {
  std::array<bool, envelope::priority_count> ready{};
  for (std::size_t level = 0; level < ready.size(); ++level)
    ready[level] = !levels_[level].free.empty() ||
                   (session != anyone && !levels_[level].held.empty() && levels_[level].held.contains(session));
  return ready;
}

bool Mailbox::anything_ready(SessionId session) const {
  for (const bool level : ready(session))
    if (level) return true;
  return false;
}

}  // namespace parley::engine
