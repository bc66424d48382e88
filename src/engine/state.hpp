// Everything the engine knows. Changed by appliers alone (D1); the same bytes in replay as live.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <memory>
#include <vector>

#include "engine/messages/windows.hpp"
#include "engine/timers.hpp"
#include "engine/workspaces/workspace.hpp"

namespace parley::engine {

using base::WorkspaceNumber;

// Whom a token's hash stands for.
struct Credential {
  WorkspaceNumber workspace;
  AgentNumber agent;    // one of the two
  PersonNumber person;  // is not 0
  Instant valid_until;  // 0: until rotated

  template <class Archive>
  void archive(Archive& a) {
    a(workspace, agent, person, valid_until);
  }
};

// A session that is over, and still holds leases.
struct LostSession {
  WorkspaceNumber workspace;
  AgentNumber agent;
  SessionId session;
  friend auto operator<=>(const LostSession&, const LostSession&) = default;

  template <class Archive>
  void archive(Archive& a) {
    a(workspace, agent, session);
  }
};

// A session that ends (COL-20): of a workspace, by one agent's word.
using SessionKey = std::pair<WorkspaceNumber, AgentNumber>;
struct SessionEnd {
  Offset by;       // its message
  Offset before;   // what was begun before that ends: the event that made the message count
  Offset through;  // tasks up to here have
  std::string reason;
  bool cleanup = false;

  template <class Archive>
  void archive(Archive& a) {
    a(by, before, through, reason, cleanup);
  }
};

// What was decided and is too much for one turn: done in steps (steps.cpp), also after a crash between them.
struct Unfinished {
  absl::btree_map<LostSession, bool> lost;                           // whether it was the server that stopped
  absl::btree_set<std::pair<WorkspaceNumber, AgentNumber>> leaving;  // removed, and their mailboxes are not yet empty
  // Went offline with this event: what they were given before goes back (HND-05).
  absl::btree_map<std::pair<WorkspaceNumber, AgentNumber>, Offset> offline;

  absl::btree_map<SessionKey, SessionEnd> aborting;

  bool empty() const { return lost.empty() && leaving.empty() && aborting.empty() && offline.empty(); }
  template <class Archive>
  void archive(Archive& a) {
    a(lost, leaving, offline, aborting);
  }
};

struct State {
  Instant now;  // engine time of the newest block
  ByName<WorkspaceNumber> workspaces_by_name;
  std::vector<std::unique_ptr<Workspace>> workspaces;  // number n is element n - 1
  absl::btree_map<base::Digest, Credential> credentials;
  Timers timers;
  Unfinished unfinished;
  Windows windows;  // derived

  Workspace& workspace(WorkspaceNumber number) { return *workspaces.at(number.value - 1); }
  const Workspace& workspace(WorkspaceNumber number) const { return *workspaces.at(number.value - 1); }
  std::optional<WorkspaceNumber> find_workspace(std::string_view name) const {
    const auto at = workspaces_by_name.find(name);
    return at == workspaces_by_name.end() ? std::nullopt : std::optional(at->second);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(now, workspaces_by_name, workspaces, credentials, timers, unfinished);
    if constexpr (Archive::loads)
      for (std::uint32_t number = 1; a.good() && number <= workspaces.size(); ++number)
        watch_window(*this, WorkspaceNumber(number));
  }
};

}  // namespace parley::engine
