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
  return by_id_.find(id_key_of(id));
}

Help& HelpRequests::add(Offset offset, Help help) {
  Help& kept = all_.emplace(offset, std::move(help)).first->second;
  by_id_.put(id_key_of(kept.id.view()), offset);
  by_asker_.add(kept.asker, offset);
  by_helper_.add(kept.helper(), offset);
  return kept;
}

void HelpRequests::ask(Offset offset, AgentNumber helper) {
  Help& help = all_.at(offset);
  by_helper_.remove(help.helper(), offset);
  help.helpers.push_back(helper);
  by_helper_.add(helper, offset);
}

void HelpRequests::end(Offset offset, std::size_t kept) {
  const Help& help = all_.at(offset);
  by_helper_.remove(help.helper(), offset);
  by_asker_.remove(help.asker, offset);
  over_.push_back(offset);
  for (; over_.size() > kept; over_.pop_front()) forget(over_.front());
}

void HelpRequests::forget(Offset offset) {
  const auto at = all_.find(offset);
  by_id_.drop(id_key_of(at->second.id.view()), offset);
  all_.erase(at);
}

}  // namespace parley::engine
