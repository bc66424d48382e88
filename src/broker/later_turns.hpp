// What a full turn has put off (D11). Whose turn is next goes round by caller, so that the many calls of one keep
// nobody else waiting for long; what waits is bounded, for each and for all. Value type, the core's.
#pragma once
#include <absl/container/btree_map.h>

#include <cstdint>
#include <deque>
#include <functional>

#include "broker/port/call.hpp"

namespace parley::broker {

class LaterTurns {
 public:
  static constexpr std::size_t bytes_max = 128 << 20;
  static constexpr std::size_t bytes_of_one_max = 16 << 20;
  using GoOn = std::move_only_function<void()>;

  // False: too much waits already. What goes on and is put off once more finds the room that it had.
  bool add(const Caller& caller, std::size_t bytes, GoOn go_on);
  bool empty() const { return in_turn_.empty(); }
  std::size_t size() const { return size_; }
  GoOn take();  // the oldest of whoever is next; there is one

 private:
  using Who = std::pair<base::WorkspaceNumber, base::AgentNumber>;  // people and the admin: agent 0
  struct Waiting {
    std::size_t bytes = 0;
    GoOn go_on;
  };
  struct Calls {
    std::deque<Waiting> waiting;
    std::size_t bytes = 0;
  };

  absl::btree_map<Who, Calls> calls_;
  std::deque<Who> in_turn_;  // each once
  std::size_t bytes_ = 0;
  std::size_t size_ = 0;
};

}  // namespace parley::broker
