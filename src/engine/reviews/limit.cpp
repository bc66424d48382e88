#include "engine/reviews/limit.hpp"

#include "base/quoted.hpp"
#include "engine/messages/said.hpp"

namespace parley::engine {
namespace {

using base::quoted;

std::string opening(const Review& review, const Task& task, std::uint32_t most) {
  return "Review " + quoted(review.id.view()) + " of task " + quoted(task.id.view()) +
         " asks for changes in iteration " + std::to_string(review.iteration) + " of " + std::to_string(most);
}

const machine::review::Move* limit_move(ReviewState to) {
  using machine::review::Step;
  for (const Step step : {Step::escalate, Step::force, Step::give_up})
    if (machine::review::move_of(step).to == to) return &machine::review::move_of(step);
  return nullptr;
}

std::string_view consequence(ReviewState state) {
  switch (state) {
    case ReviewState::escalated:
      return ": a human decides whether it is approved all the same, or planned anew.";
    case ReviewState::forced:
      return ": it is approved all the same, as the workspace has it; its findings stand.";
    default:
      return ": its task is aborted, as the workspace has it.";
  }
}

}  // namespace

std::uint32_t iterations_of(const AcceptMessage& command, const Task& task) {
  return task.max_iterations > 0 ? task.max_iterations : command.ruleset.reviews->iterations;
}

ReviewState outcome_of(ReviewState verdict, std::uint32_t iteration, std::uint32_t most, Escalation escalation) {
  if (verdict != ReviewState::changes_requested || iteration < most) return verdict;
  switch (escalation) {
    case Escalation::force_approve:
      return ReviewState::forced;
    case Escalation::abort:
      return ReviewState::exhausted;
    case Escalation::human_review:
      break;
  }
  return ReviewState::escalated;
}

std::optional<Asking> asking_of_review(const AcceptMessage& command, const Workspace& workspace,
                                       const event::ReviewMoved& moved) {
  if (static_cast<ReviewState>(moved.state()) != ReviewState::escalated) return std::nullopt;
  constexpr base::Duration day = std::chrono::hours(24);
  const Review& review = workspace.reviews.at(Offset(moved.review()));
  const Task& task = workspace.tasks.at(review.task);
  Asking asking;
  asking.subject = opening(review, task, iterations_of(command, task)) + ": approve it all the same?";
  asking.offered = set_of(Decision::approve);
  asking.timeout = command.ruleset.approvals ? command.ruleset.approvals->timeout : day;
  return asking;
}

void tell_of_limit(const Deciding& deciding, const AcceptMessage& command, const event::ReviewMoved& moved) {
  const machine::review::Move* const move = limit_move(static_cast<ReviewState>(moved.state()));
  if (!move) return;
  const Review& review = deciding.workspace().reviews.at(Offset(moved.review()));
  const Task& task = deciding.workspace().tasks.at(review.task);
  Saying saying;
  saying.task = task.id.view();
  saying.reply_to = command.envelope.message_id;
  saying.from = review.reviewer;
  saying.text = opening(review, task, iterations_of(command, task)) + std::string(consequence(*move->to));
  say_each(deciding, review.asker, command.ruleset, move->tells, saying);
}

}  // namespace parley::engine
