#include "engine/mailboxes/failures.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/appliers.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/notice.hpp"

namespace parley::engine {

using base::ErrorCode;

profile::RetryPolicy retry_of(const RulesetOf& ruleset_of, const Workspace& workspace, const Message& message) {
  const bool by_server = message.sender == AgentNumber{};
  if (by_server && message.notice) return {};
  const AgentNumber whose = by_server ? message.receipts.front().agent : message.sender;
  const profile::Ruleset* const rules = ruleset_of(workspace.registry.agent(whose).properties.profile);
  profile::RetryPolicy policy = rules ? rules->retry : profile::RetryPolicy{};
  if (message.attempts_max > 0) policy.attempts = std::min<std::uint32_t>(policy.attempts, message.attempts_max);
  return policy;
}

void decide_dead(const Deciding& deciding, AgentNumber agent, Offset offset, std::string reason,
                 const LastAttempt& last) {
  event::DeadLettered& event = *deciding.decided.add(deciding.number).mutable_dead_lettered();
  event.set_agent(agent.value);
  event.set_message(offset.value);
  event.set_reason(reason);
  event.set_last_attempt(std::string(last.what));
  event.set_last_reason(std::string(last.reason));
  const Message& message = deciding.workspace().messages.at(offset);
  post_notice(deciding, message.sender,
              {.code = "dead", .about = {offset}, .agents = {agent}, .reason = std::move(reason)});
}

void decide_taken_back(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message,
                       AgentNumber agent, Offset by, bool kept_back) {
  const Message* const known = workspace.messages.find(message);
  const Receipt* const receipt = known ? known->receipt_of(agent) : nullptr;
  if (!receipt) return;
  const bool held = kept_back && receipt->state == ReceiptState::held;
  if (!open(receipt->state) && !held) return;
  decided.leaves(number, agent, message, known->length);
  event::MessagesSuperseded& event = *decided.add(number).mutable_messages_superseded();
  event.set_agent(agent.value);
  event.set_by(by.value);
  event.add_offsets(message.value);
}

namespace {

base::Result<> check_dead_letter(const Agent& agent, Offset message) {
  if (agent.dead_letters.contains(message)) return {};
  return base::fail(ErrorCode::NOT_FOUND, "no dead letter of that id is at '" + agent.id + "'", "delivery_id",
                    "It was redriven, discarded or taken back; the list shows what there is.");
}

std::unexpected<base::Error> over(std::string_view what, std::string_view id) {
  return base::fail(ErrorCode::STALE_ORDER, std::string(what) + " '" + base::excerpt(id, 128) + "' is over", {},
                    "Nobody is to act upon it: leave it, or assign or ask anew.");
}

}  // namespace

base::Result<> Engine::decide(const RedriveMessage& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Agent& agent = workspace.registry.agent(command.agent);
  PARLEY_CHECK(check_dead_letter(agent, command.message));
  if (agent.removed)
    return base::fail(ErrorCode::NOT_FOUND, "agent '" + agent.id + "' was removed; its dead letters stay to be read");
  const Message& message = workspace.messages.at(command.message);
  if (message.expires() && message.expires_at <= context.now)
    return base::fail(ErrorCode::EXPIRED, "the message expired at " + base::to_rfc3339(message.expires_at), {},
                      "Send it anew, if it still matters.");
  if (const auto of_task = workspace.tasks.of_assignment(command.message)) {
    const Task& task = workspace.tasks.at(*of_task);
    if (task.assignment() != command.message || task.assignee != command.agent)
      return base::fail(ErrorCode::STALE_ORDER,
                        "task '" + base::excerpt(task.id.view(), 128) + "' was assigned anew since", {},
                        "Leave it: the newest assignment holds.");
    if (machine::task::is_over(task.state)) return over("task", task.id.view());
  }
  const auto review = workspace.reviews.all().find(command.message);
  if (review != workspace.reviews.all().end() && review->second.state != ReviewState::requested)
    return over("review", review->second.id.view());
  const Help* const help = workspace.help.find(command.message);
  const bool passed_on = help && help->helper() != command.agent;
  if (message.over || passed_on) return over("what it asks for with message", message.id.view());
  event::Redriven& event = *decided.add(command.workspace).mutable_redriven();
  event.set_agent(command.agent.value);
  event.set_message(command.message.value);
  return {};
}

base::Result<> Engine::decide(const DiscardDeadLetter& command, const Context&, Decided& decided) const {
  PARLEY_CHECK(check_dead_letter(state_.workspace(command.workspace).registry.agent(command.agent), command.message));
  event::DeadLetterDiscarded& event = *decided.add(command.workspace).mutable_dead_letter_discarded();
  event.set_agent(command.agent.value);
  event.set_message(command.message.value);
  return {};
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::DeadLettered& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  const Offset offset(event.message());
  const Found found = find(workspace, scene.agent_number, offset);
  if (!found || !open(found.receipt->state)) return;  // ended by an earlier event of the same decision
  Agent& agent = scene.agent();
  DeadLetter letter{at, event.reason(), {}};
  if (const auto before = agent.attempts.find(offset); before != agent.attempts.end())
    letter.history = std::move(before->second);
  letter.history.push_back({at, found.receipt->epoch, event.last_attempt(), shared(event.last_reason())});
  ++found.receipt->attempts;
  if (found.receipt->state == ReceiptState::leased) give_back_later(scene, offset, *found.message);
  agent.dead_letters.emplace(offset, std::move(letter));
  agent.dead_bytes += found.message->length;
  close(scene, offset, *found.message, *found.receipt, ReceiptState::dead);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::Redriven& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  const Offset offset(event.message());
  const Found found = find(workspace, scene.agent_number, offset);
  redrive(scene, offset, *found.message, *found.receipt);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::DeadLetterDiscarded& event,
           Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  const Offset offset(event.message());
  const Found found = find(workspace, scene.agent_number, offset);
  end_dead_letter(scene, offset, *found.message, *found.receipt, ReceiptState::discarded);
}

}  // namespace parley::engine
