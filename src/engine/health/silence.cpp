#include "engine/health/silence.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/health/follow.hpp"
#include "engine/later.hpp"
#include "engine/messages/said.hpp"
#include "engine/tasks/returned.hpp"

namespace parley::engine {
namespace {

namespace health = machine::health;

constexpr std::size_t silent_a_turn = 50;  // each is a fact and up to 16 messages

// The server's move out of this state that the profile asks for; none: silence changes nothing.
HealthState move_of_silence(HealthState from, HealthState then) {
  for (const health::Move& move : health::moves)
    if (move.when == health::Guard::silent && move.to == then && (move.from & health::of(from)) != 0) return then;
  return HealthState::none;
}

}  // namespace

void Silences::look(const Timer& timer, const profile::Ruleset* rules, const PolledAt& polled) {
  const Workspace& workspace = state_.workspace(timer.workspace);
  const Agent& agent = workspace.registry.agent(timer.agent);
  const Health& known = *agent.health.get();
  const profile::Heartbeat* heartbeat =
      rules && rules->health && rules->health->heartbeat ? &*rules->health->heartbeat : nullptr;
  const HealthState to = heartbeat ? move_of_silence(known.state, heartbeat->then) : HealthState::none;
  if (to == HealthState::none) return heard(timer, known.beat, {});
  Instant beat = known.beat;
  if (heartbeat->any && polled) beat = std::max(beat, polled(timer.workspace, timer.agent));
  const Instant deadline = beat + silence_allowed(workspace.settings.health, *heartbeat);
  if (deadline > context_.now) return heard(timer, beat, deadline);
  if (++silent_ <= silent_a_turn) fall_silent(timer, agent, *rules, to);
}

void Silences::heard(const Timer& timer, Instant beat, Instant look_at) {
  event::HealthLooked& looked = looked_[timer.workspace];
  looked.add_agents(timer.agent.value);
  looked.add_beat(base::unix_us(beat));
  looked.add_look_at(look_at != Instant{} ? base::unix_us(look_at) : 0);
}

void Silences::fall_silent(const Timer& timer, const Agent& agent, const profile::Ruleset& rules, HealthState to) {
  const Health& known = *agent.health.get();
  event::AgentHealthChanged& changed = *decided_.add(timer.workspace).mutable_agent_health_changed();
  changed.set_agent(timer.agent.value);
  changed.set_from(static_cast<std::uint32_t>(known.state));
  changed.set_to(static_cast<std::uint32_t>(to));
  changed.set_last_heard(base::unix_us(known.heard));
  changed.set_returns(returns_work(rules, known.state, to));
  Saying saying;
  saying.from = timer.agent;
  const std::string silence =
      base::to_text(silence_allowed(state_.workspace(timer.workspace).settings.health, *rules.health->heartbeat));
  saying.text = base::quoted(agent.id) + " gave no sign of life that counts for " + silence +
                ", its newest message is of " + base::to_rfc3339(known.heard) + "; it counts as " +
                std::string(name(to)) + " and gets nothing new until it is heard of again.";
  for (const AgentNumber who : told_.of(state_, timer.workspace, rules, rules.health->tells))
    if (who != timer.agent)
      say({decided_, state_, timer.workspace, context_}, who, rules, profile::Occasion::agent_silent, saying);
}

void Silences::finish() {
  for (auto& [workspace, looked] : looked_) *decided_.add(workspace).mutable_health_looked() = std::move(looked);
}

void Engine::decide(const HearOfAgent& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Agent& agent = workspace.registry.agent(command.agent);
  const Health* known = agent.health.get();
  const profile::Ruleset* rules = ruleset_of_(agent.properties.profile);
  if (!known || !known->silent || !rules || !rules->health || !rules->health->heartbeat) return;
  const Instant deadline = later(context.now, silence_allowed(workspace.settings.health, *rules->health->heartbeat));
  event::AgentHealthChanged& changed = *decided.add(command.workspace).mutable_agent_health_changed();
  changed.set_agent(command.agent.value);
  changed.set_from(static_cast<std::uint32_t>(known->state));
  changed.set_to(static_cast<std::uint32_t>(*health::move_of(health::Step::be_heard).to));
  changed.set_last_heard(base::unix_us(context.now));
  changed.set_look_at(base::unix_us(deadline));
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::AgentHealthChanged& event,
           Instant at) {
  const AgentNumber agent(event.agent());
  Health& health = workspace.registry.agent(agent).health.made();
  health.state = HealthState(event.to());
  health.since = at;
  health.silent = event.look_at() == 0;
  if (!health.silent) health.heard = health.beat = at;
  look_later(state, number, agent, health, health.silent ? Instant{} : base::instant_of(event.look_at()));
  if (event.returns()) begin_return({state, workspace, number, agent, at});
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::HealthLooked& event) {
  for (int i = 0; i < event.agents_size(); ++i) {
    const AgentNumber agent(event.agents(i));
    Health& health = workspace.registry.agent(agent).health.made();
    health.beat = base::instant_of(event.beat(i));
    look_later(state, number, agent, health, event.look_at(i) > 0 ? base::instant_of(event.look_at(i)) : Instant{});
  }
}

}  // namespace parley::engine
