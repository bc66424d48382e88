// A turn gives what changed to whoever waits for it: sessions, which it is pushed to, and long polls, which are woken.
#include <algorithm>

#include "broker/delivery_calls.hpp"

namespace parley::broker {
namespace {

// Of messages that are given (D11); one at least is, whatever its size.
constexpr std::uint64_t bytes_a_turn = 4u << 20;
constexpr std::size_t expiries_a_turn = 1'000;  // D11: those that takes come upon; the timers have as many

}  // namespace

void DeliveryCalls::begin_turn() {
  expiries_left_ = expiries_a_turn;
}

void DeliveryCalls::retry_starved() {
  core_.touched().merge(std::exchange(starved_, {}));
}

bool DeliveryCalls::all_served() const {
  return serving_.empty() && core_.touched().empty();
}

void DeliveryCalls::wake_due() {
  for (Wake& wake : waits_.take_due(core_.now())) wake();
}

void DeliveryCalls::Room::take(std::span<const Delivery> given, std::uint64_t bytes_read) {
  deliveries -= std::min(deliveries, given.size());
  for (const Delivery& delivery : given) bytes -= std::min<std::uint64_t>(bytes, delivery.message.size());
  bytes -= std::min(bytes, bytes_read);
}

void DeliveryCalls::push(base::SessionId id, Session& session) {
  const Mailbox mailbox = session.mailbox;
  const engine::Agent& agent = core_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent);
  while (room_.any()) {
    const auto leased = static_cast<std::uint32_t>(agent.mailbox.leased_count(id));
    if (session.credit <= leased || !agent.mailbox.anything_ready(id) || !session.outbox->has_room()) return;
    const std::size_t max = std::min<std::size_t>(session.credit - leased, room_.deliveries);
    const auto offers = offer({.workspace = mailbox.workspace,
                               .agent = mailbox.agent,
                               .session = id,
                               .max = static_cast<std::uint32_t>(max),
                               .bytes_max = room_.bytes,
                               .lease = session.lease,
                               .take_id = {}});
    if (!offers) starved_.insert(mailbox);
    if (!offers || offers->empty()) return;
    core_.history().release();  // what the turn's other calls have read
    auto deliveries = give(mailbox, *offers);
    if (!deliveries) return;
    session.outbox->deliver({*std::move(deliveries), core_.history().take_held()});
  }
  core_.touched().insert(mailbox);  // more in another turn
}

void DeliveryCalls::push_receipts() {
  for (const ReceiptWatch::Sender& sender : core_.receipts().to_be_told()) {
    Outbox& outbox = *sessions_.at(session_of_.at(sender)).outbox;
    while (outbox.has_room()) {
      const ReceiptWatch::Told told = core_.receipts().take(sender, core_.options().deliveries_a_turn);
      if (told.changes.empty()) break;
      outbox.receipts(told.changes, told.left_out);
    }
  }
}

// What one turn has no room for is served first in the next, whatever is touched meanwhile: nobody is passed over.
void DeliveryCalls::serve_touched() {
  room_ = {core_.options().deliveries_a_turn, bytes_a_turn};
  serve_some();
  if (serving_.empty()) serving_.swap(core_.touched());
  serve_some();
}

void DeliveryCalls::serve_some() {
  while (!serving_.empty() && room_.any()) {
    const Mailbox mailbox = *serving_.begin();
    serving_.erase(serving_.begin());
    serve(mailbox);
  }
}

void DeliveryCalls::serve(const Mailbox& mailbox) {
  if (mailbox.agent == base::AgentNumber{}) {
    for (Wake& wake : waits_.take(mailbox)) core_.after_sync(std::move(wake));
    return;
  }
  if (const auto session = session_of_.find(mailbox); session != session_of_.end())
    push(session->second, sessions_.at(session->second));
  wake(mailbox);
}

// Long polls: those first whose take_id was given something, for the same; what was handed over once, to the newest, is
// not among it (R20), and then they are over with nothing. The others each once: who wakes takes, or waits again behind
// the others.
void DeliveryCalls::wake(const Mailbox& mailbox) {
  const engine::Mailbox& mail = core_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent).mailbox;
  Mailbox repeated = mailbox;
  repeated.repeated = true;
  for (std::size_t left = waits_.count(mailbox);;) {
    const bool again = waits_.any(repeated);
    if (!again && (left == 0 || !mail.anything_ready({}))) return;
    if (!room_.any()) return static_cast<void>(core_.touched().insert(mailbox));  // in another turn
    if (!again) --left;
    if (Wake wake = waits_.take_first(again ? repeated : mailbox)) wake();
  }
}

}  // namespace parley::broker
