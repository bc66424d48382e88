#include "net/connections.hpp"

#include <utility>

namespace parley::net {

Connections::Connections(Shared& shared, Reactor& reactor, observe::Metrics& metrics, observe::Log& log)
    : shared_(shared),
      reactor_(reactor),
      log_(log),
      accepted_(metrics.counter(observe::Metric::connections_accepted)) {}

std::uint32_t Connections::free_place() {
  if (free_places_.empty()) {
    free_places_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const auto number = free_places_.back();
  free_places_.pop_back();
  return number;
}

Connection& Connections::add(int descriptor) {
  const auto number = free_place();
  auto& place = places_[number];
  place.generation = (place.generation + 1) & 0x7FFF'FFFF;  // bit 63 is the listeners'
  const ConnectionId id(std::uint64_t{place.generation} << 32 | number);
  place.connection = std::make_unique<Connection>(shared_, id, reactor_, descriptor);
  place.stranger = strangers_.insert(strangers_.end(), id);
  ++count_;
  accepted_.add();
  log_.debug("connection_opened", {{"connection", id.value}, {"open", count_}});
  shared_.wants_reading(id);
  return *place.connection;
}

Connection* Connections::find(ConnectionId id) {
  const auto number = static_cast<std::uint32_t>(id.value);
  if (number >= places_.size() || places_[number].generation != id.value >> 32) return nullptr;
  return places_[number].connection.get();
}

void Connections::bury(ConnectionId id) {
  auto& place = place_of(id);
  place.connection->tell_closed();
  place.connection.reset();
  forget_stranger(place);
  free_places_.push_back(static_cast<std::uint32_t>(id.value));
  --count_;
  log_.debug("connection_closed", {{"connection", id.value}, {"open", count_}});
}

void Connections::vouch_for(ConnectionId id) {
  forget_stranger(place_of(id));
}

void Connections::forget_stranger(Place& place) {
  if (place.stranger != strangers_.end()) strangers_.erase(std::exchange(place.stranger, strangers_.end()));
}

}  // namespace parley::net
