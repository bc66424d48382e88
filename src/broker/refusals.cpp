#include <algorithm>

#include "broker/message_calls.hpp"

namespace parley::broker {
namespace {

constexpr int records_a_turn = 1'000;

}  // namespace

void Refusals::add(base::WorkspaceNumber workspace, base::AgentNumber agent, base::ErrorCode code, base::Instant now) {
  const Key key{workspace, agent, code};
  Count& count = counts_[key];
  if (count.messages++ == 0) {
    count.first = now;
    due_.emplace_back(now + window, key);
  }
  count.last = now;
}

std::optional<base::Instant> Refusals::next_due() const {
  if (due_.empty()) return std::nullopt;
  return std::max(due_.front().first, not_before_);
}

std::optional<engine::RecordRefusals> Refusals::take_due(base::Instant now) {
  if (due_.empty() || due_.front().first > now) return std::nullopt;
  const Key key = due_.front().second;
  const Count count = counts_.at(key);
  due_.pop_front();
  counts_.erase(key);
  return engine::RecordRefusals{key.workspace,  key.agent,   base::info(key.code).name,
                                count.messages, count.first, count.last};
}

// A full disk keeps its last room for what was accepted: then they are counted on, and looked at again.
void MessageCalls::record_refusals() {
  const base::Instant now = core_.context().now;
  if (const auto due = refusals_.next_due(); !due || *due > now) return;
  if (!core_.check_room(1, journal::Need::growth)) return refusals_.put_off(now + Refusals::window);
  for (int i = 0; i < records_a_turn; ++i) {
    const auto refusals = refusals_.take_due(now);
    if (!refusals) return;
    if (!core_.decide(*refusals, journal::Need::growth)) return;
  }
}

}  // namespace parley::broker
