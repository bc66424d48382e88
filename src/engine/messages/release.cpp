#include "engine/messages/release.hpp"

#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/collaborations/follow.hpp"
#include "engine/errors/follow.hpp"
#include "engine/health/availability.hpp"
#include "engine/health/follow.hpp"
#include "engine/help/follow.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/directions.hpp"
#include "engine/messages/notice.hpp"
#include "engine/policy/policy.hpp"
#include "engine/requests/deadlock.hpp"
#include "engine/requests/follow.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/making.hpp"
#include "engine/tasks/session.hpp"

namespace parley::engine {
namespace {

Recipients recipients_of(const Workspace& workspace, const Message& message) {
  Recipients recipients;
  for (const Receipt& receipt : message.receipts) {
    if (receipt.state != ReceiptState::held) continue;
    const bool removed = workspace.registry.agent(receipt.agent).removed;
    (removed ? recipients.bounced : recipients.open).push_back(receipt.agent);
  }
  return recipients;
}

// What goes to nobody takes the place of nothing.
bool takes_place(const AcceptMessage& command, const Recipients& recipients) {
  return command.supersedes && !recipients.open.empty();
}

}  // namespace

base::Result<Release> judge_release(const Deciding& deciding, const Outgoing& outgoing) {
  const Workspace& workspace = deciding.workspace();
  const AcceptMessage& command = outgoing.command;
  const Context& context = deciding.context;
  const auto& expires_at = command.envelope.expires_at;
  if (expires_at && *expires_at <= context.now)
    return base::fail(base::ErrorCode::EXPIRED, "the message expired at " + base::to_rfc3339(*expires_at), {},
                      "It can only be rejected.");
  const Agent& sender = workspace.registry.agent(command.sender);
  const bool asks = awaits_answer(command) || asks_for_help(command);
  if (sender.removed && (asks || command.envelope.kind == envelope::Kind::task_assign))
    return base::fail(base::ErrorCode::AGENT_UNAVAILABLE,
                      "it is of " + base::quoted(sender.id) + ", which was removed: nobody would await " +
                          (asks ? "an answer" : "its result"),
                      {}, asks ? "It can only be rejected." : "It can only be rejected; assign the task anew.");
  PARLEY_CHECK(check_chain(command, workspace));
  if (!outgoing.changed.empty()) PARLEY_CHECK(check_sender(command, workspace.registry.agent(command.sender)));
  PARLEY_CHECK(check_request(command, workspace));
  PARLEY_CHECK(check_help(command, workspace));
  Release release{recipients_of(workspace, workspace.messages.at(outgoing.message)), {}, {}, {}};
  PARLEY_CHECK(check_deadlock(command, workspace, release.recipients));
  for (const AgentNumber agent : release.recipients.open)
    PARLEY_CHECK(check_available(command, workspace, workspace.registry.agent(agent), context.now));
  PARLEY_TRY(release.semantics,
             check_semantics(command, workspace, release.recipients, {Hold::released, outgoing.message}, context,
                             deciding.decided, release.warnings));
  if (takes_place(command, release.recipients)) {
    PARLEY_TRY(release.displaced,
               judge_superseded(command, workspace, release.semantics.task_moved.get(), Hold::released));
    warn_of_late(*command.supersedes, workspace, release.warnings);
  }
  return release;
}

void decide_release(const Deciding& deciding, const Outgoing& outgoing, Release release, std::string_view by,
                    const RulesetOf& ruleset_of) {
  const auto& [decided, state, number, context] = deciding;
  const auto& [offset, command, changed] = outgoing;
  const Workspace& workspace = deciding.workspace();
  const Message& message = workspace.messages.at(offset);
  const Recipients& recipients = release.recipients;
  event::MessageReleased& event = *decided.add(number).mutable_message_released();
  event.set_message(offset.value);
  event.set_changed(!changed.empty());
  if (!changed.empty())
    release.warnings.push_back({"", "CHANGED", "'" + std::string(by) + "' changed it before it was released."});
  event::MessageAccepted& as = *event.mutable_as();
  write(command, recipients, message.id.view(), {}, as);
  as.clear_id_key();
  if (message.sender == AgentNumber{}) as.clear_record_at();  // of an order that the server wrote (R12)
  if (message.linked && !command.supersedes) write_supersedes(workspace, offset, as);
  if (command.supersedes && !takes_place(command, recipients)) {
    as.clear_supersedes();
    as.clear_superseded_id();
  }
  follow_requests(command, workspace, context, as);
  follow_help(command, workspace, context, as, release.warnings);
  follow_collaborations(workspace, as);
  follow_session(command, workspace, as, release.warnings);
  follow_attempts(command, workspace, context.now, as);
  write(release.semantics.defects, *as.mutable_validation_errors());
  as.set_moves_nothing(release.semantics.moves_nothing);
  write(release.warnings, *as.mutable_warnings());
  if (release.semantics.task_moved) *as.mutable_task_moved() = *release.semantics.task_moved;
  if (release.semantics.error_moved) *as.mutable_error_moved() = *release.semantics.error_moved;
  decided.last().body = changed;
  if (const auto& moved = release.semantics.task_moved) {
    decide_named_dropped(decided, command, workspace);
    if (!replaces_order(release.displaced))
      decide_orders_over(decided, workspace, number, offset, *moved, command.lane);
    if (machine::task::is_over(static_cast<TaskState>(moved->state())))
      tell_of_offer_ended({deciding, Offset(moved->task()), &command.ruleset}, "the task has ended.");
  }
  for (const Displaced& one : release.displaced)
    decide_taken_back(deciding, *one.message, one.of, {offset, recipients.open}, ruleset_of);
  decide_help_told(deciding, command, as);
  if (release.semantics.error_moved) tell_of_waiting(deciding, command, as, ruleset_of);
  if (!recipients.bounced.empty())
    post_notice(deciding, command.sender,
                {.code = "bounced",
                 .about = {offset},
                 .agents = recipients.bounced,
                 .reason = "the recipient was removed",
                 .id = message.id.view()});
}

namespace {

// As it goes out: the changed copy takes the place of the message; the original stays in the log (R4).
void change(Message& message, const event::MessageAccepted& as, const Placed& placed) {
  message.position = placed.position;
  message.length = placed.body_length;
  message.priority = static_cast<Priority>(as.priority());
  message.attempts_max = static_cast<std::uint8_t>(as.attempts_max());
  message.expires_at = as.has_expires_at() ? base::instant_of(as.expires_at()) : Instant{};
  message.remarked = as.warnings_size() + as.validation_errors_size() > 0 || as.supersedes() > 0;
}

}  // namespace

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::MessageReleased& event,
           const Placed& placed) {
  const Offset offset(event.message());
  const event::MessageAccepted& as = event.as();
  apply_to_requests(state, workspace, number, offset, as);
  apply_to_tasks(state, workspace, number, offset, as, placed);
  apply_to_session(state, number, offset, as);
  apply_to_collaborations(workspace, offset, as, placed);
  apply_to_help(state, workspace, number, offset, as, placed);
  apply_to_errors(workspace, offset, as, placed.at);
  workspace.links.cut(offset);  // a human let it pass: what comes of it is judged anew
  apply_attempts(workspace, offset, as);
  const auto scene_of = [&](std::uint32_t agent) {
    return Scene{state, workspace, number, AgentNumber(agent), placed.at};
  };
  Message& message = *workspace.messages.find(offset);
  message.moves_nothing = as.moves_nothing();
  for (const std::uint32_t agent : as.recipients())
    end_hold(scene_of(agent), message, *message.receipt_of(AgentNumber(agent)));
  // Where nobody is left it may be forgotten with the last of them.
  for (const std::uint32_t agent : as.bounced()) {
    const Found found = find(workspace, AgentNumber(agent), offset);
    found.receipt->bounce = Bounce::removed;
    withhold(scene_of(agent), offset, *found.message, *found.receipt, ReceiptState::bounced);
  }
  if (as.recipients_size() == 0) return;
  if (event.changed()) change(message, as, placed);
  if (!as.record_at().empty())
    workspace.records.keep(as.task(), message.sender, {offset, message.position}, workspace.settings.kept_records);
  if (keeps_back(as.task_moved())) {
    for (const std::uint32_t agent : as.recipients())
      hold(scene_of(agent), message, *message.receipt_of(AgentNumber(agent)));  // COL-10: now for another reason
    return;
  }
  for (const std::uint32_t agent : as.recipients())
    enqueue(scene_of(agent), offset, message, *message.receipt_of(AgentNumber(agent)));
  if (message.expires()) state.timers.insert({message.expires_at, TimerKind::message_expires, number, {}, offset});
}

}  // namespace parley::engine
