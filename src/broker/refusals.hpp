// Refused messages, on their way into the journal (D11): counted by sender and code, one record for what comes within
// ten seconds, so that refused traffic cannot fill the disk. What the end of the process takes with it is at most that.
// Value type, the broker's.
#pragma once
#include <absl/container/btree_map.h>

#include <deque>
#include <optional>

#include "base/error.hpp"
#include "engine/command.hpp"

namespace parley::broker {

class Refusals {
 public:
  static constexpr base::Duration window = std::chrono::seconds(10);

  void add(base::WorkspaceNumber workspace, base::AgentNumber agent, base::ErrorCode code, base::Instant now);
  std::optional<base::Instant> next_due() const;
  void put_off(base::Instant until) { not_before_ = until; }
  // The next that is due to be recorded.
  std::optional<engine::RecordRefusals> take_due(base::Instant now);

 private:
  struct Key {
    base::WorkspaceNumber workspace;
    base::AgentNumber agent;
    base::ErrorCode code{};
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Count {
    std::uint64_t messages = 0;
    base::Instant first, last;
  };
  absl::btree_map<Key, Count> counts_;
  std::deque<std::pair<base::Instant, Key>> due_;  // in the order they began: engine time never goes back
  base::Instant not_before_;
};

}  // namespace parley::broker
