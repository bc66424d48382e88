// Why a message makes no move of a task, and what its sender may send instead (BEY-02).
#pragma once
#include <initializer_list>

#include "base/result.hpp"
#include "engine/command.hpp"

namespace parley::engine {

// Who has a part in a task, each once: its assignee, its assigner, whom it is offered to, who reviews it. In the place
// of an assigner that was removed anybody has whose role sends what it would: the first few of them.
std::vector<AgentNumber> who_may_move(const Workspace& workspace, const Task& task, const profile::Ruleset& rules);

// The profile's types of these kinds that the agent's role may send, each once.
std::vector<std::string> types_of(const profile::Ruleset& rules, std::initializer_list<envelope::Kind> kinds,
                                  const Agent& agent);

// The types an agent may send about a task as it stands, in its profile's order of moves.
std::vector<std::string> legal_next(const Workspace& workspace, const Task& task, const profile::Ruleset& rules,
                                    AgentNumber agent);

// Or to begin it, where there is none yet (BEY-02).
std::vector<std::string> legal_about(const Workspace& workspace, std::string_view task, const profile::Ruleset& rules,
                                     AgentNumber agent);

// Of a message about the task, with who may send what instead.
base::Error refusal(base::ErrorCode code, const AcceptMessage& command, const Workspace& workspace, const Task& task,
                    std::string message);
// Of what an agent, or who manages the workspace (0), asks by a call.
base::Error refusal(base::ErrorCode code, const Workspace& workspace, const Task& task, const profile::Ruleset* rules,
                    AgentNumber by, std::string message);
base::Error task_unknown(const AcceptMessage& command, const Workspace& workspace, std::string_view id);
// Another's move, or nobody's from the state the task is in.
base::Error no_move(const AcceptMessage& command, const Workspace& workspace, const Task& task);
base::Error stale_order(const AcceptMessage& command, const Workspace& workspace, const Task& task);
// A human has yet to decide what its assignee asked about it; `by_human`: who is refused is one, and not the assignee.
base::Error undecided(const AcceptMessage& command, const Workspace& workspace, const Task& task,
                      const Approval& approval, bool by_human);
// No offer that is open has the id that an answer names.
base::Error no_offer(const AcceptMessage& command);
base::Error offered_to_itself(const AcceptMessage& command, const Workspace& workspace, const Task& task);
// The message must reach `who`.
base::Error goes_past(const AcceptMessage& command, const Workspace& workspace, const Task& task, AgentNumber who);

}  // namespace parley::engine
