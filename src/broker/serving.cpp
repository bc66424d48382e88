// A turn gives what changed to whoever waits for it: sessions, which it is pushed to, and long polls, which are woken.
#include <algorithm>

#include "broker/delivery_calls.hpp"

namespace parley::broker {
namespace {

// Of messages that are pushed (D11); one at least is, whatever its size.
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
  for (WaitDone& done : waits_.take_due(core_.now())) done();
}

void DeliveryCalls::Room::take(std::span<const Delivery> pushed) {
  deliveries -= std::min(deliveries, pushed.size());
  for (const Delivery& delivery : pushed) bytes -= std::min<std::uint64_t>(bytes, delivery.message.size());
}

void DeliveryCalls::push(base::SessionId id, Session& session, Room& room) {
  const Mailbox mailbox = session.mailbox;
  const engine::Agent& agent = core_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent);
  while (room.any()) {
    const auto leased = static_cast<std::uint32_t>(agent.mailbox.leased_count(id));
    if (session.credit <= leased || !agent.mailbox.anything_ready(id) || !session.outbox->has_room()) return;
    const std::size_t max = std::min<std::size_t>(session.credit - leased, room.deliveries);
    const auto offers = offer({.workspace = mailbox.workspace,
                               .agent = mailbox.agent,
                               .session = id,
                               .max = static_cast<std::uint32_t>(max),
                               .bytes_max = room.bytes,
                               .lease = session.lease,
                               .take_id = {}});
    if (!offers) starved_.insert(mailbox);
    if (!offers || offers->empty()) return;
    const auto deliveries = render(mailbox, *offers);
    if (!deliveries) core_.fail(deliveries.error());
    if (!deliveries) return;
    room.take(*deliveries);
    session.outbox->deliver(*deliveries);
    core_.history().release();
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
  Room room{core_.options().deliveries_a_turn, bytes_a_turn};
  serve_some(room);
  if (serving_.empty()) serving_.swap(core_.touched());
  serve_some(room);
}

void DeliveryCalls::serve_some(Room& room) {
  while (!serving_.empty() && room.any()) {
    const Mailbox mailbox = *serving_.begin();
    serving_.erase(serving_.begin());
    serve(mailbox, room);
  }
}

void DeliveryCalls::serve(const Mailbox& mailbox, Room& room) {
  if (mailbox.agent == base::AgentNumber{}) {
    for (WaitDone& done : waits_.take(mailbox)) core_.after_sync(std::move(done));
    return;
  }
  if (const auto session = session_of_.find(mailbox); session != session_of_.end())
    push(session->second, sessions_.at(session->second), room);
  if (!core_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent).mailbox.anything_ready({})) return;
  for (WaitDone& done : waits_.take(mailbox)) {
    const std::uint64_t before = core_.counts().offered;
    done();
    room.deliveries -= std::min<std::uint64_t>(room.deliveries, core_.counts().offered - before);
  }
}

}  // namespace parley::broker
