#include "engine/approvals/approvals.hpp"

namespace parley::engine {

const Approval* Approvals::find(Offset offset) const {
  const auto at = all_.find(offset);
  return at == all_.end() ? nullptr : &at->second;
}

Approval& Approvals::at(Offset offset) {
  return all_.at(offset);
}

std::optional<Offset> Approvals::find(std::string_view id) const {
  return by_id_.find(id_key_of(id));
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
  by_asker_.remove(all_.at(offset).asker);
  by_superseded_.erase({all_.at(offset).supersedes, offset});
  ended_.push_back(offset);
  for (; ended_.size() > kept; ended_.pop_front()) forget(ended_.front());
}

void Approvals::index(Offset offset, const Approval& approval) {
  by_id_.put(id_key_of(approval.id.view()), offset);
  if (!approval.waits()) return;
  by_asker_.add(approval.asker);
  if (approval.supersedes != Offset{}) by_superseded_.emplace(approval.supersedes, offset);
}

void Approvals::forget(Offset offset) {
  const auto at = all_.find(offset);
  by_id_.drop(id_key_of(at->second.id.view()), offset);
  all_.erase(at);
}

}  // namespace parley::engine
