// When the server looks at a task by itself, and what it then says: progress that is overdue, deadlines, silence, time
// that is over (COL-07, COL-08, SUP-09).
#pragma once
#include "engine/command.hpp"
#include "engine/decided.hpp"

namespace parley::engine {

// What holds here: the profile's, but for what the workspace sets.
profile::TaskPolicy policy_of(const profile::TaskPolicy& of_profile, const TaskTimes& times);

// When to look at it next; 0: never.
Instant due_of(TaskState state, const TaskWatch& watch, const profile::TaskPolicy& policy, const TaskOffer* offer);

// `rules`: its assigner's, or null where its profile is gone.
void decide_task_due(Decided& decided, const State& state, WorkspaceNumber workspace, Offset task,
                     const profile::Ruleset* rules, const Context& context);

// As the watch is once a task is held no more: what a human took for the decision counts against nobody.
TaskWatch resumed(const Task& task, Instant now);

// What would have ended it was rejected: it goes on with its assignee.
void decide_resumed(Decided& decided, const State& state, WorkspaceNumber workspace, Offset task,
                    const profile::Ruleset* rules, const Context& context);

// Its assignee can do no more: the task fails, and its assigner is told.
void decide_given_up(Decided& decided, const State& state, WorkspaceNumber workspace, Offset task,
                     const profile::Ruleset* rules, const Context& context, std::string_view error,
                     const std::string& why);

}  // namespace parley::engine
