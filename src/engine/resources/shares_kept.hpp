// While a task changes: what its assignee may still use for it moves with it, and is set free when it ends. Only
// appliers make one.
#pragma once
#include "engine/workspaces/workspace.hpp"

namespace parley::engine {

class SharesKept {
 public:
  SharesKept(Workspace& workspace, const Task& task);
  SharesKept(const SharesKept&) = delete;
  SharesKept& operator=(const SharesKept&) = delete;
  ~SharesKept();

 private:
  Workspace& workspace_;
  const Task& task_;
  struct Holding {
    AgentNumber agent;
    Amount tokens, budget;
    bool overdrawn = false;
    friend bool operator==(const Holding&, const Holding&) = default;
  };
  static Holding of(const Task& task);
  const Holding before_;
};

}  // namespace parley::engine
