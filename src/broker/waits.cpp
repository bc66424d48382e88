#include "broker/waits.hpp"

namespace parley::broker {

WaitId Waits::add(WaitFor what, base::Instant deadline, WaitDone done) {
  const WaitId id(++last_);
  by_what_.emplace(what, id);
  by_deadline_.emplace(deadline, id);
  waits_.emplace(id, Wait{what, deadline, std::move(done)});
  return id;
}

WaitDone Waits::remove(WaitId id) {
  const auto at = waits_.find(id);
  if (at == waits_.end()) return {};
  WaitDone done = std::move(at->second.done);
  by_what_.erase({at->second.what, id});
  by_deadline_.erase({at->second.deadline, id});
  waits_.erase(at);
  return done;
}

void Waits::cancel(WaitId id) {
  remove(id);
}

std::vector<WaitDone> Waits::take(WaitFor what) {
  std::vector<WaitDone> done;
  while (WaitDone next = take_first(what)) done.push_back(std::move(next));
  return done;
}

WaitDone Waits::take_first(WaitFor what) {
  const auto at = by_what_.lower_bound({what, WaitId{}});
  return at != by_what_.end() && at->first == what ? remove(at->second) : WaitDone();
}

bool Waits::any(WaitFor what) const {
  const auto at = by_what_.lower_bound({what, WaitId{}});
  return at != by_what_.end() && at->first == what;
}

std::size_t Waits::count(WaitFor what) const {
  std::size_t count = 0;
  for (auto at = by_what_.lower_bound({what, WaitId{}}); at != by_what_.end() && at->first == what; ++at) ++count;
  return count;
}

std::vector<WaitDone> Waits::take_due(base::Instant now) {
  std::vector<WaitDone> done;
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now)
    done.push_back(remove(by_deadline_.begin()->second));
  return done;
}

std::optional<base::Instant> Waits::next_deadline() const {
  if (by_deadline_.empty()) return std::nullopt;
  return by_deadline_.begin()->first;
}

}  // namespace parley::broker
