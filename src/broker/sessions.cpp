// Who waits for mail and is given it as it comes: sessions, which it is pushed to, and long polls, which are woken.
#include <algorithm>

#include "broker/bounds.hpp"
#include "broker/broker.hpp"
#include "broker/rights.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

// Of messages that are pushed (D11); one at least is, whatever its size.
constexpr std::uint64_t bytes_a_turn = 4u << 20;

}  // namespace

WaitId Broker::wait_for_mail(const Caller& caller, std::string_view workspace, std::string_view agent,
                             base::Duration at_most, WaitDone done) {
  const auto number = engine_.state().find_workspace(workspace);
  if (!number || !own_mailbox(caller, *number, agent)) return {};
  return waits_.add({*number, caller.agent}, time_.now() + at_most, std::move(done));
}

WaitId Broker::wait_for_log(const Caller& caller, std::string_view workspace, std::uint64_t from,
                            base::Duration at_most, WaitDone done) {
  const auto number = enter(engine_.state(), caller, workspace, Right::read);
  if (!number) return {};
  // What is there, and cannot be read before it is stored.
  const bool on_its_way = syncing() || !block_->empty();
  if (on_its_way && from <= engine_.state().workspace(*number).head.value)
    after_sync([this, log = Mailbox{*number, {}}] { touched_.insert(log); });
  return waits_.add({*number, {}}, time_.now() + at_most, std::move(done));
}

WaitId Broker::wait_for_tasks(const Caller& caller, std::string_view workspace, base::Duration at_most, WaitDone done) {
  const auto number = enter(engine_.state(), caller, workspace, Right::read);
  if (!number) return {};
  return waits_.add({*number, {}, true}, time_.now() + at_most, std::move(done));
}

void Broker::cancel(WaitId wait) {
  waits_.cancel(wait);
}

base::Result<base::SessionId> Broker::open_session(const Caller& caller, Outbox& outbox,
                                                   const SessionOptions& options) {
  if (caller.kind != Caller::Kind::agent)
    return base::fail(ErrorCode::FORBIDDEN, "'" + caller.id + "' is no agent and has no mailbox", {},
                      "Say hello with the token of an agent.");
  PARLEY_CHECK(enter(engine_.state(), caller, caller.workspace, Right::read));
  PARLEY_CHECK(check_lease(options.lease));
  const Mailbox mailbox{caller.workspace_number, caller.agent};
  PARLEY_CHECK(note_poll(mailbox));
  if (const auto before = session_of_.find(mailbox); before != session_of_.end()) {
    Outbox& old = *sessions_.at(before->second).outbox;
    close_session(before->second);
    old.taken_over();
  }
  const base::SessionId id = fresh_session(true);
  sessions_.emplace(id, Session{mailbox, &outbox, options.credit, options.lease});
  session_of_.emplace(mailbox, id);
  if (options.receipts) receipt_watch_.begin(mailbox);
  touched_.insert(mailbox);
  return id;
}

void Broker::set_credit(base::SessionId session, std::uint32_t credit) {
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  at->second.credit = credit;
  touched_.insert(at->second.mailbox);
}

void Broker::outbox_has_room(base::SessionId session) {
  if (const auto at = sessions_.find(session); at != sessions_.end()) touched_.insert(at->second.mailbox);
}

void Broker::close_session(base::SessionId session) {
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  const Mailbox mailbox = at->second.mailbox;
  session_of_.erase(mailbox);
  sessions_.erase(at);
  receipt_watch_.end(mailbox);
  (void)note_poll(mailbox);  // it was there until now
  // Without room for it they end by time.
  (void)decide(engine::ReturnLeases{mailbox.workspace, mailbox.agent, session, options_.step_messages},
               journal::Need::duty);
}

base::Offset Broker::head(const Caller& caller) {
  if (caller.workspace_number == base::WorkspaceNumber{}) return {};
  return engine_.state().workspace(caller.workspace_number).head;
}

void Broker::Room::take(std::span<const Delivery> pushed) {
  deliveries -= std::min(deliveries, pushed.size());
  for (const Delivery& delivery : pushed) bytes -= std::min<std::uint64_t>(bytes, delivery.message.size());
}

void Broker::push(base::SessionId id, Session& session, Room& room) {
  const Mailbox mailbox = session.mailbox;
  const engine::Agent& agent = engine_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent);
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
    if (!deliveries) failure_ = deliveries.error();
    if (!deliveries) return;
    room.take(*deliveries);
    session.outbox->deliver(*deliveries);
    history_.release();
  }
  touched_.insert(mailbox);  // more in another turn
}

void Broker::push_receipts() {
  for (const ReceiptWatch::Sender& sender : receipt_watch_.to_be_told()) {
    Outbox& outbox = *sessions_.at(session_of_.at(sender)).outbox;
    while (outbox.has_room()) {
      const ReceiptWatch::Told told = receipt_watch_.take(sender, options_.deliveries_a_turn);
      if (told.changes.empty()) break;
      outbox.receipts(told.changes, told.left_out);
    }
  }
}

// What one turn has no room for is served first in the next, whatever is touched meanwhile: nobody is passed over.
void Broker::serve_touched() {
  Room room{options_.deliveries_a_turn, bytes_a_turn};
  serve_some(room);
  if (serving_.empty()) serving_.swap(touched_);
  serve_some(room);
}

void Broker::serve_some(Room& room) {
  while (!serving_.empty() && room.any()) {
    const Mailbox mailbox = *serving_.begin();
    serving_.erase(serving_.begin());
    serve(mailbox, room);
  }
}

void Broker::serve(const Mailbox& mailbox, Room& room) {
  if (mailbox.agent == base::AgentNumber{}) {
    for (WaitDone& done : waits_.take(mailbox)) after_sync(std::move(done));
    return;
  }
  if (const auto session = session_of_.find(mailbox); session != session_of_.end())
    push(session->second, sessions_.at(session->second), room);
  if (!engine_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent).mailbox.anything_ready({})) return;
  for (WaitDone& done : waits_.take(mailbox)) {
    const std::uint64_t before = counts_.offered;
    done();
    room.deliveries -= std::min<std::uint64_t>(room.deliveries, counts_.offered - before);
  }
}

}  // namespace parley::broker
