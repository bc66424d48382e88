#include "broker/waits.hpp"

namespace parley::broker {

WaitId Waits::add(WaitFor what, base::Instant deadline, WaitDone done, std::string_view take_id) {
  const WaitId id(++last_);
  by_what_.emplace(what, id);
  by_deadline_.emplace(deadline, id);
  if (!take_id.empty()) by_take_id_.emplace(what, take_id, id);
  waits_.emplace(id, Wait{what, deadline, std::string(take_id), std::move(done)});
  return id;
}

Wake Waits::remove(WaitId id) {
  const auto at = waits_.find(id);
  if (at == waits_.end()) return {};
  const Woken why = at->second.what.repeated ? Woken::to_be_given : Woken::to_look;
  Wake wake = [why, done = std::move(at->second.done)]() mutable { done(why); };
  by_what_.erase({at->second.what, id});
  by_deadline_.erase({at->second.deadline, id});
  by_take_id_.erase({at->second.what, at->second.take_id, id});
  waits_.erase(at);
  return wake;
}

void Waits::cancel(WaitId id) {
  remove(id);
}

std::vector<Wake> Waits::take(WaitFor what) {
  std::vector<Wake> all;
  while (Wake next = take_first(what)) all.push_back(std::move(next));
  return all;
}

Wake Waits::take_first(WaitFor what) {
  const auto at = by_what_.lower_bound({what, WaitId{}});
  return at != by_what_.end() && at->first == what ? remove(newest_like(at->second)) : Wake();
}

WaitId Waits::newest_like(WaitId id) const {
  const Wait& wait = waits_.at(id);
  const auto after = by_take_id_.upper_bound({wait.what, wait.take_id, WaitId(last_)});
  if (after == by_take_id_.begin()) return id;
  const auto& [what, take_id, newest] = *std::prev(after);
  return what == wait.what && take_id == wait.take_id ? newest : id;
}

bool Waits::repeat(WaitFor mailbox, std::string_view take_id) {
  const ByTakeId first{mailbox, take_id, WaitId{}};
  auto at = by_take_id_.lower_bound(first);
  const auto is_one = [&] {
    return at != by_take_id_.end() && std::get<WaitFor>(*at) == mailbox && std::get<std::string>(*at) == take_id;
  };
  const bool any = is_one();
  for (; is_one(); at = by_take_id_.erase(at)) {
    const WaitId id = std::get<WaitId>(*at);
    WaitFor& what = waits_.at(id).what;
    by_what_.erase({what, id});
    what.repeated = true;
    by_what_.emplace(what, id);
  }
  return any;
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

std::vector<Wake> Waits::take_due(base::Instant now) {
  std::vector<Wake> due;
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now)
    due.push_back(remove(by_deadline_.begin()->second));
  return due;
}

std::optional<base::Instant> Waits::next_deadline() const {
  if (by_deadline_.empty()) return std::nullopt;
  return by_deadline_.begin()->first;
}

}  // namespace parley::broker
