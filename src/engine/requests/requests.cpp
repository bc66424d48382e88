#include "engine/requests/requests.hpp"

namespace parley::engine {

std::uint32_t Request::sends_to(AgentNumber agent) const {
  const auto at = again.find(agent);
  return at == again.end() ? 1 : at->second.sends;
}

std::vector<Offset> Requests::awaited_from(AgentNumber agent, std::size_t most) const {
  std::vector<Offset> offsets;
  for (auto at = by_awaited_.lower_bound({agent, Offset{}});
       at != by_awaited_.end() && at->first == agent && offsets.size() < most; ++at)
    offsets.push_back(at->second);
  return offsets;
}

bool Requests::is_awaited_from(AgentNumber agent, Offset offset) const {
  return by_awaited_.contains({agent, offset});
}

const Request* Requests::find(Offset offset) const {
  const auto at = open_.find(offset);
  return at == open_.end() ? nullptr : &at->second;
}

Request* Requests::find(Offset offset) {
  return const_cast<Request*>(std::as_const(*this).find(offset));
}

std::optional<Offset> Requests::find(std::string_view id, AgentNumber awaited) const {
  const IdKey key = id_key_of(id);
  std::size_t looks = looks_max;
  for (auto at = by_id_.lower_bound({key, Offset(UINT64_MAX)}); at != by_id_.begin() && looks > 0; --looks) {
    --at;
    if (at->first != key) break;
    if (open_.at(at->second).waits_for(awaited)) return at->second;
  }
  return std::nullopt;
}

void Requests::add(Offset offset, Request request) {
  index(offset, request);
  open_.emplace(offset, std::move(request));
}

bool Requests::settle(Offset offset, AgentNumber agent) {
  std::vector<AgentNumber>& waiting = open_.at(offset).waiting;
  std::erase(waiting, agent);
  open_.at(offset).again.erase(agent);
  by_awaited_.erase({agent, offset});
  return !waiting.empty();
}

void Requests::close(Offset offset) {
  const auto at = open_.find(offset);
  for (const AgentNumber agent : at->second.waiting) by_awaited_.erase({agent, offset});
  by_id_.erase({id_key_of(at->second.id.view()), offset});
  if (at->second.reply_by) --with_reply_by_;
  by_asker_.remove(at->second.asker, offset);
  open_.erase(at);
}

void Requests::index(Offset offset, const Request& request) {
  by_id_.insert({id_key_of(request.id.view()), offset});
  by_asker_.add(request.asker, offset);
  if (request.reply_by) ++with_reply_by_;
  for (const AgentNumber agent : request.waiting) by_awaited_.insert({agent, offset});
}

}  // namespace parley::engine
