// The moves of one message at one recipient, with everything that belongs to a move: receipt, order, timer, counts.
// Only appliers call them.
#pragma once
#include "engine/state.hpp"

namespace parley::engine {

struct Scene {
  State& state;
  Workspace& workspace;
  WorkspaceNumber number;
  AgentNumber agent_number;
  Instant now;

  Agent& agent() const { return workspace.registry.agent(agent_number); }
};

void enqueue(const Scene&, Offset, Message&, Receipt&);  // a new message
void reopen(const Scene&, Offset, Message&, Receipt&);   // one that had ended: redriven, or an order given again

// An order that ended so can be given again: it was read, also without a reply in time, or was taken out of the mailbox
// while a human decided.
constexpr bool can_come_again(const Receipt& receipt) {
  return taken(receipt.state) || receipt.state == ReceiptState::superseded ||
         (receipt.state == ReceiptState::bounced && receipt.bounce == Bounce::no_reply);
}
void lease(const Scene&, Offset, Message&, Receipt&, SessionId, Instant until);
// R20: queued → offered, for good. May forget the message: use it no more.
void hand_over(const Scene&, Offset, Message&, Receipt&, SessionId);
void extend(const Scene&, Offset, Receipt&, Instant until);
void give_back(const Scene&, Offset, Message&, Receipt&);                 // leased → queued
void hold_back(const Scene&, Offset, Message&, Receipt&, Instant until);  // leased → waiting
void resume(const Scene&, Offset, Message&, Receipt&);                    // waiting → queued
void begin_anew(const Scene&, Offset, Message&, Receipt&);  // open → queued, as if it had never been tried
void close(const Scene&, Offset, Message&, Receipt&, ReceiptState final);  // may forget the message: use it no more

// A dead letter goes: it comes again, or its receipt reaches its last state. Then the message may be forgotten.
void redrive(const Scene&, Offset, Message&, Receipt&);
void end_dead_letter(const Scene&, Offset, Message&, Receipt&, ReceiptState final);

// A new message, until a human has decided; then it is enqueued, or ends unseen.
void hold(const Scene&, const Message&, Receipt&);
void end_hold(const Scene&, const Message&, const Receipt&);
void withhold(const Scene&, Offset, Message&, Receipt&, ReceiptState final);  // may forget the message: use it no more

// What was leased after this message in its lane goes back with it, uncounted (R32).
void give_back_later(const Scene&, Offset, Message&);

// A message leaves the state, and its id with it; what may be a repetition of it is known by its time (R8).
void forget(Workspace&, Offset, const Message&);
void forget_if_settled(Workspace&, Offset, const Message&);  // and behind the remembered window

// As an attempt keeps it.
SharedText shared(const std::string& text);

// Whose message and receipt a delivery names; nullptr where there is none.
struct Found {
  Message* message = nullptr;
  Receipt* receipt = nullptr;
  explicit operator bool() const { return receipt != nullptr; }
};
Found find(Workspace& workspace, AgentNumber agent, Offset offset);

}  // namespace parley::engine
