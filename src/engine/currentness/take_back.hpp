// A sender takes its message back (BEY-03): rescinded, or superseded by another of its messages. What waits in a
// mailbox never comes out of it, who has it is told at the next act, what was done with it stays done. What the message
// began, an order, a request, an approval, ends with it.
#pragma once
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <span>
#include <vector>

#include "engine/deciding.hpp"
#include "engine/engine.hpp"
#include "engine/tasks/moves.hpp"

namespace parley::engine {

// What ends, or goes on, with the message.
struct Consequences {
  Offset cancels{};             // a task, by its order
  Offset resumes{};             // a task that it held
  Offset withdraws_offer{};     // of this task
  Offset withdraws_review{};    // that it asks for
  bool withdraws = false;       // its approval
  bool replaces_order = false;  // the new message is the same task's order
  Offset handed_over{};         // likewise, of a task that was handed over since: the offer that its owner has taken
  bool later = false;           // all of it, once a human has let the new message pass (decision 10)
};

// A message in whose place another comes. Where that one was held it is two: it, and what it would have taken the place
// of.
struct Displaced {
  const TakeBack* message;
  Consequences of;
};
using AllDisplaced = absl::InlinedVector<Displaced, 2>;

inline bool replaces_order(const AllDisplaced& all) {
  return std::ranges::any_of(all, [](const Displaced& one) { return one.of.replaces_order; });
}

// What stands in its place, and whom that reaches.
struct InItsPlace {
  Offset by;  // 0: nothing does
  std::span<const AgentNumber> reached;
};

// Of a message whose id is known: whether it superseded that one when it came. Error: ID_CONFLICT.
base::Result<> check_repeated(const TakeBack& superseded, const Workspace& workspace, Offset known);

// That nobody has taken it back yet. Error: TAKEN_BACK.
base::Result<> check_not_taken_back(const TakeBack& superseded, const Workspace& workspace);

// It never counted: a human, or time, has rejected it, or it was withdrawn.
bool was_withheld(const Workspace& workspace, Offset message);

// Whether what comes in the place of a correction that was not let through comes in its place too: an order whose task
// is over is in force no more, nor is what can no longer be taken back.
bool is_in_force(const TakeBack& message, const Workspace& workspace);

// The message in force that this one supersedes; null: none.
const TakeBack* in_force(const AcceptMessage& command);

// Of whatever the message supersedes. `moved`: what it means for a task; null: nothing. What is in force stands as long
// as the new message is held, and may be rejected. Errors: TAKEN_BACK, STANDS, CHAIN_FULL.
base::Result<AllDisplaced> judge_superseded(const AcceptMessage& command, const Workspace& workspace,
                                            const event::TaskMoved* moved, Hold hold);

// The messages in whose place it comes, in the order of `judge_superseded`; and what leaves the agent's mailbox with
// them.
absl::InlinedVector<Offset, 2> superseded_by(const AcceptMessage& command);
Load leaving_load(std::span<const Offset> messages, const Workspace& workspace, AgentNumber agent);

// D7: its sender hears at once who has the message already.
void warn_of_late(const TakeBack& command, const Workspace& workspace, std::vector<base::Problem>& warnings);

void decide_taken_back(const Deciding& deciding, const TakeBack& command, const Consequences& consequences,
                       const InItsPlace& place, const RulesetOf& ruleset_of);

// Of a held message that goes out: in whose place it stands.
void write_supersedes(const Workspace& workspace, Offset message, event::MessageAccepted& event);

// The order that a task's assigner gives anew while it stands (000 §4): the task's next epoch.
bool supersedes_order(const AcceptMessage& command, const Task& task);

}  // namespace parley::engine
