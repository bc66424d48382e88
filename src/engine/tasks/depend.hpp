// Tasks that wait for others (COL-10): an order whose task has a hard dependency is kept back until what it depends on
// is completed; of soft ones it is told which results are pending. Nobody waits for himself: cycles are refused.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/command.hpp"
#include "engine/decided.hpp"
#include "engine/tasks/moves.hpp"

namespace parley::engine {

constexpr std::size_t dependencies_max = 100;  // of one task (D11)
constexpr std::size_t dependents_max = 1'000;  // likewise

// Its order is held: accepted, and in no mailbox yet.
constexpr bool is_kept_back(TaskState state) {
  return state == TaskState::waiting || state == TaskState::blocked;
}
// An assignment that moves its task so.
inline bool keeps_back(const event::TaskMoved& moved) {
  return moved.assignee() != 0 && is_kept_back(static_cast<TaskState>(moved.state()));
}

// The order that makes this move reaches nobody yet: says so in the message, with why. False: it goes out.
bool mark_kept_back(const event::TaskMoved& moved, event::MessageAccepted& message);

// Whether its order may go out, by what is hard.
Readiness readiness_of(const std::vector<Dependency>& on);

// "'build-1' (active), 'build-2' (not assigned yet)": the first few, hard or soft, that are not completed; empty: all
// are.
std::string pending(const std::vector<Dependency>& on, bool soft);

// Why a blocked task cannot begin: what failed, and of what.
std::string why_blocked(const Workspace& workspace, const std::vector<Dependency>& on);

// What an assignment depends on: what was set before, and what it names itself. Errors: DEPENDENCY_CYCLE,
// DEPENDENCIES_FULL, PAYLOAD_TOO_LARGE.
base::Result<std::vector<Dependency>> dependencies_of(const AcceptMessage& command, const Workspace& workspace);

// An order in the place of another says anew what its task waits for: what that one had named counts no more.
void decide_named_dropped(Decided& decided, const AcceptMessage& command, const Workspace& workspace);

Dependency copy_of(const Dependency& dependency);
// As it stands now, or as `before` remembers it.
Dependency dependency_on(const Workspace& workspace, std::string_view id, bool soft, const TaskDependencies* before);

// What the assignment assigns as a part of this task: that waits for it, and not the other way round. Errors: those of
// dependencies_of.
base::Result<> check_part(const AcceptMessage& assignment, const Workspace& workspace, std::string_view whole);

// What the assignment at this offset names itself is among its task's from now on.
void apply_named(Workspace& workspace, const event::MessageAccepted& event);

// It is one of the parts of its whole; and a whole that is asked for parts, or given to somebody once more, has none.
void apply_part(Workspace& workspace, const event::MessageAccepted& event);
void drop_parts(Workspace& workspace, const Task& whole);

// The task has come to this state, or what it depends on is other: whoever must be looked at is looked at, at once.
void note_moved(State&, Workspace&, WorkspaceNumber, const Task&, Instant at);
// The task is kept back, and by now should not be, or for another reason.
bool stands_otherwise(const Workspace& workspace, const Task& task);

}  // namespace parley::engine
