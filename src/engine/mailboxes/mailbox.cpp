#include "engine/mailboxes/mailbox.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "engine/in_order.hpp"
#include "engine/mailboxes/open_messages.hpp"

namespace parley::engine {
namespace {

constexpr SessionId anyone{};
constexpr std::size_t lanes_kept = 127;  // places of a mailbox that has none now

}  // namespace

LanePlace place_of(LaneId id, const Lane& lane) {
  const auto head = lane.head();
  if (head == lane.end()) return {};
  if (head->state == Lane::State::backing_off)
    return {.backs_off = true, .session = {}, .standing = {head->offset, id}};
  const Lane::Counts unleased = lane.unleased();
  for (std::size_t level = unleased.size(); level-- > 0;)
    if (unleased[level] > 0)
      return {.stands = true,
              .level = static_cast<Priority>(level),
              .session = lane.leased() ? lane.holder : anyone,
              .standing = {head->offset, id}};
  return {};
}

void Mailbox::stand_at(Priority level, SessionId session, Standing standing) {
  Level& at = levels_[index(level)];
  if (at.free.empty() && at.held.empty()) fairness_.became_ready(level);
  if (session == anyone)
    put_in(at.free, standing);
  else
    put_in(at.held[session], standing);
}

void Mailbox::unstand_from(Priority level, SessionId session, Standing standing) {
  Level& at = levels_[index(level)];
  if (session == anyone) {
    take_out(at.free, standing);
  } else if (const auto held = at.held.find(session); held != at.held.end()) {
    take_out(held->second, standing);
    if (held->second.empty()) at.held.erase(held);
  }
}

template <class Change>
void Mailbox::change_lane(LaneId id, Change change) {
  const auto at = lanes_.try_emplace(id).first;
  Lane& lane = at->second;
  const LanePlace before = place_of(id, lane);
  change(lane);
  const LanePlace after = place_of(id, lane);
  if (before != after) {
    // First the new place: a level that the lane only moves within has not become ready anew.
    if (after.stands) stand_at(after.level, after.session, after.standing);
    if (before.stands) unstand_from(before.level, before.session, before.standing);
    if (before.backs_off) backing_off_.erase(before.standing);
    if (after.backs_off) backing_off_.insert(after.standing);
  }
  if (!lane.empty()) return;
  lanes_.erase(at);
  if (lanes_.empty() && lanes_.capacity() > lanes_kept) lanes_ = {};
}

void Mailbox::lease(Offset offset, SessionId session) {
  put_in(leased_[session], offset);
}

void Mailbox::unlease(Offset offset, SessionId session) {
  const auto of_session = leased_.find(session);
  PARLEY_ASSERT(of_session != leased_.end());
  const bool was_leased = take_out(of_session->second, offset) == 1;
  PARLEY_ASSERT(was_leased);
  if (of_session->second.empty()) leased_.erase(of_session);
}

void Mailbox::queue(const Entry& entry) {
  if (entry.lane == LaneId{})
    stand_at(entry.priority, anyone, {entry.offset, {}});
  else
    change_lane(entry.lane, [&](Lane& lane) { lane.put_in(entry.offset, entry.priority); });
}

void Mailbox::offer(const Entry& entry, SessionId session, bool final, Instant now) {
  const Fairness::Ready ready_before = ready(session);
  if (!final) lease(entry.offset, session);
  if (entry.lane == LaneId{}) {
    unstand_from(entry.priority, anyone, {entry.offset, {}});
    fairness_.served(entry.priority, ready_before, now);
    return;
  }
  change_lane(entry.lane, [&](Lane& lane) {
    fairness_.served(place_of(entry.lane, lane).level, ready_before, now);
    if (final) return lane.take_out(entry.offset);
    lane.become(entry.offset, Lane::State::leased);
    lane.holder = session;
  });
}

void Mailbox::settle(const Entry& entry, SessionId session) {
  unlease(entry.offset, session);
  if (entry.lane != LaneId{}) change_lane(entry.lane, [&](Lane& lane) { lane.take_out(entry.offset); });
}

void Mailbox::give_back(const Entry& entry, SessionId session) {
  unlease(entry.offset, session);
  if (entry.lane == LaneId{}) return queue(entry);
  change_lane(entry.lane, [&](Lane& lane) { lane.become(entry.offset, Lane::State::waiting); });
}

void Mailbox::hold_back(const Entry& entry, SessionId session) {
  unlease(entry.offset, session);
  if (entry.lane == LaneId{}) {
    backing_off_.insert({entry.offset, {}});
    return;
  }
  change_lane(entry.lane, [&](Lane& lane) { lane.become(entry.offset, Lane::State::backing_off); });
}

void Mailbox::resume(const Entry& entry) {
  if (entry.lane == LaneId{}) {
    backing_off_.erase({entry.offset, {}});
    stand_at(entry.priority, anyone, {entry.offset, {}});
    return;
  }
  change_lane(entry.lane, [&](Lane& lane) { lane.become(entry.offset, Lane::State::waiting); });
}

void Mailbox::drop(const Entry& entry) {
  if (entry.lane != LaneId{})
    change_lane(entry.lane, [&](Lane& lane) { lane.take_out(entry.offset); });
  else if (backing_off_.erase({entry.offset, {}}) == 0)
    unstand_from(entry.priority, anyone, {entry.offset, {}});
}

std::vector<Offset> Mailbox::leased_after(const Entry& entry) const {
  if (entry.lane == LaneId{}) return {};
  const Lane& lane = lanes_.at(entry.lane);
  std::vector<Offset> offsets;
  const auto first = lane.after(entry.offset);
  const std::uint32_t most = lane.leased_from(first);  // what else waits in a long lane is not walked
  for (auto item = first; item != lane.end() && offsets.size() < most; ++item)
    if (item->state == Lane::State::leased) offsets.push_back(item->offset);
  return offsets;
}

std::vector<Offset> Mailbox::leased_to(SessionId session, std::size_t most) const {
  std::vector<Offset> offsets;
  const auto at = leased_.find(session);
  if (at == leased_.end()) return offsets;
  offsets.reserve(std::min(most, at->second.size()));
  for (auto offset = at->second.begin(); offset != at->second.end() && offsets.size() < most; ++offset)
    offsets.push_back(*offset);
  return offsets;
}

std::size_t Mailbox::leased_count(SessionId session) const {
  const auto at = leased_.find(session);
  return at == leased_.end() ? 0 : at->second.size();
}

std::vector<SessionId> Mailbox::sessions() const {
  std::vector<SessionId> sessions;
  for (const auto& [session, leased] : leased_) sessions.push_back(session);
  return sessions;
}

std::vector<Offset> Mailbox::open() const {
  std::vector<Offset> offsets;
  OpenMessages open(*this);
  for (Offset offset = open.next(); offset != Offset{}; offset = open.next()) offsets.push_back(offset);
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
