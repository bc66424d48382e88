// What time brings, timer by timer: each mechanism decides its own, so many of a kind a turn (D11).
#include <tuple>

#include "engine/appliers.hpp"
#include "engine/approvals/time_out.hpp"
#include "engine/deciding.hpp"
#include "engine/health/silence.hpp"
#include "engine/help/watch.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/expiry.hpp"
#include "engine/requests/ask_again.hpp"
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

// Of one turn. Leases and backoffs end in one event per workspace and agent, whatever the number of messages.
class Due {
 public:
  Due(const State& state, const RulesetOf& ruleset_of, const Context& context, const PolledAt& polled, Decided& decided)
      : state_(state),
        ruleset_of_(ruleset_of),
        context_(context),
        polled_(polled),
        decided_(decided),
        silences_(state, context, escalations_, decided) {}

  // A broadcast ends at thousands of recipients at once: what is due behind it waits for the next turn.
  bool has_enough() const { return copies_ >= copies_a_turn; }

  // Does nothing where the turn has had enough of its kind: the timer stays due.
  void look(const Timer& timer) {
    using enum TimerKind;
    switch (timer.kind) {
      case lease_ends:
        return lease_ends_at(timer);
      case backoff_ends:
        return backoff_ends_at(timer);
      case message_expires:
        return expire(timer);
      case request_times_out:
        return request_times_out_at(timer);
      case request_asks_again:
        return asks_again_at(timer);
      case task_due:
        return task_due_at(timer);
      case approval_times_out:
        return approval_times_out_at(timer);
      case health_is_looked_at:
        return silences_.look(timer, rules_of(timer, timer.agent), polled_);
      case review_times_out:
        return review_times_out_at(timer);
      case help_due:
        return help_due_at(timer);
    }
  }

  void finish() {
    silences_.finish();
    for (const auto& [group, offsets] : leases_) end(*decided_.add(group.first).mutable_leases_ended(), group, offsets);
    for (const auto& [group, offsets] : backoffs_)
      end(*decided_.add(group.first).mutable_backoffs_ended(), group, offsets);
  }

 private:
  using Group = std::pair<WorkspaceNumber, AgentNumber>;
  using Offsets = std::vector<Offset>;

  const Workspace& workspace_of(const Timer& timer) const { return state_.workspace(timer.workspace); }
  const Message& message_of(const Timer& timer) const { return workspace_of(timer).messages.at(timer.message); }
  const profile::Ruleset* rules_of(const Timer& timer, AgentNumber agent) const {
    return ruleset_of_(workspace_of(timer).registry.agent(agent).properties.profile);
  }

  Deciding deciding(const Timer& timer) const { return {decided_, state_, timer.workspace, context_}; }

  void lease_ends_at(const Timer& timer) {
    const Message& message = message_of(timer);
    // Who held it kept it to the end of the lease (messages/expiry.hpp).
    if (expired(message, context_.now)) return decide_expired(deciding(timer), timer.message, {timer.agent});
    const unsigned attempts = message.receipt_of(timer.agent)->attempts + 1u;
    const profile::RetryPolicy policy = retry_of(ruleset_of_, workspace_of(timer), message);
    if (attempts < policy.attempts)
      leases_[{timer.workspace, timer.agent}].push_back(timer.message);
    else if (!has_ended(timer))
      decide_dead(deciding(timer), timer.agent, timer.message,
                  "attempts spent: " + std::to_string(attempts) + " of " + std::to_string(policy.attempts),
                  {"lease ended", {}});
  }

  void backoff_ends_at(const Timer& timer) {
    if (expired(message_of(timer), context_.now)) return expire(timer);
    backoffs_[{timer.workspace, timer.agent}].push_back(timer.message);
  }

  void expire(const Timer& timer) {
    if (!expired_.insert({timer.workspace, timer.message}).second) return;
    const Message& message = message_of(timer);
    copies_ += message.receipts.size();
    decide_expired(deciding(timer), timer.message, message.undelivered());
  }

  void request_times_out_at(const Timer& timer) {
    if (expired_.contains({timer.workspace, timer.message})) return;  // what is still awaited then, the next turn sees
    if (++requests_ > requests_a_turn) return;
    const Request& request = *workspace_of(timer).requests.find(timer.message);
    copies_ += request.waiting.size();
    decide_timed_out(deciding(timer), timer.message, rules_of(timer, request.asker), escalations_);
  }

  void asks_again_at(const Timer& timer) {
    if (++requests_ <= requests_a_turn) decide_asked_again(deciding(timer), timer.message, timer.agent);
  }

  void task_due_at(const Timer& timer) {
    if (++tasks_ > tasks_a_turn) return;
    const AgentNumber assigner = workspace_of(timer).tasks.at(timer.message).assigner;
    decide_task_due(deciding(timer), timer.message, rules_of(timer, assigner));
  }

  void approval_times_out_at(const Timer& timer) {
    if (++approvals_ > approvals_a_turn) return;
    decide_overdue(deciding(timer), timer.message, ruleset_of_);
  }

  void review_times_out_at(const Timer& timer) {
    if (++reviews_ > reviews_a_turn) return;
    const Review& review = workspace_of(timer).reviews.at(timer.message);
    decide_review_lapsed(deciding(timer), timer.message, rules_of(timer, review.asker),
                         "no verdict came within " + base::to_text(review.due - review.asked_at) + ".");
  }

  void help_due_at(const Timer& timer) {
    if (++helps_ > helps_a_turn) return;
    const AgentNumber asker = workspace_of(timer).help.at(timer.message).asker;
    decide_help_due(deciding(timer), timer.message, rules_of(timer, asker));
  }

  // By an earlier fact of this decision: with the end of its review or of its task, for want of a reply, or given
  // again.
  bool has_ended(const Timer& lease) {
    for (; facts_read_ < decided_.facts().size(); ++facts_read_) {
      const event::Event& event = decided_.facts()[facts_read_].event;
      const event::MessagesSuperseded& taken = event.messages_superseded();
      for (const std::uint64_t offset : taken.offsets())
        ended_.insert({WorkspaceNumber(event.workspace()), AgentNumber(taken.agent()), Offset(offset)});
      const event::RequestTimedOut& over = event.request_timed_out();
      for (const std::uint32_t agent : over.silent())
        if (over.bounces())
          ended_.insert({WorkspaceNumber(event.workspace()), AgentNumber(agent), Offset(over.request())});
      if (const event::TaskMoved& moved = event.task_moved(); moved.given_again()) {  // it has all its attempts again
        const WorkspaceNumber number(event.workspace());
        const Offset order = state_.workspace(number).tasks.at(Offset(moved.task())).assignment();
        ended_.insert({number, AgentNumber(moved.assignee()), order});
      }
    }
    return ended_.contains({lease.workspace, lease.agent, lease.message});
  }

  static void end(auto& event, const Group& group, const Offsets& offsets) {
    event.set_agent(group.second.value);
    for (const Offset offset : offsets) event.add_offsets(offset.value);
  }

  const State& state_;
  const RulesetOf& ruleset_of_;
  const Context& context_;
  const PolledAt& polled_;
  Decided& decided_;
  Escalations escalations_;
  Silences silences_;
  absl::btree_map<Group, Offsets> leases_;
  absl::btree_map<Group, Offsets> backoffs_;
  absl::btree_set<std::pair<WorkspaceNumber, Offset>> expired_;  // a backoff may be due with its message: told once
  absl::btree_set<std::tuple<WorkspaceNumber, AgentNumber, Offset>> ended_;  // by the facts read so far
  std::size_t facts_read_ = 0;
  std::size_t copies_ = 0, requests_ = 0, tasks_ = 0, approvals_ = 0, reviews_ = 0, helps_ = 0;
};

}  // namespace

std::optional<Instant> Engine::next_due() const {
  if (!state_.unfinished.empty()) return state_.now;
  return state_.timers.first_due();
}

void Engine::decide_due(const Context& context, Decided& decided, const PolledAt& polled) const {
  Due due(state_, ruleset_of_, context, polled, decided);
  std::size_t count = 0;
  state_.timers.visit([&](const Timer& timer) {
    if (timer.due > context.now || due.has_enough() || ++count > timers_a_turn) return false;
    due.look(timer);
    return true;
  });
  due.finish();
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

}  // namespace parley::engine
