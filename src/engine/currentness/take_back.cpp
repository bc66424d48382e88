#include "engine/currentness/take_back.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/held.hpp"
#include "engine/approvals/questions.hpp"
#include "engine/errors/follow.hpp"
#include "engine/help/follow.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/notice.hpp"
#include "engine/messages/said.hpp"
#include "engine/requests/follow.hpp"
#include "engine/reviews/end.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {

namespace {

using base::ErrorCode;
using base::quoted;
using envelope::Kind;

constexpr std::size_t told_max = 100;  // agents that have it, by a notice each (D11); the others hear when they act
constexpr std::size_t reason_bytes = 1'000;

std::string about(const Workspace& workspace, Offset message) {
  const Message* const known = workspace.messages.find(message);
  return known ? "message " + quoted(known->id.view()) : "the message at offset " + std::to_string(message.value);
}

std::unexpected<base::Error> taken_back(const Workspace& workspace, Offset message, Offset by) {
  if (by == Offset{})
    return base::fail(ErrorCode::TAKEN_BACK, about(workspace, message) + " was rescinded", "message_id",
                      "Send what is to hold now as a new message.");
  const Offset newest = workspace.replacements.newest(message);
  return base::fail(ErrorCode::TAKEN_BACK, about(workspace, message) + " was superseded by " + about(workspace, by),
                    "message_id",
                    newest == Offset{} ? "Send what is to hold now as a new message."
                                       : "Take back " + about(workspace, newest) + ": it stands there now.");
}

std::unexpected<base::Error> stands(const Workspace& workspace, const TakeBack& command, const std::string& did) {
  return base::fail(ErrorCode::STANDS,
                    "'" + command.was.native_type() + "' " + about(workspace, command.message).substr(8) + ' ' + did,
                    "message_id");
}

// Also what has reached nobody yet (COL-10).
bool can_be_cancelled(TaskState state) {
  return state == TaskState::assigned || state == TaskState::active || state == TaskState::stalled ||
         state == TaskState::postponed || state == TaskState::waiting || state == TaskState::blocked;
}

base::Result<Consequences> judge_order(const TakeBack& command, const Workspace& workspace, Offset of_task) {
  const Task& task = workspace.tasks.at(of_task);
  if (machine::task::is_over(task.state)) return Consequences{};
  if (task.assignment() != command.message && task.ordered != command.message) return Consequences{};
  // An offer that was taken is its new owner's order, and the task still its assigner's (HND-02).
  if (workspace.messages.at(command.message).sender != task.assigner)
    return stands(
        workspace, command,
        "was taken: task " + quoted(task.id.view()) + " is " + std::string(machine::task::name(task.state)) + " now");
  if (can_be_cancelled(task.state)) return Consequences{.cancels = of_task};
  return stands(
      workspace, command,
      "was acted upon: task " + quoted(task.id.view()) + " is " + std::string(machine::task::name(task.state)));
}

base::Result<Consequences> judge_move(const TakeBack& command, const Workspace& workspace) {
  const event::TaskMoved& moved = command.was.task_moved();
  if (moved.assignee() != 0 && !moved.has_offer()) return Consequences{};  // an order that nobody knows any more
  if (static_cast<Kind>(command.was.kind()) == Kind::task_progress) return Consequences{};
  const Offset of_task = moved.task() == 0 ? command.message : Offset(moved.task());
  const auto task = workspace.tasks.all().find(of_task);
  if (task == workspace.tasks.all().end()) return stands(workspace, command, "moved a task that is over");
  return stands(workspace, command,
                "moved task " + quoted(task->second->id.view()) + ", which is " +
                    std::string(machine::task::name(task->second->state)) + " now");
}

// A request says its id, a result which request it answers.
std::string name_of_review(const Workspace& workspace, const event::ReviewMoved& moved) {
  const auto known = workspace.reviews.all().find(Offset(moved.review()));
  if (known != workspace.reviews.all().end()) return "review " + quoted(known->second.id.view());
  return moved.id().empty() ? "a review that is forgotten" : "review " + quoted(moved.id());
}

bool answers(const event::MessageAccepted& message) {
  const bool of_help =
      message.help_moved().help() != 0 && static_cast<HelpState>(message.help_moved().state()) != HelpState::asked;
  return message.answers() > 0 || of_help;
}

base::Result<Consequences> judge(const TakeBack& command, const Workspace& workspace) {
  PARLEY_CHECK(check_not_taken_back(command, workspace));
  const auto review = workspace.reviews.all().find(command.message);
  if (review != workspace.reviews.all().end() && review->second.state == ReviewState::requested)
    return Consequences{.withdraws_review = command.message};
  if (command.was.has_review_moved())
    return stands(workspace, command,
                  "moved " + name_of_review(workspace, command.was.review_moved()) + " to " +
                      std::string(machine::review::name(static_cast<ReviewState>(command.was.review_moved().state()))));
  const auto of_error = static_cast<ErrorState>(command.was.error_moved().state());
  if (machine::error_case::is_over(of_error)) return stands(workspace, command, "has decided on errors");
  const Approval* const approval =
      command.was.approval_timeout() > 0 ? workspace.approvals.find(command.message) : nullptr;
  if (approval && approval->waits()) {
    Consequences consequences{.withdraws = true};
    const auto task = approval->holds ? workspace.tasks.find(approval->task) : std::nullopt;
    if (task && workspace.tasks.at(*task).held == command.message) consequences.resumes = *task;
    return consequences;
  }
  if (was_withheld(workspace, command.message)) return Consequences{};
  // What was held has moved nothing when it came, and may have when it was released: its task tells.
  if (const auto known = workspace.tasks.of_assignment(command.message)) return judge_order(command, workspace, *known);
  if (const auto known = workspace.tasks.of_offer(command.message)) return Consequences{.withdraws_offer = *known};
  if (command.was.has_collaboration_moved() && command.was.collaboration_moved().collaboration() == 0)
    return stands(workspace, command, "has opened a collaboration");
  if (command.was.has_task_moved()) return judge_move(command, workspace);
  // PIP-08, HND-04: whoever asked awaits nothing any more. An error is its agent's to take back all the same (PIP-11).
  if (!answers(command.was) || command.was.has_error_moved()) return Consequences{};
  auto error = stands(workspace, command, "has answered a request");
  error.error().hint = "Send what corrects it to whoever asked, as a message of its own.";
  return error;
}

// It reaches nobody either before a human has decided.
bool is_held(const Workspace& workspace, Offset message) {
  const Approval* const approval = workspace.approvals.find(message);
  return approval && approval->holds && approval->waits();
}

bool ends(ReceiptState state) {
  return open(state) || state == ReceiptState::held || state == ReceiptState::dead;
}

bool has_it(ReceiptState state) {
  return state == ReceiptState::leased || state == ReceiptState::acked || state == ReceiptState::offered;
}

constexpr std::string_view took_back = "its sender took it back";
constexpr std::string_view replaced = "its sender put another in its place";
constexpr std::string_view ordered_anew = "another order of its task stands in its place";

std::string with_reason(std::string_view why, const TakeBack& command) {
  std::string text(why);
  return command.reason.empty() ? text : text + ": " + base::excerpt(command.reason, reason_bytes);
}

// Whom nothing else tells: what stands in its place does not reach them. `offset`: what they have, the message or the
// offer of its task.
void tell_who_has_it(const Deciding& deciding, const TakeBack& command, Offset offset, const InItsPlace& place) {
  const Message& message = deciding.workspace().messages.at(offset);
  const std::string_view did = place.by == Offset{} ? took_back : offset == command.message ? replaced : ordered_anew;
  const std::string reason = with_reason(did, command);
  std::size_t told = 0;
  for (const Receipt& receipt : message.receipts) {
    if (!has_it(receipt.state) || std::ranges::binary_search(place.reached, receipt.agent)) continue;
    if (++told > told_max) return;
    post_notice(deciding, receipt.agent,
                {.code = place.by == Offset{} ? "rescinded" : "superseded",
                 .about = {offset},
                 .agents = {receipt.agent},
                 .reason = reason});
  }
}

}  // namespace

bool was_withheld(const Workspace& workspace, Offset message) {
  const Approval* const approval = workspace.approvals.find(message);
  if (approval && approval->holds && !approval->waits()) return !approval->let_through();
  return std::ranges::any_of(workspace.messages.at(message).receipts,
                             [](const Receipt& receipt) { return receipt.state == ReceiptState::rejected; });
}

base::Result<> check_repeated(const TakeBack& superseded, const Workspace& workspace, Offset known) {
  const Replacements::Before* const before = workspace.replacements.before(known);
  if (before && before->message == superseded.message) return {};
  const Approval* const approval = workspace.approvals.find(known);
  if (approval && approval->supersedes == superseded.message) return {};
  return base::fail(ErrorCode::ID_CONFLICT,
                    about(workspace, known) + " was accepted before, and superseded " +
                        (before ? "message " + quoted(before->id.view()) : "nothing"),
                    "message_id", "Give the message that supersedes an id of its own.");
}

bool supersedes_order(const AcceptMessage& command, const Task& task) {
  const TakeBack* const before = in_force(command);
  return before && !task.offer && (before->message == task.assignment() || before->message == task.ordered);
}

base::Result<> check_not_taken_back(const TakeBack& superseded, const Workspace& workspace) {
  const bool linked = workspace.messages.at(superseded.message).linked;
  const Offset* const by = linked ? workspace.replacements.after(superseded.message) : nullptr;
  if (by) return taken_back(workspace, superseded.message, *by);
  return {};
}

bool is_in_force(const TakeBack& message, const Workspace& workspace) {
  const auto of_task = workspace.tasks.of_assignment(message.message);
  const Task* const task = of_task ? &workspace.tasks.at(*of_task) : nullptr;
  const bool is_its_order = !task || (!machine::task::is_over(task->state) &&
                                      (task->assignment() == message.message || task->ordered == message.message));
  return is_its_order && judge(message, workspace);
}

const TakeBack* in_force(const AcceptMessage& command) {
  return command.supersedes && command.supersedes->beneath ? command.supersedes->beneath : command.supersedes;
}

namespace {

base::Result<Consequences> judge_superseded(const TakeBack& superseded, const Workspace& workspace,
                                            const event::TaskMoved* moved, Hold hold) {
  PARLEY_TRY(Consequences consequences, judge(superseded, workspace));
  if (workspace.replacements.depth(superseded.message) + 1 >= Replacements::chain_max)
    return base::fail(ErrorCode::CHAIN_FULL,
                      about(workspace, superseded.message) + " is the last of a chain of " +
                          std::to_string(Replacements::chain_max) + " messages, which is the limit",
                      "message_id", "Rescind it, and send the next as a new message.");
  const bool counts = !is_held(workspace, superseded.message) && !was_withheld(workspace, superseded.message);
  if (hold == Hold::held && counts) return Consequences{.later = true};
  // What moves the task itself says what becomes of it.
  if (moved && consequences.cancels != Offset{} && Offset(moved->task()) == consequences.cancels) {
    const Offset order = workspace.tasks.at(consequences.cancels).assignment();
    consequences.cancels = {};
    if (moved->assignee() != 0 && order == superseded.message) consequences.replaces_order = true;
    if (moved->assignee() != 0 && order != superseded.message) consequences.handed_over = order;
  }
  if (moved && consequences.withdraws_offer != Offset{} && Offset(moved->task()) == consequences.withdraws_offer)
    return stands(workspace, superseded, "offers the task that the new message moves");
  if (moved && consequences.withdraws_review != Offset{} &&
      Offset(moved->task()) == workspace.reviews.at(consequences.withdraws_review).task)
    consequences.withdraws_review = {};
  if (moved && consequences.resumes != Offset{} && Offset(moved->task()) == consequences.resumes) {
    consequences.resumes = {};
    if (static_cast<TaskState>(moved->state()) == TaskState::aborted) consequences.withdraws = false;
  }
  return consequences;
}

}  // namespace

base::Result<AllDisplaced> judge_superseded(const AcceptMessage& command, const Workspace& workspace,
                                            const event::TaskMoved* moved, Hold hold) {
  AllDisplaced all;
  for (const TakeBack* one = command.supersedes; one; one = one->beneath) {
    PARLEY_TRY(const Consequences of, judge_superseded(*one, workspace, moved, hold));
    all.push_back({one, of});
  }
  return all;
}

absl::InlinedVector<Offset, 2> superseded_by(const AcceptMessage& command) {
  absl::InlinedVector<Offset, 2> messages;
  for (const TakeBack* one = command.supersedes; one; one = one->beneath) messages.push_back(one->message);
  return messages;
}

Load leaving_load(std::span<const Offset> messages, const Workspace& workspace, AgentNumber agent) {
  Load leaving;
  for (const Offset offset : messages) {
    const Message& message = workspace.messages.at(offset);
    const Receipt* const receipt = message.receipt_of(agent);
    if (!receipt || !ends(receipt->state)) continue;
    ++leaving.messages;
    leaving.bytes += message.length;
  }
  return leaving;
}

void warn_of_late(const TakeBack& command, const Workspace& workspace, std::vector<base::Problem>& warnings) {
  std::vector<AgentNumber> late;
  for (const Receipt& receipt : workspace.messages.at(command.message).receipts)
    if (taken(receipt.state)) late.push_back(receipt.agent);
  if (late.empty()) return;
  warnings.push_back({"", "TOO_LATE",
                      about(workspace, command.message) + " was taken already by " +
                          names_of(workspace.registry, late) + ": what was done with it stays done."});
}

void decide_taken_back(const Deciding& deciding, const TakeBack& command, const Consequences& consequences,
                       const InItsPlace& place, const RulesetOf& ruleset_of) {
  Decided& decided = deciding.decided;
  const Workspace& workspace = deciding.workspace();
  const Message& message = workspace.messages.at(command.message);
  event::MessageTakenBack& event = *decided.add(command.workspace).mutable_message_taken_back();
  event.set_message(command.message.value);
  event.set_by(place.by.value);
  event.set_sender(message.sender.value);
  event.set_reason(base::excerpt(command.reason, reason_bytes));
  for (const Receipt& receipt : message.receipts)
    // Or by the move that the new message makes.
    if (ends(receipt.state) && decided.leaves(command.workspace, receipt.agent, command.message, message.length))
      event.add_agents(receipt.agent.value);

  const auto rules_of = [&](Offset task) {
    return ruleset_of(workspace.registry.agent(workspace.tasks.at(task).assigner).properties.profile);
  };
  if (consequences.withdraws) write_withdrawn(decided, workspace, command.workspace, command.message);
  if (consequences.resumes != Offset{}) decide_resumed(deciding, consequences.resumes, rules_of(consequences.resumes));
  if (const Offset review = consequences.withdraws_review; review != Offset{})
    write_review_end(
        decided, workspace, command.workspace, review, machine::review::move_of(machine::review::Step::withdraw),
        as_before_review(workspace.tasks.at(workspace.reviews.at(review).task)), with_reason(took_back, command) + ".");
  // The task's own words tell who has it.
  if (const Offset task = consequences.withdraws_offer; task != Offset{})
    return decide_offer_over(deciding, task, rules_of(task), with_reason(took_back, command) + ".");
  if (consequences.cancels != Offset{})
    return decide_cancelled(deciding, consequences.cancels, rules_of(consequences.cancels),
                            {base::excerpt(command.reason, reason_bytes), true, message.sender});
  // HND-02: whoever handed the task over has it no more.
  const bool was_handed_over = consequences.handed_over != Offset{};
  tell_who_has_it(deciding, command, was_handed_over ? consequences.handed_over : command.message, place);
}

void write_supersedes(const Workspace& workspace, Offset message, event::MessageAccepted& event) {
  const Replacements::Before* const before = workspace.replacements.before(message);
  if (!before) return;
  event.set_supersedes(before->message.value);
  event.set_superseded_id(std::string(before->id.view()));
}

base::Result<bool> Engine::decide(const TakeBack& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Offset* const by = workspace.replacements.after(command.message);
  if (by && *by == Offset{}) return false;
  PARLEY_TRY(const Consequences consequences, judge(command, workspace));
  decide_taken_back({decided, state_, command.workspace, context}, command, consequences, {}, ruleset_of_);
  return true;
}

// Also what is held: an ack of it comes too late (P4).
void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::MessageTakenBack& event,
           Instant at) {
  const Offset offset(event.message()), by(event.by());
  Message* const message = workspace.messages.find(offset);
  if (!message) return;
  message->linked = true;
  workspace.replacements.add(offset, message->id.view(), by);
  if (by != Offset{}) workspace.messages.find(by)->linked = true;
  end_corrections(state, workspace, number, offset, at);
  withdraw_request(state, workspace, number, offset);
  withdraw_help_request(state, workspace, number, offset, at);
  withdraw_error(workspace, offset);
  const ReceiptState final = by == Offset{} ? ReceiptState::rescinded : ReceiptState::superseded;
  for (const std::uint32_t agent : event.agents()) {
    const Scene scene{state, workspace, number, AgentNumber(agent), at};
    const Found found = find(workspace, scene.agent_number, offset);
    if (!found) return;  // forgotten with the one before
    const ReceiptState now = found.receipt->state;
    if (open(now)) close(scene, offset, *found.message, *found.receipt, final);
    if (now == ReceiptState::held) withhold(scene, offset, *found.message, *found.receipt, final);
    if (now == ReceiptState::dead) end_dead_letter(scene, offset, *found.message, *found.receipt, final);
  }
}

}  // namespace parley::engine
