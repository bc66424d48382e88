// Agents: registered, changed, removed (COR-12, R31).
#include <algorithm>

#include "base/excerpt.hpp"
#include "base/joined.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/errors/follow.hpp"
#include "engine/health/follow.hpp"
#include "engine/help/follow.hpp"
#include "engine/id.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/registry/credentials.hpp"
#include "engine/requests/follow.hpp"
#include "engine/steps.hpp"

namespace parley::engine {
namespace {

void write(const AgentProperties& properties, event::AgentProperties& out) {
  out.set_profile(properties.profile);
  out.set_agent_type(properties.agent_type);
  out.set_instance_id(properties.instance_id);
  for (const std::string& capability : properties.capabilities) out.add_capabilities(capability);
  out.set_specialty(properties.specialty);
  if (properties.max_load) out.set_max_load(*properties.max_load);
  if (properties.priority) out.set_priority(*properties.priority);
}

AgentProperties read(const event::AgentProperties& in) {
  AgentProperties properties{in.profile(),
                             in.agent_type(),
                             in.instance_id(),
                             {in.capabilities().begin(), in.capabilities().end()},
                             in.specialty(),
                             {},
                             {}};
  if (in.has_max_load()) properties.max_load = in.max_load();
  if (in.has_priority()) properties.priority = in.priority();
  return properties;
}

base::Result<> check_profile(const Workspace& workspace, const profile::Ruleset* ruleset,
                             const AgentProperties& properties) {
  const auto& allowed = workspace.settings.profiles;
  const bool here = allowed.empty() || std::find(allowed.begin(), allowed.end(), properties.profile) != allowed.end();
  if (!ruleset || !here) {
    auto refused = base::fail(base::ErrorCode::PROFILE_UNKNOWN,
                              "profile '" + base::excerpt(properties.profile, 64) + "' is not " +
                                  (ruleset ? "allowed" : "known") + " in this workspace",
                              "/profile");
    refused.error().legal_next = allowed;
    return refused;
  }
  return {};
}

base::Result<> check_role(const profile::Ruleset& ruleset, const AgentProperties& properties) {
  if (properties.agent_type.empty() || ruleset.knows_role(properties.agent_type)) return {};
  return base::fail(
      base::ErrorCode::BAD_REQUEST,
      "profile '" + properties.profile + "' has no agent_type '" + base::excerpt(properties.agent_type, 64) + "'",
      "/agent_type", "Use one of: " + base::joined(ruleset.roles) + ".");
}

}  // namespace

base::Result<Registered> Engine::decide(const RegisterAgent& command, const Context&, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  PARLEY_CHECK(check_agent_id(command.agent_id, "/agent_id"));
  const auto known = workspace.registry.find_agent(command.agent_id);
  if (known && workspace.registry.agent(*known).properties == command.properties) return Registered{known->value, true};
  const profile::Ruleset* const ruleset = ruleset_of_(command.properties.profile);
  PARLEY_CHECK(check_profile(workspace, ruleset, command.properties));
  PARLEY_CHECK(check_role(*ruleset, command.properties));
  if (known)
    return base::fail(base::ErrorCode::AGENT_EXISTS,
                      "agent " + base::quoted(command.agent_id) + " is registered with other properties", "/agent_id");
  const auto number = static_cast<std::uint32_t>(workspace.registry.agents.size() + 1);
  event::AgentRegistered& event = *decided.add(command.workspace).mutable_agent_registered();
  event.set_number(number);
  event.set_agent_id(command.agent_id);
  write(command.properties, *event.mutable_properties());
  event.set_token_hash(command.token_hash.data(), command.token_hash.size());
  return Registered{number, false};
}

base::Result<> Engine::decide(const ChangeAgent& command, const Context&, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Agent& agent = workspace.registry.agent(command.agent);
  if (command.properties.profile != agent.properties.profile)
    return base::fail(base::ErrorCode::CONFLICT,
                      "an agent keeps the profile it was registered with: '" + agent.properties.profile + "'",
                      "/profile", "Register another agent for the other profile.");
  if (command.properties == agent.properties) return {};
  const profile::Ruleset* const ruleset = ruleset_of_(command.properties.profile);
  PARLEY_CHECK(check_profile(workspace, ruleset, command.properties));
  // What it was registered with while it was a role it may keep.
  if (command.properties.agent_type != agent.properties.agent_type)
    PARLEY_CHECK(check_role(*ruleset, command.properties));
  event::AgentChanged& event = *decided.add(command.workspace).mutable_agent_changed();
  event.set_number(command.agent.value);
  write(command.properties, *event.mutable_properties());
  return {};
}

// It is gone at once; what is open in its mailbox bounces in steps (steps.cpp).
base::Result<> Engine::decide(const RemoveAgent& command, const Context&, Decided& decided) const {
  event::AgentRemoved& event = *decided.add(command.workspace).mutable_agent_removed();
  event.set_number(command.agent.value);
  event.set_in_steps(true);
  return {};
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::AgentRegistered& event,
           Instant at) {
  Agent& agent = *workspace.registry.agents.emplace_back(std::make_unique<Agent>());
  agent.id = event.agent_id();
  agent.properties = read(event.properties());
  agent.registered_at = at;
  workspace.registry.agents_by_id.emplace(agent.id, AgentNumber(event.number()));
  add_credential(state, agent.tokens, event.token_hash(), {number, AgentNumber(event.number()), {}, {}});
}

void apply(Workspace& workspace, const event::AgentChanged& event) {
  workspace.registry.agent(AgentNumber(event.number())).properties = read(event.properties());
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::AgentRemoved& event, Instant at) {
  const AgentNumber agent_number(event.number());
  Agent& agent = workspace.registry.agent(agent_number);
  workspace.registry.agents_by_id.erase(agent.id);
  agent.removed = true;
  remove_credentials(state, agent.tokens);
  forget_sessions(state, number, agent_number);
  withdraw_requests(state, workspace, number, agent_number);
  withdraw_help(state, workspace, number, agent_number, at);
  withdraw_errors(workspace, agent_number);
  forget_health(state, number, agent_number, agent);
  if (!event.in_steps())  // as servers did it that knew neither steps nor tasks
    bounce({state, workspace, number, agent_number, at}, agent.mailbox.open());
  else if (!has_left(workspace, agent_number))
    state.unfinished.leaving.insert({number, agent_number});
}

}  // namespace parley::engine
