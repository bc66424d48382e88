#include "engine/loops/loops.hpp"

namespace parley::engine {

const Link* Links::find(Offset message) const {
  const auto at = all_.find(message);
  return at == all_.end() ? nullptr : &at->second;
}

std::uint32_t Links::charged_to(Offset root) const {
  const auto at = accounts_.find(root);
  return at == accounts_.end() ? 0 : at->second;
}

void Links::add(Offset message, bool counts, const Link& link) {
  all_.emplace(message, link);
  if (counts && link.root != Offset{}) ++accounts_[link.root];
  if (all_.size() > kept) all_.erase(all_.begin());
  if (accounts_.size() > accounts_kept) accounts_.erase(accounts_.begin());
}

void Links::cut(Offset message) {
  all_.erase(message);
}

}  // namespace parley::engine
