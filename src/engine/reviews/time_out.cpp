#include "engine/reviews/time_out.hpp"

#include "base/excerpt.hpp"
#include "engine/messages/said.hpp"
#include "engine/reviews/end.hpp"

namespace parley::engine {
namespace {

// Whoever has not begun to read it need not.
void take_back_request(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset offset,
                       AgentNumber reviewer) {
  const Message* const message = workspace.messages.find(offset);
  const Receipt* const receipt = message ? message->receipt_of(reviewer) : nullptr;
  if (!receipt || !open(receipt->state)) return;
  event::MessagesSuperseded& event = *decided.add(number).mutable_messages_superseded();
  event.set_agent(reviewer.value);
  event.add_offsets(offset.value);
}

}  // namespace

void decide_review_lapsed(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                          const profile::Ruleset* rules, const Context& context, const std::string& why) {
  const Workspace& workspace = state.workspace(number);
  const Review& review = workspace.reviews.at(offset);
  const Task& task = workspace.tasks.at(review.task);
  const machine::review::Move& move = machine::review::move_of(machine::review::Step::lapse);
  const std::string text = "Review '" + base::excerpt(review.id.view(), 128) + "' of task '" +
                           base::excerpt(task.id.view(), 128) + "' lapsed: " + why;
  write_review_end(decided, workspace, number, offset, move, machine::task::move_of(machine::task::Step::end_review),
                   text);
  take_back_request(decided, workspace, number, offset, review.reviewer);
  if (!rules) return;

  Saying saying;
  saying.task = task.id.view();
  if (const Message* const request = workspace.messages.find(offset)) saying.reply_to = request->id.view();
  saying.from = review.reviewer;
  saying.text = text + " The task is completed as it was; ask for a review anew.";
  for (const machine::review::Told& told : move.tells)
    if (const auto occasion = profile::occasion_named(told.occasion))
      say(decided, state, number, review.asker, *rules, *occasion, saying, context);
}

}  // namespace parley::engine
