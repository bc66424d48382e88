#include "engine/by_agent.hpp"

#include "engine/in_order.hpp"

namespace parley::engine {

auto OffsetsByAgent::of(base::AgentNumber agent) const -> const Offsets& {
  static const Offsets none;
  const auto at = all_.find(agent);
  return at == all_.end() ? none : at->second;
}

void OffsetsByAgent::add(base::AgentNumber agent, base::Offset offset) {
  put_in(all_[agent], offset);
}

void OffsetsByAgent::remove(base::AgentNumber agent, base::Offset offset) {
  const auto mine = all_.find(agent);
  if (mine == all_.end()) return;
  take_out(mine->second, offset);
  if (mine->second.empty()) all_.erase(mine);
}

std::size_t CountsByAgent::of(base::AgentNumber agent) const {
  const auto at = all_.find(agent);
  return at == all_.end() ? 0 : at->second;
}

void CountsByAgent::add(base::AgentNumber agent, std::size_t count) {
  all_[agent] += count;
}

void CountsByAgent::remove(base::AgentNumber agent, std::size_t count) {
  const auto at = all_.find(agent);
  if (at != all_.end() && (at->second -= count) == 0) all_.erase(at);
}

}  // namespace parley::engine
