#include "engine/mailboxes/open_messages.hpp"

#include <algorithm>

namespace parley::engine {

OpenMessages::OpenMessages(const Mailbox& mailbox, Offset after) : mailbox_(mailbox) {
  for (const auto& [session, leased] : mailbox.leased())
    if (const auto at = leased.upper_bound(after); at != leased.end()) add(Leased{at, leased.end()});
  for (const Level& level : mailbox.levels()) {
    add(level.free, after);
    for (const auto& [session, held] : level.held) add(held, after);
  }
  add(mailbox.backing_off(), after);
}

void OpenMessages::add(const StandingSet& standings, Offset after) {
  auto at = standings.begin();
  for (; at != standings.end() && at->head <= after; ++at)
    if (at->lane != LaneId{}) {
      const Lane& lane = mailbox_.lanes().at(at->lane);
      add_rest(lane, lane.after(after));
    }
  if (at != standings.end()) add(Standings{at, standings.end()});
}

// From here on, but for what is leased.
void OpenMessages::add_rest(const Lane& lane, Lane::Iterator at) {
  while (at != lane.end() && at->state == Lane::State::leased) ++at;
  if (at != lane.end()) add(Rest{&lane, at});
}

void OpenMessages::add(Part part) {
  parts_.push_back(part);
  const auto first = [](const Part& of) {
    if (const auto* leased = std::get_if<Leased>(&of)) return *leased->at;
    if (const auto* standings = std::get_if<Standings>(&of)) return standings->at->head;
    return std::get<Rest>(of).at->offset;
  };
  push(first(part), parts_.size() - 1);
}

void OpenMessages::push(Offset offset, std::size_t part) {
  firsts_.push_back({offset, part});
  std::push_heap(firsts_.begin(), firsts_.end());
}

Offset OpenMessages::next() {
  if (firsts_.empty()) return {};
  std::pop_heap(firsts_.begin(), firsts_.end());
  const auto [offset, part] = firsts_.back();
  firsts_.pop_back();
  if (auto* leased = std::get_if<Leased>(&parts_[part])) {
    if (++leased->at != leased->end) push(*leased->at, part);
  } else if (auto* rest = std::get_if<Rest>(&parts_[part])) {
    rest->at = rest->lane->next(rest->at);
    if (rest->at != rest->lane->end()) push(rest->at->offset, part);
  } else {
    auto& standings = std::get<Standings>(parts_[part]);
    const LaneId id = standings.at->lane;
    if (++standings.at != standings.end) push(standings.at->head, part);
    if (id != LaneId{}) {
      const Lane& lane = mailbox_.lanes().at(id);
      add_rest(lane, lane.head() + 1);
    }
  }
  return offset;
}

}  // namespace parley::engine
