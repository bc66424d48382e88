#include "engine/errors/errors.hpp"

namespace parley::engine {

const ErrorCase* ErrorCases::find(Offset offset) const {
  const auto at = all_.find(offset);
  return at == all_.end() ? nullptr : &at->second;
}

std::vector<Offset> ErrorCases::find(std::string_view id) const {
  const IdKey key = id_key_of(id);
  std::vector<Offset> offsets;
  for (auto at = by_id_.lower_bound({key, {}, {}}); at != by_id_.end() && at->id == key; ++at) {
    if (offsets.size() == most_of_one) break;
    offsets.push_back(at->offset);
  }
  return offsets;
}

std::vector<Offset> ErrorCases::find(std::string_view id, AgentNumber agent) const {
  const IdKey key = id_key_of(id);
  std::vector<Offset> offsets;
  for (auto at = by_id_.lower_bound({key, agent, {}}); at != by_id_.end() && at->id == key && at->agent == agent; ++at)
    offsets.push_back(at->offset);
  return offsets;
}

void ErrorCases::add(Offset offset, ErrorCase error) {
  index(offset, error);
  all_.emplace(offset, std::move(error));
}

void ErrorCases::block(Offset offset, const std::string& status, const std::string& blocked) {
  const auto at = all_.find(offset);
  if (at == all_.end() || blocked.empty()) return;
  at->second.status = status;
  at->second.blocked = blocked;
  blocking_.insert(offset);
}

void ErrorCases::close(Offset offset) {
  const auto at = all_.find(offset);
  if (at == all_.end()) return;
  by_id_.erase({id_key_of(at->second.id.view()), at->second.agent, offset});
  blocking_.erase(offset);
  by_agent_.remove(at->second.agent, offset);
  all_.erase(at);
}

void ErrorCases::index(Offset offset, const ErrorCase& error) {
  by_agent_.add(error.agent, offset);
  by_id_.insert({id_key_of(error.id.view()), error.agent, offset});
  if (!error.blocked.empty()) blocking_.insert(offset);
}

}  // namespace parley::engine
