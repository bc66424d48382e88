#include "engine/reviews/time_out.hpp"

#include "base/quoted.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/messages/said.hpp"
#include "engine/reviews/end.hpp"

namespace parley::engine {

void decide_review_lapsed(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                          const profile::Ruleset* rules, const Context& context, const std::string& why) {
  const Workspace& workspace = state.workspace(number);
  const Review& review = workspace.reviews.at(offset);
  const Task& task = workspace.tasks.at(review.task);
  const machine::review::Move& move = machine::review::move_of(machine::review::Step::lapse);
  const std::string text =
      "Review " + base::quoted(review.id.view()) + " of task " + base::quoted(task.id.view()) + " lapsed: " + why;
  write_review_end(decided, workspace, number, offset, move, as_before_review(task), text);
  decide_taken_back(decided, workspace, number, offset, review.reviewer, Offset(decided.last().event.offset()));
  if (!rules) return;

  Saying saying;
  saying.task = task.id.view();
  if (const Message* const request = workspace.messages.find(offset)) saying.reply_to = request->id.view();
  saying.from = review.reviewer;
  saying.text =
      text + " The task is " + (task.in_part ? "done in part" : "completed") + " as it was; ask for a review anew.";
  for (const machine::review::Told& told : move.tells)
    if (const auto occasion = profile::occasion_named(told.occasion))
      say(decided, state, number, review.asker, *rules, *occasion, saying, context);
}

}  // namespace parley::engine
