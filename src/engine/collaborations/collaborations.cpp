#include "engine/collaborations/collaborations.hpp"

namespace parley::engine {

const Collaboration& Collaborations::at(Offset offset) const {
  return all_.at(offset);
}

Collaboration& Collaborations::at(Offset offset) {
  return all_.at(offset);
}

std::optional<Offset> Collaborations::find(std::string_view id) const {
  return by_id_.find(id_key_of(id));
}

std::optional<Offset> Collaborations::about(Offset purpose) const {
  return by_purpose_.find(purpose);
}

void Collaborations::add(Offset offset, Collaboration collaboration) {
  index(offset, all_.emplace(offset, std::move(collaboration)).first->second);
}

void Collaborations::close(Offset offset, std::size_t kept) {
  closed_.push_back(offset);
  for (; closed_.size() > kept; closed_.pop_front()) forget(closed_.front());
}

void Collaborations::index(Offset offset, const Collaboration& collaboration) {
  by_id_.put(id_key_of(collaboration.id.view()), offset);
  by_purpose_.put(collaboration.purpose, offset);
}

void Collaborations::forget(Offset offset) {
  const Collaboration& gone = all_.at(offset);
  by_id_.drop(id_key_of(gone.id.view()), offset);
  by_purpose_.drop(gone.purpose, offset);
  all_.erase(offset);
}

}  // namespace parley::engine
