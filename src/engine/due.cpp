// What time brings: leases and backoffs that end, messages that expire, ids that are forgotten (D11: bounded a turn).
#include <algorithm>

#include "engine/appliers.hpp"
#include "engine/approvals/time_out.hpp"
#include "engine/health/silence.hpp"
#include "engine/help/watch.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/expiry.hpp"
#include "engine/requests/time_out.hpp"
#include "engine/reviews/time_out.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t timers_a_turn = 1'000;
constexpr std::size_t requests_a_turn = 50;   // each is a fact and up to 17 messages
constexpr std::size_t tasks_a_turn = 200;     // each is a fact and a message
constexpr std::size_t helps_a_turn = 50;      // each may look at every agent
constexpr std::size_t approvals_a_turn = 50;  // up to 101 messages
constexpr std::size_t reviews_a_turn = 200;   // three facts and a message

bool expired(const Message& message, Instant now) {
  return message.expires() && message.expires_at <= now;
}

// By an earlier fact of this decision, with the end of its review or of its task.
bool is_taken_back(Decided& decided, const Timer& lease) {
  return std::ranges::any_of(decided.facts(), [&](const Fact& fact) {
    const event::MessagesSuperseded& taken = fact.event.messages_superseded();
    return fact.event.workspace() == lease.workspace.value && taken.agent() == lease.agent.value &&
           std::ranges::find(taken.offsets(), lease.message.value) != taken.offsets().end();
  });
}

}  // namespace

profile::RetryPolicy Engine::retry_of(const Workspace& workspace, const Message& message) const {
  const bool by_server = message.sender == AgentNumber{};
  if (by_server && message.notice) return {};
  const AgentNumber whose = by_server ? message.receipts.front().agent : message.sender;  // R31: in its own protocol
  const profile::Ruleset* ruleset = ruleset_of_(workspace.registry.agent(whose).properties.profile);
  return ruleset ? ruleset->retry : profile::RetryPolicy{};
}

std::optional<Instant> Engine::next_due() const {
  if (!state_.unfinished.empty()) return state_.now;
  if (state_.timers.empty()) return std::nullopt;
  return state_.timers.begin()->due;
}

void Engine::decide_due(const Context& context, Decided& decided, const PolledAt& polled) const {
  // One event per workspace, agent and kind, whatever the number of messages.
  using Group = std::pair<WorkspaceNumber, AgentNumber>;
  absl::btree_map<Group, std::vector<Offset>> leases;
  absl::btree_map<Group, std::vector<Offset>> backoffs;
  absl::btree_set<std::pair<WorkspaceNumber, Offset>> over;  // a backoff may be due with its message: told once
  Escalations escalations;
  Silences silences(state_, context, escalations, decided);
  std::size_t count = 0, requests = 0, tasks = 0, approvals = 0, reviews = 0, helps = 0;
  for (const Timer& timer : state_.timers) {
    if (timer.due > context.now || ++count > timers_a_turn) break;
    const Workspace& workspace = state_.workspace(timer.workspace);
    if (timer.kind == TimerKind::request_times_out) {
      if (++requests > requests_a_turn) continue;
      const Agent& asker = workspace.registry.agent(workspace.requests.find(timer.message)->asker);
      decide_timed_out(decided, state_, timer.workspace, timer.message, ruleset_of_(asker.properties.profile), context,
                       escalations);
      continue;
    }
    if (timer.kind == TimerKind::task_due) {
      if (++tasks > tasks_a_turn) continue;
      const Agent& assigner = workspace.registry.agent(workspace.tasks.at(timer.message).assigner);
      decide_task_due(decided, state_, timer.workspace, timer.message, ruleset_of_(assigner.properties.profile),
                      context);
      continue;
    }
    if (timer.kind == TimerKind::approval_times_out) {
      if (++approvals <= approvals_a_turn)
        decide_overdue(decided, state_, timer.workspace, timer.message, ruleset_of_, context);
      continue;
    }
    if (timer.kind == TimerKind::review_times_out) {
      if (++reviews > reviews_a_turn) continue;
      const Review& review = workspace.reviews.at(timer.message);
      const Agent& asker = workspace.registry.agent(review.asker);
      decide_review_lapsed(decided, state_, timer.workspace, timer.message, ruleset_of_(asker.properties.profile),
                           context, "no verdict came within " + base::to_text(review.due - review.asked_at) + ".");
      continue;
    }
    if (timer.kind == TimerKind::help_due) {
      if (++helps > helps_a_turn) continue;
      const Agent& asker = workspace.registry.agent(workspace.help.at(timer.message).asker);
      decide_help_due(decided, state_, timer.workspace, timer.message, ruleset_of_(asker.properties.profile), context);
      continue;
    }
    if (timer.kind == TimerKind::health_is_looked_at) {
      silences.look(timer, ruleset_of_(workspace.registry.agent(timer.agent).properties.profile), polled);
      continue;
    }
    const Message& message = workspace.messages.at(timer.message);
    const bool is_over = expired(message, context.now);
    if (timer.kind == TimerKind::message_expires || (timer.kind == TimerKind::backoff_ends && is_over)) {
      if (over.insert({timer.workspace, timer.message}).second)
        decide_expired(decided, state_, timer.workspace, timer.message, message.undelivered(), context.now);
      continue;
    }
    // Who held it kept it to the end of the lease (messages/expiry.hpp).
    if (is_over) {
      decide_expired(decided, state_, timer.workspace, timer.message, {timer.agent}, context.now);
      continue;
    }
    if (timer.kind == TimerKind::backoff_ends) {
      backoffs[{timer.workspace, timer.agent}].push_back(timer.message);
      continue;
    }
    const Receipt& receipt = *message.receipt_of(timer.agent);
    const profile::RetryPolicy policy = retry_of(workspace, message);
    if (receipt.attempts + 1u < policy.attempts)
      leases[{timer.workspace, timer.agent}].push_back(timer.message);
    else if (!is_taken_back(decided, timer))
      decide_dead(decided, state_, {timer.workspace, timer.agent, timer.message, context.now},
                  "attempts spent: " + std::to_string(receipt.attempts + 1u) + " of " + std::to_string(policy.attempts),
                  {"lease ended", {}});
  }
  silences.finish();
  for (const auto& [group, offsets] : leases) {
    event::LeasesEnded& event = *decided.add(group.first).mutable_leases_ended();
    event.set_agent(group.second.value);
    for (const Offset offset : offsets) event.add_offsets(offset.value);
  }
  for (const auto& [group, offsets] : backoffs) {
    event::BackoffsEnded& event = *decided.add(group.first).mutable_backoffs_ended();
    event.set_agent(group.second.value);
    for (const Offset offset : offsets) event.add_offsets(offset.value);
  }
}

void Engine::decide_forgotten(WorkspaceNumber number, std::size_t most, const Context& context,
                              Decided& decided) const {
  const Workspace& workspace = state_.workspace(number);
  const Settings& settings = workspace.settings;
  const Instant oldest_kept = context.now - settings.remembered_for;
  std::uint64_t over =
      workspace.window_size > settings.remembered_ids ? workspace.window_size - settings.remembered_ids : 0;
  Offset through = workspace.forgotten_through;
  std::size_t count = 0;
  workspace.messages.visit_after(through, [&](Offset offset, const Message& message) {
    if (count++ == most || (over == 0 && message.accepted_at >= oldest_kept)) return false;
    if (over > 0) --over;
    through = offset;
    return true;
  });
  if (through != workspace.forgotten_through)
    decided.add(number).mutable_messages_forgotten()->set_through(through.value);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::LeasesEnded& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  for (const std::uint64_t value : event.offsets()) {
    const Offset offset(value);
    const Found found = find(workspace, scene.agent_number, offset);
    // An earlier one of the same decision may have given it back with its lane.
    if (!found || found.receipt->state != ReceiptState::leased) continue;
    scene.agent().attempts[offset].push_back({at, found.receipt->epoch, "lease ended", nullptr});
    ++found.receipt->attempts;
    give_back_later(scene, offset, *found.message);
    give_back(scene, offset, *found.message, *found.receipt);
  }
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::BackoffsEnded& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  for (const std::uint64_t value : event.offsets()) {
    const Found found = find(workspace, scene.agent_number, Offset(value));
    if (found && found.receipt->state == ReceiptState::waiting)
      resume(scene, Offset(value), *found.message, *found.receipt);
  }
}

void apply(Workspace& workspace, const event::MessagesForgotten& event) {
  const Offset through(event.through());
  std::vector<Offset> settled;  // the others go when they are (transitions.cpp)
  workspace.messages.visit_after(workspace.forgotten_through, [&](Offset offset, const Message& message) {
    if (offset > through) return false;
    --workspace.window_size;
    if (message.settled()) settled.push_back(offset);
    return true;
  });
  for (const Offset offset : settled) forget(workspace, offset, workspace.messages.at(offset));
  workspace.forgotten_through = through;
}

}  // namespace parley::engine
