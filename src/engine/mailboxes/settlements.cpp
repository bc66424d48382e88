// What takers say of their deliveries: ack, nack, extend (R32, P4).
#include <algorithm>
#include <functional>

#include "base/excerpt.hpp"
#include "engine/appliers.hpp"
#include "engine/later.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/retry.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t code_bytes_max = 128;

// Whether a delivery is the newest offer of its message, under a lease that holds (P4: a late one changes nothing).
Settled standing_of(const Workspace& workspace, AgentNumber agent, const DeliveryId& delivery, Instant now) {
  const Message* const message = workspace.messages.find(delivery.offset);
  const Receipt* receipt = message ? message->receipt_of(agent) : nullptr;
  if (!receipt || delivery.epoch == 0 || delivery.epoch > receipt->epoch) return Settled::unknown;
  if (delivery.epoch < receipt->epoch) return Settled::superseded;
  if (taken(receipt->state)) return Settled::already;
  return receipt->state == ReceiptState::leased && receipt->until > now ? Settled::done : Settled::superseded;
}

// What was acked before is acted upon all the same (BEY-01).
Settled acting_on(const Workspace& workspace, AgentNumber agent, const DeliveryId& delivery, Instant now) {
  const Settled settled = standing_of(workspace, agent, delivery, now);
  if (settled != Settled::already) return settled;
  const Receipt& receipt = *workspace.messages.at(delivery.offset).receipt_of(agent);
  return receipt.state == ReceiptState::acted ? Settled::already : Settled::done;
}

// Of epoch 0: it was read elsewhere, in the log, before it was ever offered, and need not be any more.
Settled acking(const Workspace& workspace, AgentNumber agent, const DeliveryId& delivery, Instant now) {
  const Message* const message = workspace.messages.find(delivery.offset);
  const Receipt* const receipt = message ? message->receipt_of(agent) : nullptr;
  const bool never_offered = receipt && receipt->epoch == 0 && receipt->state == ReceiptState::queued;
  return delivery.epoch == 0 && never_offered ? Settled::done : standing_of(workspace, agent, delivery, now);
}

std::string reason_of(const NackMessages& command) {
  const std::string code = base::excerpt(command.code, code_bytes_max);
  if (code.empty() || command.reason.empty()) return code + std::string(command.reason);
  return code + ": " + std::string(command.reason);
}

// Each delivery's verdict; those that are done, each once, in `done`.
template <auto verdict_of = standing_of>
std::vector<Settled> judge(const Workspace& workspace, AgentNumber agent, std::span<const DeliveryId> deliveries,
                           Instant now, std::vector<Offset>& done) {
  std::vector<Settled> verdicts;
  verdicts.reserve(deliveries.size());
  done.reserve(deliveries.size());
  absl::btree_set<Offset> seen;
  for (const DeliveryId& delivery : deliveries) {
    Settled verdict = verdict_of(workspace, agent, delivery, now);
    if (verdict == Settled::done) {
      // Rising offsets, the usual case, need no set.
      if (seen.empty() && !done.empty() && delivery.offset <= done.back()) seen.insert(done.begin(), done.end());
      const bool rising = seen.empty();
      if (rising || seen.insert(delivery.offset).second)
        done.push_back(delivery.offset);
      else
        verdict = Settled::already;
    }
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace

std::vector<Settled> Engine::decide(const AckMessages& command, const Context& context, Decided& decided) const {
  std::vector<Offset> done;
  auto verdicts =
      judge<acking>(state_.workspace(command.workspace), command.agent, command.deliveries, context.now, done);
  if (done.empty()) return verdicts;
  event::Acked& event = *decided.add(command.workspace).mutable_acked();
  event.set_agent(command.agent.value);
  event.mutable_offsets()->Reserve(static_cast<int>(done.size()));
  for (const Offset offset : done) event.add_offsets(offset.value);
  return verdicts;
}

std::vector<Settled> Engine::decide(const ActOnMessages& command, const Context& context, Decided& decided) const {
  std::vector<Offset> done;
  auto verdicts =
      judge<acting_on>(state_.workspace(command.workspace), command.agent, command.deliveries, context.now, done);
  if (done.empty()) return verdicts;
  event::Acted& event = *decided.add(command.workspace).mutable_acted();
  event.set_agent(command.agent.value);
  for (const Offset offset : done) event.add_offsets(offset.value);
  return verdicts;
}

// R32: each gives back what is leased behind it in its lane, and what was given back is held back no more. Therefore
// the newest first, so that each counts; and those that end after them, for they end whether they were given back or
// not.
std::vector<Settled> Engine::decide(const NackMessages& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  std::vector<Offset> done;
  auto verdicts = judge(workspace, command.agent, command.deliveries, context.now, done);
  std::ranges::sort(done, std::greater());
  const std::string reason = reason_of(command);
  std::vector<std::pair<Offset, Instant>> held_back;
  std::vector<std::pair<Offset, std::string>> dead;
  for (const Offset offset : done) {
    const Message& message = workspace.messages.at(offset);
    const std::uint32_t failed = message.receipt_of(command.agent)->attempts + 1u;
    const profile::RetryPolicy policy = retry_of(ruleset_of_, workspace, message);
    const bool passes = command.code.empty() || policy.may_pass(command.code);
    // Given back after its time it expires at once (HND-10): no dead letter, which nobody could redrive.
    const bool expires = message.expires() && message.expires_at <= context.now;
    if (!expires && (failed >= policy.attempts || !passes))
      dead.emplace_back(offset,
                        passes ? "attempts spent: " + std::to_string(failed) + " of " + std::to_string(policy.attempts)
                               : "not tried again after " + base::excerpt(command.code, code_bytes_max));
    else
      held_back.emplace_back(
          offset, later(context.now, command.delay.value_or(backoff(policy, failed, context.seed + offset.value))));
  }
  if (!held_back.empty()) {
    event::Nacked& event = *decided.add(command.workspace).mutable_nacked();
    event.set_agent(command.agent.value);
    event.set_reason(reason);
    for (const auto& [offset, until] : held_back) {
      event.add_offsets(offset.value);
      event.add_retry_at(base::unix_us(until));
    }
  }
  for (auto& [offset, why] : dead)
    decide_dead({decided, state_, command.workspace, context}, command.agent, offset, std::move(why),
                {"nacked", reason});
  return verdicts;
}

std::vector<Settled> Engine::decide(const ExtendLeases& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  std::vector<Offset> done;
  auto verdicts = judge(workspace, command.agent, command.deliveries, context.now, done);
  if (done.empty()) return verdicts;
  event::LeasesExtended& event = *decided.add(command.workspace).mutable_leases_extended();
  event.set_agent(command.agent.value);
  for (const Offset offset : done) event.add_offsets(offset.value);
  event.set_lease_until(
      base::unix_us(later(context.now, command.lease > base::Duration{} ? command.lease : workspace.settings.lease)));
  return verdicts;
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::Acked& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  for (const std::uint64_t offset : event.offsets()) {
    const Found found = find(workspace, scene.agent_number, Offset(offset));
    close(scene, Offset(offset), *found.message, *found.receipt, ReceiptState::acked);
  }
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::Acted& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  for (const std::uint64_t offset : event.offsets()) {
    const Found found = find(workspace, scene.agent_number, Offset(offset));
    if (found.receipt->state == ReceiptState::leased)
      close(scene, Offset(offset), *found.message, *found.receipt, ReceiptState::acted);
    else
      found.receipt->state = ReceiptState::acted;
  }
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::Nacked& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  const SharedText reason = shared(event.reason());
  for (int i = 0; i < event.offsets_size(); ++i) {
    const Offset offset(event.offsets(i));
    const Found found = find(workspace, scene.agent_number, offset);
    // Of older journals: an earlier one of this same event may have given it back with its lane.
    if (found.receipt->state != ReceiptState::leased) continue;
    scene.agent().attempts[offset].push_back({at, found.receipt->epoch, "nacked", reason});
    ++found.receipt->attempts;
    give_back_later(scene, offset, *found.message);
    hold_back(scene, offset, *found.message, *found.receipt, base::instant_of(event.retry_at(i)));
  }
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::LeasesExtended& event) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), {}};
  for (const std::uint64_t offset : event.offsets())
    extend(scene, Offset(offset), *find(workspace, scene.agent_number, Offset(offset)).receipt,
           base::instant_of(event.lease_until()));
}

}  // namespace parley::engine
