// Who waits for mail and is given it as it comes: sessions and long polls, begun and ended.
#include "broker/bounds.hpp"
#include "broker/delivery_calls.hpp"
#include "broker/rights.hpp"

namespace parley::broker {

WaitId DeliveryCalls::wait_for_mail(const Caller& caller, std::string_view workspace, std::string_view agent,
                                    const TakeRequest& request, base::Duration at_most, WaitDone done) {
  const auto number = core_.state().find_workspace(workspace);
  if (!number || !own_mailbox(caller, *number, agent)) return {};
  return waits_.add({*number, caller.agent}, core_.now() + at_most, std::move(done), request.take_id);
}

WaitId DeliveryCalls::wait_for_log(const Caller& caller, std::string_view workspace, std::uint64_t from,
                                   base::Duration at_most, WaitDone done) {
  const auto number = enter(core_.state(), caller, workspace, Right::read);
  if (!number) return {};
  // What is there, and cannot be read before it is stored.
  const bool on_its_way = core_.syncing() || !core_.block().empty();
  if (on_its_way && from <= core_.state().workspace(*number).head.value)
    core_.after_sync([this, log = Mailbox{*number, {}}] { core_.touched().insert(log); });
  return waits_.add({*number, {}}, core_.now() + at_most, std::move(done));
}

WaitId DeliveryCalls::wait_for_tasks(const Caller& caller, std::string_view workspace, base::Duration at_most,
                                     WaitDone done) {
  const auto number = enter(core_.state(), caller, workspace, Right::read);
  if (!number) return {};
  return waits_.add({*number, {}, true}, core_.now() + at_most, std::move(done));
}

void DeliveryCalls::cancel(WaitId wait) {
  waits_.cancel(wait);
}

base::Result<base::SessionId> DeliveryCalls::open_session(const Caller& caller, Outbox& outbox,
                                                          const SessionOptions& options) {
  if (caller.kind != Caller::Kind::agent)
    return base::fail(base::ErrorCode::FORBIDDEN, "'" + caller.id + "' is no agent and has no mailbox", {},
                      "Say hello with the token of an agent.");
  PARLEY_CHECK(enter(core_.state(), caller, caller.workspace, Right::read));
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
  if (options.receipts) core_.receipts().begin(mailbox);
  core_.touched().insert(mailbox);
  return id;
}

void DeliveryCalls::set_credit(base::SessionId session, std::uint32_t credit) {
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  at->second.credit = credit;
  core_.touched().insert(at->second.mailbox);
}

void DeliveryCalls::outbox_has_room(base::SessionId session) {
  if (const auto at = sessions_.find(session); at != sessions_.end()) core_.touched().insert(at->second.mailbox);
}

void DeliveryCalls::disconnect(base::SessionId session) {
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  const Mailbox mailbox = at->second.mailbox;
  const auto current = session_of_.find(mailbox);
  if (current == session_of_.end() || current->second != session) return;  // it was disconnected before
  session_of_.erase(current);
  core_.receipts().end(mailbox);
  (void)note_poll(mailbox);  // it was there until now
}

void DeliveryCalls::close_session(base::SessionId session) {
  disconnect(session);
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  const Mailbox mailbox = at->second.mailbox;
  sessions_.erase(at);
  // Without room for it they end by time.
  (void)core_.decide(engine::ReturnLeases{mailbox.workspace, mailbox.agent, session, core_.options().step_messages},
                     journal::Need::duty);
}

base::Offset DeliveryCalls::head(const Caller& caller) {
  if (caller.workspace_number == base::WorkspaceNumber{}) return {};
  return core_.state().workspace(caller.workspace_number).head;
}

base::SessionId DeliveryCalls::fresh_session(bool connection) {
  constexpr std::uint64_t connection_bit = 1ull << 63;
  const std::uint64_t random = core_.random() & ~connection_bit;
  return base::SessionId((connection ? connection_bit : 0) | (random == 0 ? 1 : random));
}

}  // namespace parley::broker
