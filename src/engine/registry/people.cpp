// People: registered with roles, changed, removed; tokens rotated (COR-12).
#include <algorithm>
#include <array>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/id.hpp"
#include "engine/later.hpp"
#include "engine/registry/credentials.hpp"

namespace parley::engine {
namespace {

constexpr std::array<std::string_view, 4> known_roles{"approver", "maintainer", "moderator", "observer"};

base::Result<> check_roles(const std::vector<std::string>& roles) {
  for (const std::string& role : roles)
    if (std::find(known_roles.begin(), known_roles.end(), role) == known_roles.end())
      return base::fail(base::ErrorCode::BAD_REQUEST, "'" + base::excerpt(role, 64) + "' is no role of a person",
                        "/roles", "Use maintainer, moderator, approver or observer.");
  return {};
}

// The order in which roles are named says nothing.
bool same_roles(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

}  // namespace

base::Result<Registered> Engine::decide(const RegisterPerson& command, const Context&, Decided& decided) const {
  const Registry& registry = state_.workspace(command.workspace).registry;
  PARLEY_CHECK(check_agent_id(command.person_id, "/person_id"));
  PARLEY_CHECK(check_roles(command.roles));
  if (const auto known = registry.find_person(command.person_id)) {
    const Person& person = registry.person(*known);
    if (same_roles(person.roles, command.roles) && person.public_key == command.public_key)
      return Registered{known->value, true};
    return base::fail(base::ErrorCode::CONFLICT,
                      "person " + base::quoted(command.person_id) + " is registered with other properties",
                      "/person_id");
  }
  const auto number = static_cast<std::uint32_t>(registry.people.size() + 1);
  event::PersonRegistered& event = *decided.add(command.workspace).mutable_person_registered();
  event.set_number(number);
  event.set_person_id(command.person_id);
  for (const std::string& role : command.roles) event.add_roles(role);
  event.set_public_key(command.public_key);
  event.set_token_hash(command.token_hash.data(), command.token_hash.size());
  return Registered{number, false};
}

base::Result<> Engine::decide(const ChangePerson& command, const Context&, Decided& decided) const {
  PARLEY_CHECK(check_roles(command.roles));
  const Person& person = state_.workspace(command.workspace).registry.person(command.person);
  if (same_roles(person.roles, command.roles) && person.public_key == command.public_key) return {};
  event::PersonChanged& event = *decided.add(command.workspace).mutable_person_changed();
  event.set_number(command.person.value);
  for (const std::string& role : command.roles) event.add_roles(role);
  event.set_public_key(command.public_key);
  return {};
}

base::Result<> Engine::decide(const RemovePerson& command, const Context&, Decided& decided) const {
  decided.add(command.workspace).mutable_person_removed()->set_number(command.person.value);
  return {};
}

base::Result<> Engine::decide(const RotateToken& command, const Context& context, Decided& decided) const {
  event::TokenRotated& event = *decided.add(command.workspace).mutable_token_rotated();
  if (command.agent != AgentNumber{})
    event.set_agent(command.agent.value);
  else
    event.set_person(command.person.value);
  event.set_token_hash(command.token_hash.data(), command.token_hash.size());
  event.set_old_valid_until(base::unix_us(later(context.now, command.grace)));
  return {};
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::PersonRegistered& event,
           Instant at) {
  Person& person = workspace.registry.people.emplace_back();
  person.id = event.person_id();
  person.roles.assign(event.roles().begin(), event.roles().end());
  person.public_key = event.public_key();
  person.registered_at = at;
  workspace.registry.people_by_id.emplace(person.id, PersonNumber(event.number()));
  add_credential(state, person.tokens, event.token_hash(), {number, {}, PersonNumber(event.number()), {}});
}

void apply(Workspace& workspace, const event::PersonChanged& event) {
  Person& person = workspace.registry.person(PersonNumber(event.number()));
  person.roles.assign(event.roles().begin(), event.roles().end());
  person.public_key = event.public_key();
}

void apply(State& state, Workspace& workspace, const event::PersonRemoved& event) {
  Person& person = workspace.registry.person(PersonNumber(event.number()));
  workspace.registry.people_by_id.erase(person.id);
  person.removed = true;
  remove_credentials(state, person.tokens);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::TokenRotated& event, Instant at) {
  const Credential whose{number, AgentNumber(event.agent()), PersonNumber(event.person()), {}};
  Tokens& tokens = whose.agent != AgentNumber{} ? workspace.registry.agent(whose.agent).tokens
                                                : workspace.registry.person(whose.person).tokens;
  limit_credentials(state, tokens, at, base::instant_of(event.old_valid_until()));
  add_credential(state, tokens, event.token_hash(), whose);
}

}  // namespace parley::engine
