#include "engine/mailboxes/transitions.hpp"

#include "base/assert.hpp"
#include "engine/help/follow.hpp"
#include "engine/requests/follow.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {
namespace {

Timer timer_of(const Scene& scene, TimerKind kind, Instant due, Offset offset) {
  return {due, kind, scene.number, scene.agent_number, offset};
}

// Leaves what the receipt is in now; its state is the caller's to set.
void leave(const Scene& scene, Offset offset, const Message& message, const Receipt& receipt) {
  Mailbox& mailbox = scene.agent().mailbox;
  switch (receipt.state) {
    case ReceiptState::leased:
      scene.state.timers.erase(timer_of(scene, TimerKind::lease_ends, receipt.until, offset));
      mailbox.settle(entry_of(offset, message), receipt.session);
      return;
    case ReceiptState::waiting:
      scene.state.timers.erase(timer_of(scene, TimerKind::backoff_ends, receipt.until, offset));
      mailbox.drop(entry_of(offset, message));
      return;
    case ReceiptState::queued:
      mailbox.drop(entry_of(offset, message));
      return;
    default:
      PARLEY_ASSERT(false);
  }
}

void note_heard(Agent& agent, Offset offset, const Message& message) {
  constexpr std::size_t kept = 8;
  if (message.sender == AgentNumber{}) return;
  if (agent.heard.size() == kept) agent.heard.erase(agent.heard.begin());
  agent.heard.push_back(offset);
}

// Its time may have passed while it was held: then the timer is due at once.
void arm_expiry(const Scene& scene, Offset offset, const Message& message) {
  if (message.expires())
    scene.state.timers.insert({message.expires_at, TimerKind::message_expires, scene.number, {}, offset});
}

// It will not be answered from there.
bool is_lost(ReceiptState state) {
  return state == ReceiptState::expired || state == ReceiptState::dead || state == ReceiptState::bounced ||
         state == ReceiptState::superseded;
}

// A human decides whether it does: until then its reply is awaited.
bool may_come_again(const Workspace& workspace, Offset offset, ReceiptState final) {
  if (final != ReceiptState::superseded) return false;
  const auto task = workspace.tasks.of_assignment(offset);
  return task && workspace.tasks.at(*task).state == TaskState::escalated;
}

void forget_attempts(Agent& agent, Offset offset, Receipt& receipt) {
  receipt.attempts = 0;
  receipt.uncounted = 0;
  if (!agent.attempts.empty()) agent.attempts.erase(offset);
}

// The receipt reaches its last state; the message, where it was the last one open, is closed.
void settle(const Scene& scene, Offset offset, Message& message, Receipt& receipt, ReceiptState final) {
  receipt.state = final;
  Agent& agent = scene.agent();
  --agent.open_messages;
  agent.open_bytes -= message.length;
  if (!agent.attempts.empty()) agent.attempts.erase(offset);
  const bool lost = final == ReceiptState::expired || final == ReceiptState::dead;
  if (lost) note_order_lost(scene, offset);
  if (lost || final == ReceiptState::superseded) note_help_lost(scene, offset);
  if (is_lost(final) && !may_come_again(scene.workspace, offset, final)) note_reply_lost(scene, offset);
  if (!message.closed()) return;
  if (message.expires())
    scene.state.timers.erase({message.expires_at, TimerKind::message_expires, scene.number, {}, offset});
  forget_if_settled(scene.workspace, offset, message);
}

}  // namespace

void forget_if_settled(Workspace& workspace, Offset offset, const Message& message) {
  if (offset <= workspace.forgotten_through && message.settled()) forget(workspace, offset, message);
}

void forget(Workspace& workspace, Offset offset, const Message& message) {
  if (message.remembered) {
    workspace.ids.erase(message.id_key, offset);
    if (message.sent_at != Instant{})
      workspace.forgotten[workspace.registry.agent(message.sender).id].add(message.sent_at, message.accepted_at);
  }
  if (message.linked) workspace.replacements.forget(offset);
  workspace.messages.erase(offset);
}

SharedText shared(const std::string& text) {
  return text.empty() ? nullptr : std::make_shared<const std::string>(text);
}

Found find(Workspace& workspace, AgentNumber agent, Offset offset) {
  Message* const message = workspace.messages.find(offset);
  if (!message) return {};
  return {message, message->receipt_of(agent)};
}

void enqueue(const Scene& scene, Offset offset, Message& message, Receipt& receipt) {
  Agent& agent = scene.agent();
  receipt.state = ReceiptState::queued;
  ++agent.open_messages;
  agent.open_bytes += message.length;
  agent.mailbox.queue(entry_of(offset, message));
}

void reopen(const Scene& scene, Offset offset, Message& message, Receipt& receipt) {
  if (message.closed() && message.expires())
    scene.state.timers.insert({message.expires_at, TimerKind::message_expires, scene.number, {}, offset});
  forget_attempts(scene.agent(), offset, receipt);
  enqueue(scene, offset, message, receipt);
}

void lease(const Scene& scene, Offset offset, Message& message, Receipt& receipt, SessionId session, Instant until) {
  PARLEY_ASSERT(receipt.state == ReceiptState::queued);
  scene.agent().mailbox.offer(entry_of(offset, message), session, false, scene.now);
  note_heard(scene.agent(), offset, message);
  receipt.state = ReceiptState::leased;
  receipt.session = session;
  receipt.until = until;
  ++receipt.epoch;
  scene.state.timers.insert(timer_of(scene, TimerKind::lease_ends, until, offset));
}

void extend(const Scene& scene, Offset offset, Receipt& receipt, Instant until) {
  PARLEY_ASSERT(receipt.state == ReceiptState::leased);
  scene.state.timers.erase(timer_of(scene, TimerKind::lease_ends, receipt.until, offset));
  receipt.until = until;
  scene.state.timers.insert(timer_of(scene, TimerKind::lease_ends, until, offset));
}

void give_back(const Scene& scene, Offset offset, Message& message, Receipt& receipt) {
  PARLEY_ASSERT(receipt.state == ReceiptState::leased);
  scene.state.timers.erase(timer_of(scene, TimerKind::lease_ends, receipt.until, offset));
  scene.agent().mailbox.give_back(entry_of(offset, message), receipt.session);
  receipt.state = ReceiptState::queued;
  arm_expiry(scene, offset, message);
}

void hold_back(const Scene& scene, Offset offset, Message& message, Receipt& receipt, Instant until) {
  PARLEY_ASSERT(receipt.state == ReceiptState::leased);
  scene.state.timers.erase(timer_of(scene, TimerKind::lease_ends, receipt.until, offset));
  scene.agent().mailbox.hold_back(entry_of(offset, message), receipt.session);
  receipt.state = ReceiptState::waiting;
  receipt.until = until;
  scene.state.timers.insert(timer_of(scene, TimerKind::backoff_ends, until, offset));
  arm_expiry(scene, offset, message);
}

void resume(const Scene& scene, Offset offset, Message& message, Receipt& receipt) {
  PARLEY_ASSERT(receipt.state == ReceiptState::waiting);
  scene.state.timers.erase(timer_of(scene, TimerKind::backoff_ends, receipt.until, offset));
  scene.agent().mailbox.resume(entry_of(offset, message));
  receipt.state = ReceiptState::queued;
}

void begin_anew(const Scene& scene, Offset offset, Message& message, Receipt& receipt) {
  if (receipt.state == ReceiptState::leased) {
    give_back_later(scene, offset, message);
    give_back(scene, offset, message, receipt);
  } else if (receipt.state == ReceiptState::waiting) {
    resume(scene, offset, message, receipt);
  }
  PARLEY_ASSERT(receipt.state == ReceiptState::queued);
  forget_attempts(scene.agent(), offset, receipt);
}

void hand_over(const Scene& scene, Offset offset, Message& message, Receipt& receipt, SessionId session) {
  PARLEY_ASSERT(receipt.state == ReceiptState::queued);
  scene.agent().mailbox.offer(entry_of(offset, message), session, true, scene.now);
  note_heard(scene.agent(), offset, message);
  settle(scene, offset, message, receipt, ReceiptState::offered);
}

void close(const Scene& scene, Offset offset, Message& message, Receipt& receipt, ReceiptState final) {
  leave(scene, offset, message, receipt);
  settle(scene, offset, message, receipt, final);
}

namespace {

void drop_dead_letter(Agent& agent, Offset offset, const Message& message) {
  agent.dead_letters.erase(offset);
  agent.dead_bytes -= message.length;
}

}  // namespace

void redrive(const Scene& scene, Offset offset, Message& message, Receipt& receipt) {
  drop_dead_letter(scene.agent(), offset, message);
  reopen(scene, offset, message, receipt);
}

void end_dead_letter(const Scene& scene, Offset offset, Message& message, Receipt& receipt, ReceiptState final) {
  drop_dead_letter(scene.agent(), offset, message);
  receipt.state = final;
  forget_if_settled(scene.workspace, offset, message);
}

void hold(const Scene& scene, const Message& message, Receipt& receipt) {
  receipt.state = ReceiptState::held;
  ++scene.agent().held_messages;
  scene.agent().held_bytes += message.length;
}

void end_hold(const Scene& scene, const Message& message, const Receipt& receipt) {
  PARLEY_ASSERT(receipt.state == ReceiptState::held);
  --scene.agent().held_messages;
  scene.agent().held_bytes -= message.length;
}

void withhold(const Scene& scene, Offset offset, Message& message, Receipt& receipt, ReceiptState final) {
  end_hold(scene, message, receipt);
  receipt.state = final;
  forget_if_settled(scene.workspace, offset, message);
}

void give_back_later(const Scene& scene, Offset offset, Message& message) {
  for (const Offset later : scene.agent().mailbox.leased_after(entry_of(offset, message))) {
    const Found found = find(scene.workspace, scene.agent_number, later);
    give_back(scene, later, *found.message, *found.receipt);
  }
}

}  // namespace parley::engine
