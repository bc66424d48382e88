#include "engine/messages/records.hpp"

namespace parley::engine {

void Records::keep(const std::string& task, base::AgentNumber agent, const Kept& kept, std::size_t most) {
  const auto [at, is_new] = by_task_.try_emplace({task, agent}, kept);
  if (!is_new) by_age_.erase(std::exchange(at->second, kept).offset);
  by_age_.emplace(kept.offset, at->first);
  while (by_age_.size() > most) {
    by_task_.erase(by_age_.begin()->second);
    by_age_.erase(by_age_.begin());
  }
}

}  // namespace parley::engine
