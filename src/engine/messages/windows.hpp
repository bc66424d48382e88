// Which workspace forgets next (R8): from when on the oldest message of its window may go. A turn looks at those alone
// that are due, however many workspaces there are (D11). Value type; derived from the state that holds it, so no part
// of a snapshot.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <optional>
#include <utility>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace parley::engine {

struct State;

class Windows {
 public:
  std::optional<base::Instant> of(base::WorkspaceNumber workspace) const;
  std::optional<base::WorkspaceNumber> due(base::Instant now) const;  // the one that has waited longest
  void set(base::WorkspaceNumber workspace, std::optional<base::Instant> forgets_at);

 private:
  absl::btree_map<base::WorkspaceNumber, base::Instant> of_;
  absl::btree_set<std::pair<base::Instant, base::WorkspaceNumber>> in_order_;
};

// None where nothing is remembered. Where it is more than may be, the oldest is due since it came.
std::optional<base::Instant> forgets_at(const State& state, base::WorkspaceNumber workspace);

// Only appliers call these, and who loads a snapshot.
void watch_window(State& state, base::WorkspaceNumber workspace);     // its oldest message or its settings changed
void count_in_window(State& state, base::WorkspaceNumber workspace);  // a message more

}  // namespace parley::engine
