#include "broker/receipt_watch.hpp"

#include "broker/shapes.hpp"
#include "engine/mailboxes/failures.hpp"

namespace parley::broker {

using engine::ReceiptState;

void ReceiptWatch::touch(base::WorkspaceNumber number, const engine::Workspace& workspace, base::Offset offset,
                         base::AgentNumber recipient, ReceiptState final) {
  const engine::Message* const message = workspace.messages.find(offset);
  if (!message || !told_.contains({number, message->sender})) return;
  touched_.push_back({{number, message->sender}, offset, recipient, final, std::string(message->id.view())});
}

// What was leased behind it in its lane goes back with it (R32). Where it is leased no more, an earlier event of the
// same decision has ended it: nothing goes back with it, and its lane may be gone.
void ReceiptWatch::touch_later(base::WorkspaceNumber number, const engine::Workspace& workspace, base::Offset offset,
                               base::AgentNumber recipient) {
  const engine::Message* const message = workspace.messages.find(offset);
  const engine::Receipt* const receipt = message ? message->receipt_of(recipient) : nullptr;
  if (!receipt || receipt->state != ReceiptState::leased) return;
  for (const base::Offset later :
       workspace.registry.agent(recipient).mailbox.leased_after(engine::entry_of(offset, *message)))
    touch(number, workspace, later, recipient, ReceiptState::queued);
}

// It is in no state yet.
void ReceiptWatch::touch_new(base::WorkspaceNumber number, base::Offset offset,
                             const event::MessageAccepted& accepted) {
  const Sender sender{number, base::AgentNumber(accepted.sender())};
  if (accepted.private_() || !told_.contains(sender)) return;
  const auto add = [&](std::uint32_t agent, ReceiptState state) {
    touched_.push_back({sender, offset, base::AgentNumber(agent), state, accepted.message_id()});
  };
  for (const std::uint32_t agent : accepted.recipients()) add(agent, ReceiptState::queued);
  for (const std::uint32_t agent : accepted.bounced()) add(agent, ReceiptState::bounced);
}

void ReceiptWatch::before(const engine::State& state, const event::Event& event) {
  touched_.clear();
  if (told_.empty() || event.workspace() == 0) return;
  const base::WorkspaceNumber number(event.workspace());
  const engine::Workspace& workspace = state.workspace(number);
  const auto later = [&](std::uint64_t offset, std::uint32_t agent) {
    if (agent != 0) touch_later(number, workspace, base::Offset(offset), base::AgentNumber(agent));
  };
  const auto deliveries = [&](const auto& fact, ReceiptState final, bool lane = false) {
    for (const std::uint64_t offset : fact.offsets()) {
      touch(number, workspace, base::Offset(offset), base::AgentNumber(fact.agent()), final);
      if (lane) later(offset, fact.agent());
    }
  };
  const auto one = [&](std::uint64_t offset, std::uint32_t agent, ReceiptState final) {
    if (agent != 0) touch(number, workspace, base::Offset(offset), base::AgentNumber(agent), final);
  };
  const auto pass_on = [&](const event::HelpMoved& moved) {
    if (moved.help() != 0) one(moved.help(), moved.helper(), ReceiptState::queued);
  };
  using event::Event;
  switch (event.fact_case()) {
    case Event::kHelpMoved:
      return pass_on(event.help_moved());
    case Event::kMessageAccepted:
      pass_on(event.message_accepted().help_moved());
      return touch_new(number, base::Offset(event.offset()), event.message_accepted());
    case Event::kMessageReleased: {
      const event::MessageReleased& released = event.message_released();
      pass_on(released.as().help_moved());
      for (const std::uint32_t agent : released.as().recipients()) one(released.message(), agent, ReceiptState::queued);
      for (const std::uint32_t agent : released.as().bounced()) one(released.message(), agent, ReceiptState::bounced);
      return;
    }
    case Event::kMessageWithheld: {
      const base::Offset offset(event.message_withheld().message());
      const auto final = event.message_withheld().superseded() ? ReceiptState::superseded : ReceiptState::rejected;
      for (const engine::Receipt& receipt : workspace.messages.at(offset).receipts)
        if (receipt.state == ReceiptState::held) touch(number, workspace, offset, receipt.agent, final);
      return;
    }
    case Event::kTaskMoved: {
      const event::TaskMoved& moved = event.task_moved();
      if (!moved.given_again() && !moved.let_go()) return;
      const base::Offset order = workspace.tasks.at(base::Offset(moved.task())).assignment();
      one(order.value, moved.assignee(), ReceiptState::queued);
      return later(order.value, moved.assignee());
    }
    case Event::kRequestAskedAgain:
      if (!event.request_asked_again().given()) return;
      one(event.request_asked_again().request(), event.request_asked_again().agent(), ReceiptState::queued);
      if (event.request_asked_again().anew())
        later(event.request_asked_again().request(), event.request_asked_again().agent());
      return;
    case Event::kOffered:
      return deliveries(event.offered(), ReceiptState::offered);
    case Event::kAcked:
      return deliveries(event.acked(), ReceiptState::acked);
    case Event::kActed:
      return deliveries(event.acted(), ReceiptState::acted);
    case Event::kRequestTimedOut:
      if (event.request_timed_out().bounces())
        for (const std::uint32_t agent : event.request_timed_out().silent())
          one(event.request_timed_out().request(), agent, ReceiptState::bounced);
      return;
    case Event::kRequestGivenUp: {  // what waits in a mailbox bounces by a fact of its own
      const event::RequestGivenUp& given_up = event.request_given_up();
      const base::Offset offset(given_up.request());
      const engine::Message* const message = workspace.messages.find(offset);
      const engine::Request* const request = workspace.requests.find(offset);
      if (!message || !request || !given_up.bounces()) return;
      for (const std::uint32_t agent : given_up.agents()) {
        if (!request->waits_for(base::AgentNumber(agent))) continue;  // over since, in the same turn
        const engine::Receipt* const receipt = message->receipt_of(base::AgentNumber(agent));
        if (receipt && engine::taken(receipt->state) && receipt->state != ReceiptState::acted)
          one(given_up.request(), agent, ReceiptState::bounced);
      }
      return;
    }
    case Event::kNacked:
      return deliveries(event.nacked(), ReceiptState::waiting, true);
    case Event::kLeasesEnded:
      return deliveries(event.leases_ended(), ReceiptState::queued, true);
    case Event::kBackoffsEnded:
      return deliveries(event.backoffs_ended(), ReceiptState::queued);
    case Event::kLeasesReturned:
      return deliveries(event.leases_returned(), ReceiptState::queued);
    case Event::kMessagesBounced:
      return deliveries(event.messages_bounced(), ReceiptState::bounced);
    case Event::kMessagesSuperseded:
      return deliveries(event.messages_superseded(), ReceiptState::superseded);
    case Event::kMessageTakenBack: {
      const event::MessageTakenBack& taken = event.message_taken_back();
      const auto final = taken.by() == 0 ? ReceiptState::rescinded : ReceiptState::superseded;
      for (const std::uint32_t agent : taken.agents()) one(taken.message(), agent, final);
      return;
    }
    case Event::kExpired:
      for (const std::uint32_t agent : event.expired().agents()) {
        one(event.expired().message(), agent, ReceiptState::expired);
        later(event.expired().message(), agent);
      }
      return;
    case Event::kDeadLettered:
      one(event.dead_lettered().message(), event.dead_lettered().agent(), ReceiptState::dead);
      return later(event.dead_lettered().message(), event.dead_lettered().agent());
    case Event::kRedriven:
      return one(event.redriven().message(), event.redriven().agent(), ReceiptState::queued);
    case Event::kDeadLetterDiscarded:
      return one(event.dead_letter_discarded().message(), event.dead_letter_discarded().agent(),
                 ReceiptState::discarded);
    case Event::kServerStarted:
    case Event::kServerStopped:
    case Event::kTimeSkipped:
    case Event::kWorkspaceCreated:
    case Event::kWorkspaceChanged:
    case Event::kAgentRegistered:
    case Event::kAgentChanged:
    case Event::kAgentRemoved:
    case Event::kPersonRegistered:
    case Event::kPersonChanged:
    case Event::kPersonRemoved:
    case Event::kTokenRotated:
    case Event::kLeasesExtended:
    case Event::kNoticePosted:
    case Event::kMessagesForgotten:
    case Event::kMessagesRefused:
    case Event::kApprovalDecided:
    case Event::kApprovalEscalated:
    case Event::kApprovalLapsed:
    case Event::kApprovalRefused:
    case Event::kAgentHealthChanged:
    case Event::kHealthLooked:
    case Event::kReviewMoved:
    case Event::kApprovalWithdrawn:
    case Event::kTaskDependenciesSet:
    case Event::kSessionTasksEnded:
    case Event::kRequestPostponed:
    case Event::kResourceAllocated:
    case Event::kWorkReturned:
    case Event::kRunnerRegistered:
    case Event::kRunnerRevoked:
    case Event::FACT_NOT_SET:
      return;  // no receipt changes
  }
}

void ReceiptWatch::after(const engine::State& state, base::Instant now) {
  for (Touched& touched : touched_) {
    const engine::Workspace& workspace = state.workspace(touched.sender.workspace);
    const engine::Message* const message = workspace.messages.find(touched.offset);
    const engine::Receipt* const receipt = message ? message->receipt_of(touched.recipient) : nullptr;
    const ReceiptState state_now = receipt ? receipt->state : touched.final;

    Pending& pending = told_.at(touched.sender);
    const std::pair key(touched.offset, touched.recipient);
    if (pending.changes.size() >= pending_max && !pending.changes.contains(key)) {
      ++pending.left_out;
      continue;
    }
    to_be_told_.insert(touched.sender);
    ReceiptChange& change = pending.changes[key];
    change = {touched.offset,
              std::move(touched.message_id),
              workspace.registry.agent(touched.recipient).id,
              name(state_now),
              now,
              {},
              {},
              {}};
    if (receipt && state_now == ReceiptState::bounced)
      change.why = engine::bounce_names[static_cast<std::size_t>(receipt->bounce)];
    if (receipt && state_now == ReceiptState::waiting) change.retrying_at = receipt->until;
    if (receipt)
      change.error =
          delivery_error(workspace, touched.offset, *message, *receipt, retry_of(ruleset_of_, workspace, *message));
  }
  touched_.clear();
}

ReceiptWatch::Told ReceiptWatch::take(const Sender& sender, std::size_t most) {
  Pending& pending = told_.at(sender);
  Told told;
  while (!pending.changes.empty() && told.changes.size() < most) {
    told.changes.push_back(std::move(pending.changes.begin()->second));
    pending.changes.erase(pending.changes.begin());
  }
  if (!pending.changes.empty()) return told;
  told.left_out = std::exchange(pending.left_out, 0);
  to_be_told_.erase(sender);
  return told;
}

}  // namespace parley::broker
