// What a task is given of the resources when it is assigned or handed over, and whether there is as much left
// (HND-12, HND-13, R39): of its own budget, of its assignee's allocation, of the workspace's total.
#pragma once
#include "engine/command.hpp"
#include "event/events.pb.h"

namespace parley::engine {

// As the message states it.
struct WantedAmounts {
  std::optional<Amount> tokens, budget;
  bool of_budget = false;  // its type has a place for one: what states none may cost what the policy says
};
WantedAmounts wanted_in(const AcceptMessage& command);

// Of an assignment; `task`: null where it is a new one. Of a hand-over: the new owner gets what the owner of now has
// left, or what was agreed; where there are budget_limits no more. Writes what it is given into the move. Error:
// BUDGET_EXCEEDED, with what is left.
struct Giving {
  AgentNumber to;
  const Task* task = nullptr;
  bool hands_over = false;
  WantedAmounts wanted;
};
base::Result<> allot(const Workspace& workspace, const Giving& giving, event::TaskMoved& moved);

// An agent's own limit, else the policy's for each agent.
std::optional<Amount> limit_of(const Settings& settings, const Agent& agent, Resource resource);

// Why an agent gets nothing new, for whoever reads it; empty: it may.
std::string spent_by(const Settings& settings, const Agent& agent, Instant now);

// "40 of budget"
std::string of_resource(Amount amount, Resource resource);

// Of the move: what it gives, into the task that it is of. Called by its applier alone.
void give(Task& task, const event::TaskMoved& event);

}  // namespace parley::engine
