#include "engine/approvals/held.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/decide.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/fields.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/watch.hpp"
#include "json/writer.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;
using machine::approval::Step;

constexpr std::size_t reason_max = 256;

// "0.8", as it was written.
std::string confidence_of(const envelope::Envelope& envelope) {
  const std::string_view stated = envelope::field(envelope, "confidence");
  return stated.empty() ? "not stated" : base::excerpt(stated, 32);
}

// Why a human decides, each reason once; empty: none does.
class Reasons {
 public:
  void add(std::string reason) { text_ += (text_.empty() ? "" : "; ") + std::move(reason); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void ask_for_itself(const AcceptMessage& command, const profile::ApprovalPolicy& policy, Reasons& reasons) {
  const std::string status = text_in(command.envelope, "status");
  if (std::ranges::find(policy.held_words, status) != policy.held_words.end())
    reasons.add("its status is '" + status + "'");
  // What is neither true nor false asks, too: of a lenient workspace (R5).
  const std::string_view asks = field(command.envelope, "needs_approval");
  if (asks.empty() || asks == "false") return;
  const std::string stated = text_in(command.envelope, "approval_reason");
  reasons.add("its sender asks for a human" + (stated.empty() ? "" : ": " + base::excerpt(stated, reason_max)));
}

// SUP-04: of its actions each states one; the first that falls short speaks for all.
void ask_for_actions(const AcceptMessage& command, double threshold, Reasons& reasons) {
  for (const json::Value action : envelope::value(command.envelope, "actions").elements()) {
    const json::Value stated = action.find("confidence");
    if (stated.if_double().value_or(0) >= threshold) continue;
    return reasons.add("the confidence of an action is " +
                       (stated ? base::excerpt(json::to_text(stated), 32) : "not stated") + ", the task asks for " +
                       text_of(threshold));
  }
}

// A result alone can lack confidence, or approval: a failure is none.
void ask_for_task(const AcceptMessage& command, const Workspace& workspace, Reasons& reasons) {
  const auto known = task_named(command, workspace);
  if (!known || command.envelope.kind != Kind::task_complete) return;
  const TaskTerms& terms = workspace.tasks.at(*known).terms;
  if (number_in(command.envelope, "confidence").value_or(0) < terms.confidence_threshold)
    reasons.add("its confidence is " + confidence_of(command.envelope) + ", the task asks for " +
                text_of(terms.confidence_threshold));
  ask_for_actions(command, terms.confidence_threshold, reasons);
  if (terms.needs_approval) reasons.add("its task asks for a human");
}

bool is_held_by(const Approval& approval, const Task& task, Offset message) {
  return approval.holds && task.held == message;
}

event::MessageWithheld& withhold(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message) {
  event::MessageWithheld& event = *decided.add(number).mutable_message_withheld();
  event.set_message(message.value);
  event.set_sender(workspace.messages.at(message).sender.value);
  return event;
}

}  // namespace

std::optional<Asking> held_completion(const AcceptMessage& command, const Workspace& workspace) {
  const auto& policy = command.ruleset.approvals;
  const Kind kind = command.envelope.kind;
  if (!policy || !policy->holds_completions || (kind != Kind::task_complete && kind != Kind::task_fail))
    return std::nullopt;
  Reasons reasons;
  ask_for_itself(command, *policy, reasons);
  ask_for_task(command, workspace, reasons);
  Asking asking{.subject = command.envelope.native_type,
                .why = reasons.take(),
                .approvers = {},
                .timeout = policy->timeout,
                .holds = true};
  return asking.why.empty() ? std::nullopt : std::optional(std::move(asking));
}

void decide_withheld(const Deciding& deciding, Offset message, const RulesetOf& ruleset_of) {
  const Workspace& workspace = deciding.workspace();
  const Approval& approval = *workspace.approvals.find(message);
  if (!approval.holds) return;
  withhold(deciding.decided, workspace, deciding.number, message);
  const auto known = workspace.tasks.find(approval.task);
  if (!known || !is_held_by(approval, workspace.tasks.at(*known), message)) return;
  const Agent& assigner = workspace.registry.agent(workspace.tasks.at(*known).assigner);
  decide_resumed(deciding, *known, ruleset_of(assigner.properties.profile));
}

void write_withdrawn(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message) {
  event::ApprovalWithdrawn& event = *decided.add(number).mutable_approval_withdrawn();
  event.set_approval(message.value);
  event.set_state(static_cast<std::uint32_t>(*machine::approval::move_of(Step::withdraw).to));
  event.set_asker(workspace.approvals.find(message)->asker.value);
}

void decide_withdrawn(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message) {
  const Approval* const known = workspace.approvals.find(message);
  if (!known || !known->waits()) return;
  write_withdrawn(decided, workspace, number, message);
  if (known->holds) withhold(decided, workspace, number, message).set_superseded(true);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::ApprovalWithdrawn& event,
           const Placed& placed) {
  end_approval(state, workspace, number, Offset(event.approval()), static_cast<machine::approval::State>(event.state()),
               placed);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::MessageWithheld& event,
           Instant at) {
  const Offset offset(event.message());
  std::vector<AgentNumber> agents;
  for (const Receipt& receipt : workspace.messages.at(offset).receipts) agents.push_back(receipt.agent);
  const ReceiptState final = event.superseded() ? ReceiptState::superseded : ReceiptState::rejected;
  for (const AgentNumber agent : agents) {
    const Found found = find(workspace, agent, offset);
    // A broadcast that bounced there; or forgotten, with the last one that was held.
    if (!found || found.receipt->state != ReceiptState::held) continue;
    withhold({state, workspace, number, agent, at}, offset, *found.message, *found.receipt, final);
  }
}

}  // namespace parley::engine
