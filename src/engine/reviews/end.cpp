#include "engine/reviews/end.hpp"

#include "base/excerpt.hpp"
#include "engine/approvals/held.hpp"

namespace parley::engine {

namespace {

constexpr std::size_t move_why_bytes = 1'024;

void write_review_move(Decided& decided, const Review& review, WorkspaceNumber number, Offset offset,
                       const machine::review::Move& move, const std::string& why) {
  event::ReviewMoved& moved = *decided.add(number).mutable_review_moved();
  moved.set_review(offset.value);
  moved.set_state(static_cast<std::uint32_t>(*move.to));
  moved.set_task(review.task.value);
  moved.set_asker(review.asker.value);
  moved.set_reviewer(review.reviewer.value);
  moved.set_id(std::string(review.id.view()));
  moved.set_why(base::excerpt(why, move_why_bytes));
}

}  // namespace

const machine::task::Move& as_before_review(const Task& task) {
  using machine::task::Step;
  return machine::task::move_of(task.in_part ? Step::end_review_in_part : Step::end_review);
}

void write_review_end(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset offset,
                      const machine::review::Move& of_review, const machine::task::Move& of_task,
                      const std::string& why) {
  const Review& review = workspace.reviews.at(offset);
  const Task& task = workspace.tasks.at(review.task);
  write_review_move(decided, review, number, offset, of_review, why);
  event::TaskMoved& moved = *decided.add(number).mutable_task_moved();
  moved.set_task(review.task.value);
  moved.set_id(std::string(task.id.view()));
  moved.set_state(static_cast<std::uint32_t>(*of_task.to));
  moved.set_epoch(task.epoch);
  moved.set_assigner(task.assigner.value);
  moved.set_assignee(task.assignee.value);
  moved.set_late(task.watch.late);
  moved.set_why(base::excerpt(why, move_why_bytes));
}

void decide_review_withdrawn(const Deciding& deciding, Offset task) {
  const Workspace& workspace = deciding.workspace();
  const auto waiting = workspace.reviews.waiting(task);
  if (!waiting) return;
  const Review& review = workspace.reviews.at(*waiting);
  write_review_move(deciding.decided, review, deciding.number, *waiting,
                    machine::review::move_of(machine::review::Step::withdraw), "its task was aborted.");
  const Approval* const approval = workspace.approvals.find(review.ended_by);
  if (review.state == ReviewState::escalated && approval && approval->waits())
    decide_withdrawn(deciding.decided, workspace, deciding.number, review.ended_by);
}

void decide_review(const Deciding& deciding, Offset approval, machine::approval::State to, const std::string& why) {
  using OfApproval = machine::approval::State;
  using OfReview = machine::review::Step;
  using OfTask = machine::task::Step;
  const Workspace& workspace = deciding.workspace();
  const auto review = workspace.reviews.of_approval(approval);
  if (!review || !machine::approval::is_over(to)) return;
  const auto end = [&](OfReview of_review, OfTask of_task) {
    write_review_end(deciding.decided, workspace, deciding.number, *review, machine::review::move_of(of_review),
                     machine::task::move_of(of_task), why);
  };
  if (to == OfApproval::lapsed) return end(OfReview::nobody_decides, OfTask::nobody_decides);
  if (to == OfApproval::rejected) return end(OfReview::human_rejects, OfTask::human_rejects);
  end(OfReview::human_approves, OfTask::human_passes);
}

}  // namespace parley::engine
