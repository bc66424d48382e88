// Who waits for mail, for the log to grow or for tasks to end: long polls. Value type, the broker's.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <string>
#include <tuple>

#include "broker/port/polls.hpp"

namespace parley::broker {

// What is waited for: an agent's mailbox, or (agent 0) the workspace's log, or that a task of it ends.
struct WaitFor {
  base::WorkspaceNumber workspace;
  base::AgentNumber agent;
  bool tasks = false;
  bool repeated = false;  // of a mailbox: what was given under the same take_id meanwhile
  friend auto operator<=>(const WaitFor&, const WaitFor&) = default;
};

// Runs what somebody waits with, and says why. Empty: nobody waits.
using Wake = std::move_only_function<void()>;

class Waits {
 public:
  WaitId add(WaitFor what, base::Instant deadline, WaitDone done, std::string_view take_id = {});
  void cancel(WaitId id);
  std::vector<Wake> take(WaitFor what);  // all that wait for it
  // Of those under one take_id it is the newest: who repeats a call listens there.
  Wake take_first(WaitFor what);
  // Those under the take_id no longer wait for mail, but for what was given under it. Whether there are any.
  bool repeat(WaitFor mailbox, std::string_view take_id);
  bool any(WaitFor what) const;
  std::size_t count(WaitFor what) const;
  std::vector<Wake> take_due(base::Instant now);  // whose time is over
  std::optional<base::Instant> next_deadline() const;

 private:
  struct Wait {
    WaitFor what;
    base::Instant deadline;
    std::string take_id;  // empty: none
    WaitDone done;
  };
  using ByTakeId = std::tuple<WaitFor, std::string, WaitId>;
  WaitId newest_like(WaitId id) const;
  Wake remove(WaitId id);

  std::uint64_t last_ = 0;
  absl::btree_map<WaitId, Wait> waits_;
  absl::btree_set<std::pair<WaitFor, WaitId>> by_what_;
  absl::btree_set<ByTakeId> by_take_id_;  // where there is one
  absl::btree_set<std::pair<base::Instant, WaitId>> by_deadline_;
};

}  // namespace parley::broker
