// Moves of tasks that the server makes by itself: the fact, with what it tells in the profile's words (R31). Internal
// to the folder, but for the messages that end a task.
#pragma once
#include <string>

#include "engine/deciding.hpp"
#include "engine/messages/said.hpp"
#include "machine/task.hpp"

namespace parley::engine {

// One task, and what is decided of it. `rules`: its assigner's; null where its profile is gone.
struct TaskScene : Deciding {
  Offset offset;
  const profile::Ruleset* rules;

  const Task& task() const { return workspace().tasks.at(offset); }
};

// A move of the server's own, and what it says of it.
struct Making {
  machine::task::Step step;
  bool late;
  std::string text;
  TaskWatch watch{};  // of a move that changes its times
  const event::TaskError* error = nullptr;
  bool cleanup = false;
  AgentNumber by{};  // who asked for it, and need not be told; 0: the server, or who manages the workspace
};

void make(const TaskScene& scene, const Making& making);
std::string warning_of_deadline(const TaskScene& scene);

// An order that would go out now reaches somebody who gets new work (HND-05, SUP-07, R39).
bool assignee_takes_work(const TaskScene& scene);

// The fact alone, of a task that stays as it is; the caller writes what is other.
event::TaskMoved& begin_move(const TaskScene& scene);
// Tells what a move of this kind tells.
void tell(const TaskScene& scene, const machine::task::Move& move, const Making& making);

// In a notice where the profile has no words for it (R31): of its end to its assignee, if that has seen the order; of
// its end and of more time to its assigner.
void say_of_task(const TaskScene& scene, AgentNumber to, profile::Occasion occasion, const Saying& saying);

// "Task 'x' of 'developer-01'": for whoever reads it.
std::string opening(const Workspace& workspace, const Task& task);
// "Task 'x' of 'developer-01' is offered to 'developer-02' no more: ", and why.
std::string offered_no_more(const TaskScene& scene, const std::string& why);
// HND-02: where it was offered, the offer ends with it. Whom that was for hears of it, if it has seen the offer.
void tell_of_offer_ended(const TaskScene& scene, const std::string& why);
event::TaskError error_of(TaskErrorType type, bool recoverable, std::string message);

const profile::Recovery* recovery_of(const profile::Ruleset* rules, TaskErrorType type);

// When what is kept back has waited too long; 0: never.
Instant order_expires_at(const TaskScene& scene);

// It fails, and what is open of it ends. `decided_by_human`: its approval has ended already.
void give_up(const TaskScene& scene, const event::TaskError& error, const std::string& why,
             bool decided_by_human = false);
// Its order can be had once more: it is still to be read, or was, and has not expired.
bool can_be_given_again(const TaskScene& scene);
// With more time, where the profile says so.
void give_again(const TaskScene& scene);

}  // namespace parley::engine
