#include "engine/reviews/time_out.hpp"

#include "base/quoted.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/messages/said.hpp"
#include "engine/reviews/end.hpp"

namespace parley::engine {

void decide_review_lapsed(const Deciding& deciding, Offset offset, const profile::Ruleset* rules,
                          const std::string& why) {
  Decided& decided = deciding.decided;
  const WorkspaceNumber number = deciding.number;
  const Workspace& workspace = deciding.workspace();
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
  say_each(deciding, review.asker, *rules, move.tells, saying);
}

}  // namespace parley::engine
