#include "engine/help/help.hpp"

namespace parley::engine {

const Help* HelpRequests::find(Offset offset) const {
  const auto at = all_.find(offset);
  return at == all_.end() ? nullptr : &at->second;
}

Help& HelpRequests::at(Offset offset) {
  return all_.at(offset);
}

const Help& HelpRequests::at(Offset offset) const {
  return all_.at(offset);
}

std::optional<Offset> HelpRequests::find(std::string_view id) const {
  const auto at = by_id_.find(id_key_of(id));
  return at == by_id_.end() ? std::nullopt : std::optional(at->second);
}

Help& HelpRequests::add(Offset offset, Help help) {
  Help& kept = all_.emplace(offset, std::move(help)).first->second;
  by_id_[id_key_of(kept.id.view())] = offset;
  by_asker_[kept.asker].insert(offset);
  by_helper_[kept.helper()].insert(offset);
  return kept;
}

void HelpRequests::ask(Offset offset, AgentNumber helper) {
  Help& help = all_.at(offset);
  leave(by_helper_, help.helper(), offset);
  help.helpers.push_back(helper);
  by_helper_[helper].insert(offset);
}

void HelpRequests::end(Offset offset, std::size_t kept) {
  const Help& help = all_.at(offset);
  leave(by_helper_, help.helper(), offset);
  leave(by_asker_, help.asker, offset);
  over_.push_back(offset);
  for (; over_.size() > kept; over_.pop_front()) forget(over_.front());
}

auto HelpRequests::in(const ByAgent& map, AgentNumber agent) -> const Offsets& {
  static const Offsets none;
  const auto at = map.find(agent);
  return at == map.end() ? none : at->second;
}

void HelpRequests::leave(ByAgent& map, AgentNumber agent, Offset offset) {
  const auto at = map.find(agent);
  at->second.erase(offset);
  if (at->second.empty()) map.erase(at);
}

void HelpRequests::forget(Offset offset) {
  const auto at = all_.find(offset);
  const auto known = by_id_.find(id_key_of(at->second.id.view()));
  if (known != by_id_.end() && known->second == offset) by_id_.erase(known);
  all_.erase(at);
}

}  // namespace parley::engine
