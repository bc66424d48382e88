// What an accepted message means for a review, and through it for its task: the move it makes in
// spec/machines/review.json, or why it makes none (COL-11, COL-17).
#pragma once
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {

struct ReviewStep {
  event::ReviewMoved review;
  TaskMove task;
};

// Before acceptance; `to` are its recipients, rising. None: the message is of no review. Error: TASK_UNKNOWN,
// OUT_OF_SEQUENCE, NOT_PARTY, REVIEWER_IS_AUTHOR, ID_CONFLICT, REVIEWS_FULL, TASKS_FULL, REVIEW_UNKNOWN,
// VERDICT_UNFOUNDED, FINDING_UNKNOWN, PAYLOAD_TOO_LARGE, those of evidence. Appends warnings.
base::Result<std::optional<ReviewStep>> review_move(const AcceptMessage& command, const Workspace& workspace,
                                                    const std::vector<AgentNumber>& to, const Context& context,
                                                    std::vector<base::Problem>& warnings);

// The move of the message at this offset; it is in the state already, and so is its task's.
void apply_to_reviews(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&, const Placed&);

}  // namespace parley::engine
