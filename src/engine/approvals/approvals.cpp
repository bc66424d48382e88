#include "engine/approvals/approvals.hpp"

namespace parley::engine {

std::size_t Approvals::waiting(AgentNumber asker) const {
  const auto at = by_asker_.find(asker);
  return at == by_asker_.end() ? 0 : at->second;
}

const Approval* Approvals::find(Offset offset) const {
  const auto at = all_.find(offset);
  return at == all_.end() ? nullptr : &at->second;
}

Approval& Approvals::at(Offset offset) {
  return all_.at(offset);
}

std::optional<Offset> Approvals::find(std::string_view id) const {
  const auto at = by_id_.find(id_key_of(id));
  return at == by_id_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<Offset> Approvals::to_supersede(Offset message) const {
  std::vector<Offset> waiting;
  for (auto at = by_superseded_.lower_bound({message, Offset{}}); at != by_superseded_.end(); ++at) {
    if (at->first != message) break;
    waiting.push_back(at->second);
  }
  return waiting;
}

void Approvals::add(Offset offset, Approval approval) {
  index(offset, approval);
  all_.emplace(offset, std::move(approval));
}

void Approvals::end(Offset offset, std::size_t kept) {
  uncount(all_.at(offset).asker);
  by_superseded_.erase({all_.at(offset).supersedes, offset});
  ended_.push_back(offset);
  for (; ended_.size() > kept; ended_.pop_front()) forget(ended_.front());
}

void Approvals::index(Offset offset, const Approval& approval) {
  by_id_[id_key_of(approval.id.view())] = offset;
  if (!approval.waits()) return;
  ++by_asker_[approval.asker];
  if (approval.supersedes != Offset{}) by_superseded_.emplace(approval.supersedes, offset);
}

void Approvals::uncount(AgentNumber asker) {
  const auto at = by_asker_.find(asker);
  if (--at->second == 0) by_asker_.erase(at);
}

void Approvals::forget(Offset offset) {
  const auto at = all_.find(offset);
  const auto known = by_id_.find(id_key_of(at->second.id.view()));
  if (known != by_id_.end() && known->second == offset) by_id_.erase(known);
  all_.erase(at);
}

}  // namespace parley::engine
