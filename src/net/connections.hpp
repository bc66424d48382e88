// Who is connected. Those that nobody has vouched for are strangers: they make room for whoever comes (D11).
#pragma once
#include <list>
#include <memory>
#include <vector>

#include "net/connection.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

namespace parley::net {

// Resource type, the loop's thread; what it is given outlives it.
class Connections {
 public:
  Connections(Shared& shared, Reactor& reactor, observe::Metrics& metrics, observe::Log& log);

  Connection& add(int descriptor);    // a stranger; owns the descriptor
  Connection* find(ConnectionId id);  // null where it is gone
  void bury(ConnectionId id);         // only between callbacks of that connection
  void vouch_for(ConnectionId id);    // one that is there
  std::size_t count() const { return count_; }

  std::size_t strangers() const { return strangers_.size(); }
  ConnectionId oldest_stranger() const { return strangers_.front(); }

  template <class Visit>
  void for_each(Visit visit) {
    for (Place& place : places_)
      if (place.connection) visit(*place.connection);
  }

 private:
  // A place is used again under a new generation: id = generation << 32 | place, so that none comes twice.
  struct Place {
    std::uint32_t generation = 0;
    std::unique_ptr<Connection> connection;
    std::list<ConnectionId>::iterator stranger = {};
  };
  Place& place_of(ConnectionId id) { return places_[static_cast<std::uint32_t>(id.value)]; }
  std::uint32_t free_place();
  void forget_stranger(Place& place);

  Shared& shared_;
  Reactor& reactor_;
  observe::Log& log_;
  observe::Counter& accepted_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_places_;
  std::size_t count_ = 0;
  std::list<ConnectionId> strangers_;  // the oldest first
};

}  // namespace parley::net
