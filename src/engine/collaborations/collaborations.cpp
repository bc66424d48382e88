#include "engine/collaborations/collaborations.hpp"

namespace parley::engine {

const Collaboration& Collaborations::at(Offset offset) const {
  return all_.at(offset);
}

Collaboration& Collaborations::at(Offset offset) {
  return all_.at(offset);
}

std::optional<Offset> Collaborations::find(std::string_view id) const {
  return in(by_id_, id_key_of(id));
}

std::optional<Offset> Collaborations::about(Offset purpose) const {
  return in(by_purpose_, purpose);
}

void Collaborations::add(Offset offset, Collaboration collaboration) {
  index(offset, all_.emplace(offset, std::move(collaboration)).first->second);
}

void Collaborations::close(Offset offset, std::size_t kept) {
  closed_.push_back(offset);
  for (; closed_.size() > kept; closed_.pop_front()) forget(closed_.front());
}

void Collaborations::index(Offset offset, const Collaboration& collaboration) {
  by_id_[id_key_of(collaboration.id.view())] = offset;
  by_purpose_[collaboration.purpose] = offset;
}

void Collaborations::forget(Offset offset) {
  const Collaboration& gone = all_.at(offset);
  drop(by_id_, id_key_of(gone.id.view()), offset);
  drop(by_purpose_, gone.purpose, offset);
  all_.erase(offset);
}

}  // namespace parley::engine
