// Takes connections from the listening sockets, makes room for them, and tells those for which there is none.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "net/connections.hpp"
#include "net/reactor.hpp"

namespace parley::net {

// Resource type, the loop's thread; what it is given outlives it.
class Acceptor {
 public:
  using At = std::function<void(base::Duration when, std::function<void()> work)>;
  Acceptor(Shared& shared, Reactor& reactor, Connections& connections, At at, observe::Metrics& metrics,
           observe::Log& log);

  void add(int listening);               // owns the descriptor
  std::vector<int> descriptors() const;  // of these
  void stop();                           // closes them: others are told at once that nobody listens

  void before_accepting();  // each turn: watches for more, if more may come, and then
  void on_ready(std::uint64_t listener);
  static bool is_listener(std::uint64_t token);           // of the reactor's
  void take_over(int descriptor, std::span<char> bytes);  // accepted elsewhere, with what was read from it

 private:
  bool has_room_for(int descriptor) const;
  bool make_room_for(int& descriptor);
  void refuse(int descriptor);
  void pause();

  Shared& shared_;
  Reactor& reactor_;
  Connections& connections_;
  const At at_;
  observe::Log& log_;
  observe::Counter& refused_for_limit_;
  observe::Counter& refused_for_descriptors_;
  observe::Counter& made_room_;
  std::vector<std::unique_ptr<Reactor::Watch>> listeners_;
  bool armed_ = false;
  bool paused_ = false;
  base::Duration warn_again_{0};
};

}  // namespace parley::net
