#include "broker/later_turns.hpp"

#include <utility>

namespace parley::broker {

bool LaterTurns::add(const Caller& caller, std::size_t bytes, GoOn go_on) {
  const Who who{caller.workspace_number, caller.agent};
  const auto known = calls_.find(who);
  const std::size_t own = known == calls_.end() ? 0 : known->second.bytes;
  if (own + bytes > bytes_of_one_max || bytes_ + bytes > bytes_max) return false;
  if (known == calls_.end()) in_turn_.push_back(who);
  Calls& calls = calls_[who];
  calls.waiting.push_back({bytes, std::move(go_on)});
  calls.bytes += bytes;
  bytes_ += bytes;
  ++size_;
  return true;
}

LaterTurns::GoOn LaterTurns::take() {
  const Who who = in_turn_.front();
  in_turn_.pop_front();
  Calls& calls = calls_.at(who);
  Waiting next = std::move(calls.waiting.front());
  calls.waiting.pop_front();
  calls.bytes -= next.bytes;
  bytes_ -= next.bytes;
  --size_;
  if (calls.waiting.empty())
    calls_.erase(who);
  else
    in_turn_.push_back(who);
  return std::move(next.go_on);
}

}  // namespace parley::broker
