// Who is there (R40): who is connected, waits for mail, or asked for it lately.
#include "broker/delivery_calls.hpp"

namespace parley::broker {

base::Instant DeliveryCalls::polled_at(const Mailbox& mailbox) {
  if (session_of_.contains(mailbox) || waits_.any(mailbox)) return core_.now();
  const auto at = polled_.find(mailbox);
  return at == polled_.end() ? base::Instant{} : at->second;
}

base::Result<> DeliveryCalls::note_poll(const Mailbox& mailbox) {
  const engine::Agent& agent = core_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent);
  if (!agent.health || !agent.health.get()->by_any) return {};
  polled_[mailbox] = core_.now();
  if (!agent.health.get()->silent) return {};
  return core_.decide(engine::HearOfAgent{mailbox.workspace, mailbox.agent}, journal::Need::duty);
}

void DeliveryCalls::forget(const Mailbox& mailbox) {
  if (const auto session = session_of_.find(mailbox); session != session_of_.end()) {
    Outbox& outbox = *sessions_.at(session->second).outbox;
    close_session(session->second);
    outbox.removed();
  }
  polled_.erase(mailbox);
  stored_prices_.erase(mailbox);
}

void DeliveryCalls::skip(base::Duration missed) {
  for (auto& [mailbox, at] : polled_) at += missed;
}

}  // namespace parley::broker
