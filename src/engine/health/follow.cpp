#include "engine/health/follow.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/appliers.hpp"
#include "engine/health/availability.hpp"
#include "engine/later.hpp"
#include "engine/messages/fields.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/returned.hpp"
#include "event/carried.hpp"
#include "json/writer.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;
namespace breaker = machine::breaker;
namespace health = machine::health;

constexpr profile::RateLimit recently{0, std::chrono::hours(1)};
constexpr std::size_t report_bytes_max = 4'096;
constexpr std::size_t severity_bytes_max = 64;
constexpr std::size_t errors_kept = 100;  // the highest threshold a workspace may set
constexpr std::size_t told_kept = 16;     // agents that have heard of an error
constexpr Kinds outcome_kinds = kinds_of(breaker::moves, breaker::Party::itself);
constexpr Kinds success_kinds =
    bit(*breaker::move_of(breaker::Step::recover).on) | bit(*breaker::move_of(breaker::Step::recover_by_help).on);

std::optional<HealthState> move_to(HealthState to, Kind kind, HealthState from) {
  for (const health::Move& move : health::moves)
    if (move.on == kind && move.to == to && (move.from & health::of(from)) != 0) return to;
  return std::nullopt;
}

HealthState after(const AcceptMessage& command, const profile::HealthPolicy& policy, const Health* known) {
  const HealthState before = known ? known->state : HealthState::unknown;
  const Kind kind = command.envelope.kind;
  const HealthState said =
      (report_kinds & bit(kind)) != 0 ? policy.state_of(text_in(command.envelope, "status")) : HealthState::none;
  if (said != HealthState::none) return move_to(said, kind, before).value_or(before);
  const health::Move& heard = health::move_of(health::Step::be_heard);
  return known && known->silent && (heard.from & health::of(before)) != 0 ? *heard.to : before;
}

void follow_beat(const AcceptMessage& command, const profile::HealthPolicy& policy, const HealthSettings& settings,
                 const Health* known, Instant now, event::MessageAccepted& event) {
  const Kind kind = command.envelope.kind;
  const bool reports = (report_kinds & bit(kind)) != 0;
  const auto& heartbeat = policy.heartbeat;
  const bool any = heartbeat && heartbeat->any;
  if (!reports && !any) return;
  const bool silent = known && known->silent;
  const bool watched = known && known->look_at != Instant{};
  const Instant deadline = heartbeat ? later(now, silence_allowed(settings, *heartbeat)) : Instant{};
  const bool in_time =
      watched && (!heartbeat || known->look_at <= deadline);  // else the workspace's time is shorter now
  const bool settled = in_time || (known && !silent && known->state == HealthState::offline);
  if (!reports && settled && known->by_any) return;  // its applier takes it for a beat

  const HealthState state = after(command, policy, known);
  // Who has never sent one is not expected to. A status report is none, but goes on with what a heartbeat began.
  const bool expected = any || kind != Kind::status_report || silent;
  event::SenderTold& told = *event.mutable_told();
  told.set_beats(true);
  told.set_by_any(any);
  const HealthState before = known ? known->state : HealthState::unknown;
  if (state != before) told.set_state(static_cast<std::uint32_t>(state));
  told.set_returns(returns_work(command.ruleset, before, state));
  if (heartbeat && (expected || watched) && !in_time && state != HealthState::offline)
    told.set_look_at(base::unix_us(deadline));
  if (!reports || kind == Kind::heartbeat) return;
  told.set_reports(true);
  if (const auto instant = base::parse_rfc3339(text_in(command.envelope, "available_at")))
    told.set_next_available(base::unix_us(*instant));
}

// As many errors in a row, this one too, within the timeout.
bool reaches_threshold(const BreakerPolicy& policy, const Health* known, Instant now) {
  std::size_t errors = 1;
  if (known)
    errors += static_cast<std::size_t>(
        std::ranges::count_if(known->breaker.errors, [&](Instant at) { return at + policy.timeout > now; }));
  return errors >= policy.error_threshold;
}

void follow_breaker(const BreakerPolicy& policy, Kind kind, const Health* known, Instant now, event::SenderTold& told) {
  const BreakerState state = known ? known->breaker.state : BreakerState::closed;
  for (const breaker::Move& move : breaker::moves) {
    if (move.on != kind || move.by != breaker::Party::itself || (move.from & breaker::of(state)) == 0) continue;
    if (move.when == breaker::Guard::threshold_reached && !reaches_threshold(policy, known, now)) continue;
    told.set_breaker(static_cast<std::uint32_t>(*move.to));
    if (*move.to == BreakerState::open) told.set_breaker_until(base::unix_us(later(now, policy.reset_timeout)));
    return;
  }
}

// D10: an agent speaks for itself. An error that it reports of another one counts against nobody.
bool is_of_another(const AcceptMessage& command, const Agent& sender) {
  const std::string agent = text_in(command.envelope, "agent");
  return !agent.empty() && agent != sender.id;
}

// By its id, where it has one; empty: it has none.
std::string error_id_of(const envelope::Envelope& envelope) {
  return text_in(envelope, envelope.kind == Kind::error_report ? "error" : "error_id");
}

template <class Errors>
auto find_told(Errors& errors, const IdKey& key) {
  return std::ranges::find(errors, key, &ToldError::key);
}

// What somebody hears of again has happened again.
bool is_news_to_all(const ToldError& error, const event::MessageAccepted& event) {
  return !event.recipients().empty() && std::ranges::none_of(event.recipients(), [&error](std::uint32_t recipient) {
    return std::ranges::find(error.told, AgentNumber(recipient)) != error.told.end();
  });
}

// What gave the agent its task: its order, or the first of those that this one corrects (BEY-03).
Offset first_given(const Workspace& workspace, const Task& task, AgentNumber agent) {
  Offset given = task.given_at;
  if (given != task.assignment()) return given;  // once more, or by a human
  while (const auto* const before = workspace.replacements.before(given)) {
    const Message* const order = workspace.messages.find(before->message);
    if (!order || !order->receipt_of(agent)) break;
    given = before->message;
  }
  return given;
}

// HND-06: whether the error is counted already. What tasks fail by is one each, but for what was reported since the
// task was given: an agent that has one id for many errors is shut out all the same (R39).
bool is_told(const AcceptMessage& command, const Workspace& workspace, const Health* known, const IdKey& key,
             const event::MessageAccepted& event) {
  if (!known) return false;
  const auto told = find_told(known->told_errors, key);
  if (told == known->told_errors.end()) return false;
  if (command.envelope.kind == Kind::error_report) return told->failed || is_news_to_all(*told, event);
  const auto task = task_named(command, workspace);
  return !told->failed && task && told->at > first_given(workspace, workspace.tasks.at(*task), command.sender);
}

// HND-02: what it was offered is its work from now on.
bool takes_over(const AcceptMessage& command) {
  return command.envelope.kind == Kind::task_handoff_reply && envelope::field(command.envelope, "accepted") == "true";
}

bool helps(const event::MessageAccepted& answer) {
  const auto state = static_cast<HelpState>(answer.help_moved().state());
  return state == HelpState::answered || state == HelpState::open || state == HelpState::together;
}

void follow_outcome(const AcceptMessage& command, const Workspace& workspace, const Agent& sender, Instant now,
                    event::MessageAccepted& event) {
  const Kind kind = command.envelope.kind;
  if ((outcome_kinds & bit(kind)) == 0 || (kind == Kind::help_reply && !helps(event))) return;
  const Health* known = sender.health.get();
  const auto& policy = workspace.settings.health.breaker;
  if ((success_kinds & bit(kind)) != 0) {
    if (!known || known->breaker.errors.empty()) return;
    event.mutable_told()->set_success(true);
  } else {
    if (is_of_another(command, sender)) return;
    const std::string id = error_id_of(command.envelope);
    const IdKey key = id_key_of(id);
    event::SenderTold& told = *event.mutable_told();
    told.set_severity(base::excerpt(text_in(command.envelope, "severity"), severity_bytes_max));
    if (!id.empty()) told.set_error_key(key.data(), key.size());
    if (!id.empty() && is_told(command, workspace, known, key, event)) return;
    told.set_error_until(base::unix_us(counts_until(recently, now)));
  }
  if (policy) follow_breaker(*policy, kind, known, now, *event.mutable_told());
}

}  // namespace

base::Duration silence_allowed(const HealthSettings& settings, const profile::Heartbeat& heartbeat) {
  return settings.heartbeat_every.value_or(heartbeat.every) * settings.heartbeats_missed.value_or(heartbeat.missed);
}

Instant attempt_until(const Settings& settings, const Agent& agent, Instant now) {
  const auto& policy = settings.health.breaker;
  const Health* const known = agent.health.get();
  if (!policy || !known || known->breaker.state == BreakerState::closed) return {};
  return later(now, policy->reset_timeout);
}

void follow_attempts(const AcceptMessage& command, const Workspace& workspace, Instant now,
                     event::MessageAccepted& event) {
  const auto tries = [&](AgentNumber number) {
    const Instant until = attempt_until(workspace.settings, workspace.registry.agent(number), now);
    if (until == Instant{}) return;
    event.add_tried(number.value);
    event.set_tried_until(base::unix_us(until));
  };
  if (takes_over(command)) tries(command.sender);
  for (const std::uint32_t number : event.recipients())
    if (is_new_work(command, workspace, workspace.registry.agent(AgentNumber(number)))) tries(AgentNumber(number));
}

void follow_health(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                   event::MessageAccepted& event) {
  if (command.ruleset.type(command.type).is_private) return;  // R25: not even that there was one
  const Agent& sender = workspace.registry.agent(command.sender);
  if (command.ruleset.health)
    follow_beat(command, *command.ruleset.health, workspace.settings.health, sender.health.get(), context.now, event);
  follow_outcome(command, workspace, sender, context.now, event);
  if (!event.held()) follow_attempts(command, workspace, context.now, event);
}

namespace {

// What a report says beside the state, as one JSON object; what would make it too large is left out (D11).
std::string report_of(const event::MessageAccepted& event) {
  std::string report;
  json::Writer writer(report);
  writer.begin_object();
  event::visit_carried(event, [&](std::string_view name, std::string_view json) {
    if (name == "agent" || name == "status" || name == "available_at") return;
    if (report.size() + name.size() + json.size() <= report_bytes_max) writer.key(name).raw(json);
  });
  writer.end_object();
  return report;
}

void take_in_report(Health& health, const event::MessageAccepted& event) {
  health.report = report_of(event);
  const std::int64_t available = event.told().next_available();
  health.next_available = available != 0 ? base::instant_of(available) : Instant{};
}

template <class Item>
void keep(std::vector<Item>& newest, const Item& item) {
  if (newest.size() == errors_kept) newest.erase(newest.begin());
  newest.push_back(item);
}

void take_in_error(Health& health, const event::SenderTold& told, Instant at) {
  ++health.errors;
  health.recent_errors.add(base::instant_of(told.error_until()), at);
  keep(health.breaker.errors, at);
}

void note_told(Health& health, Offset offset, const event::MessageAccepted& event) {
  ToldError error{.key = {}, .at = offset, .failed = static_cast<Kind>(event.kind()) == Kind::task_fail, .told = {}};
  std::ranges::copy(event.told().error_key(), error.key.begin());
  for (const std::uint32_t recipient : event.recipients()) error.told.emplace_back(recipient);
  if (const auto before = find_told(health.told_errors, error.key); before != health.told_errors.end()) {
    error.failed |= before->failed;
    if (is_news_to_all(*before, event)) error.told.insert(error.told.end(), before->told.begin(), before->told.end());
    health.told_errors.erase(before);
  }
  if (error.told.size() > told_kept) error.told.resize(told_kept);
  keep(health.told_errors, error);
}

void take_in(State& state, WorkspaceNumber number, AgentNumber agent, Health& health, Offset offset,
             const event::MessageAccepted& event, Instant at) {
  const event::SenderTold& told = event.told();
  if (health.since == Instant{}) health.since = at;
  if (told.state() > 0) {
    health.state = HealthState(told.state());
    health.since = at;
  }
  if (told.returns()) begin_return({state, state.workspace(number), number, agent, at});
  if (told.beats()) {
    health.silent = false;
    health.beat = at;
    health.by_any = told.by_any();
  }
  if (told.look_at() > 0) look_later(state, number, agent, health, base::instant_of(told.look_at()));
  if (told.reports()) take_in_report(health, event);
  if (told.error_until() > 0) take_in_error(health, told, at);
  if (!told.severity().empty()) health.severity = told.severity();
  if (told.error_key().size() == IdKey{}.size()) note_told(health, offset, event);
  if (told.success()) health.breaker.errors.clear();
  if (told.breaker() > 0) {
    health.breaker.state = BreakerState(told.breaker());
    health.breaker.until = told.breaker_until() > 0 ? base::instant_of(told.breaker_until()) : Instant{};
  }
}

}  // namespace

void look_later(State& state, WorkspaceNumber number, AgentNumber agent, Health& health, Instant look_at) {
  if (health.look_at != Instant{})
    state.timers.erase({health.look_at, TimerKind::health_is_looked_at, number, agent, {}});
  health.look_at = look_at;
  if (look_at != Instant{}) state.timers.insert({look_at, TimerKind::health_is_looked_at, number, agent, {}});
}

void forget_health(State& state, WorkspaceNumber number, AgentNumber agent_number, Agent& agent) {
  state.unfinished.offline.erase({number, agent_number});
  if (!agent.health) return;
  look_later(state, number, agent_number, *agent.health.get(), {});
  agent.health.forget();
}

void apply_attempts(Workspace& workspace, Offset message, const event::MessageAccepted& event) {
  for (const std::uint32_t tried : event.tried())
    apply_attempt(workspace, AgentNumber(tried), base::instant_of(event.tried_until()), message);
}

void apply_attempt(Workspace& workspace, AgentNumber agent, Instant until, Offset message) {
  Breaker& breaker = workspace.registry.agent(agent).health.made().breaker;
  breaker.state = BreakerState::half_open;
  breaker.until = until;
  breaker.attempt = message;
}

void apply_to_health(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                     const event::MessageAccepted& event, Instant at) {
  apply_attempts(workspace, offset, event);
  const AgentNumber sender(event.sender());
  if (sender == AgentNumber{} || event.private_()) return;
  base::Made<Health>& known = workspace.registry.agent(sender).health;
  if (event.has_told())
    take_in(state, number, sender, known.made(), offset, event, at);
  else if (!known)
    return;
  Health& health = *known.get();
  health.heard = at;
  if (health.by_any) health.beat = at;
}

}  // namespace parley::engine
