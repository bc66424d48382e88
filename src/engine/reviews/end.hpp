// The end of a review that no message brings, as the facts that it is: the review's move, and its task's.
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// Where the task goes whose review ends without a verdict: to where it was.
const machine::task::Move& as_before_review(const Task& task);

void write_review_end(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset review,
                      const machine::review::Move& of_review, const machine::task::Move& of_task,
                      const std::string& why);

// The task is aborted: a review of it that waits, for its reviewer or for a human, is withdrawn.
void decide_review_withdrawn(const Deciding& deciding, Offset task);

// An approval was decided, or lapsed: where a review waits for it, that ends too (COL-12, R14).
void decide_review(const Deciding& deciding, Offset approval, machine::approval::State to, const std::string& why);

}  // namespace parley::engine
