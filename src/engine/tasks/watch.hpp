// When the server looks at a task by itself, and what it then says: progress that is overdue, deadlines, silence, time
// that is over (COL-07, COL-08, SUP-09).
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// What holds here: the profile's, but for what the workspace sets.
profile::TaskPolicy policy_of(const profile::TaskPolicy& of_profile, const TaskTimes& times);

// When to look at it next; 0: never. `spoke_at`: when its assignee last did, of whatever.
Instant due_of(TaskState state, const TaskWatch& watch, const profile::TaskPolicy& policy, const TaskOffer* offer,
               Instant spoke_at = {});

// Only appliers call it.
void look_at(State& state, WorkspaceNumber workspace, Offset offset, Task& task, Instant due);

// `rules`: its assigner's, or null where its profile is gone.
void decide_task_due(const Deciding& deciding, Offset task, const profile::Ruleset* rules);

// As the watch is once a task is held no more: what a human took for the decision counts against nobody.
TaskWatch resumed(const Task& task, Instant now);

// As the watch is once a human has answered its assignee: likewise (SUP-05).
TaskWatch answered(const Task& task, Instant now);

// As the watch is once its order goes out that was kept back: its time begins then.
TaskWatch begun_now(const TaskWatch& before, Instant now);

// Of a task that is kept back: what may come before it goes out. `expires_at`: its order's; 0: never.
Instant due_while_kept_back(const TaskWatch& watch, Instant expires_at);

// What would have ended it was rejected: it goes on with its assignee.
void decide_resumed(const Deciding& deciding, Offset task, const profile::Ruleset* rules);

// Its assignee can do no more: the task fails, and its assigner is told.
void decide_given_up(const Deciding& deciding, Offset task, const profile::Ruleset* rules, const std::string& why);

// Its assignee reports that it went wrong: the order is given again, as often as the profile says, or the task fails
// (COL-16).
void decide_attempt_failed(const Deciding& deciding, Offset task, const profile::Ruleset* rules,
                           const event::TaskError& error);

// It may take until then (R38).
struct MoreTime {
  Instant until;
  std::string why;
  AgentNumber by;  // who asks for it; 0: who manages the workspace
};
void decide_extended(const Deciding& deciding, Offset task, const profile::Ruleset* rules, const MoreTime& more);

// The offer of it is open no more: both who made it and whom it was for are told why.
void decide_offer_over(const Deciding& deciding, Offset task, const profile::Ruleset* rules, const std::string& why);

// It ends, whatever its state, and everybody concerned hears of it (COL-20): its assignee, who is asked to judge it,
// and its assigner where another asks for its end.
struct Cancelling {
  std::string reason;
  bool cleanup = false;
  AgentNumber by;  // 0: who manages the workspace
};
void decide_cancelled(const Deciding& deciding, Offset task, const profile::Ruleset* rules, const Cancelling& why);

constexpr base::Duration longest_timeout = std::chrono::hours(24 * 30);
constexpr std::size_t assignments_max = 100;  // of one task (D11)

// Work that is given although the time by which it was wanted is over: accepted, and said.
void warn_if_over(Instant deadline, Instant now, std::vector<base::Problem>& warnings);

}  // namespace parley::engine
