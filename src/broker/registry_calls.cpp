// Workspaces, agents, people and their tokens. Bodies have passed their schema; here they are read and decided.
#include "broker/registry_calls.hpp"
#include "base/excerpt.hpp"
#include "base/named.hpp"
#include "base/quoted.hpp"
#include "broker/bodies.hpp"
#include "broker/list_page.hpp"
#include "broker/registry_shapes.hpp"
#include "broker/rights.hpp"
#include "broker/settings.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

// What is not in the body stays as it was.
engine::AgentProperties read_properties(json::Value body, engine::AgentProperties properties) {
  const auto read_text = [&](std::string_view key, std::string& into) {
    if (const auto value = body.find(key).if_string()) into = *value;
  };
  read_text("profile", properties.profile);
  read_text("agent_type", properties.agent_type);
  read_text("instance_id", properties.instance_id);
  read_text("specialty", properties.specialty);
  read_texts(body.find("capabilities"), properties.capabilities);
  if (const auto load = body.find("max_load").if_uint()) properties.max_load = static_cast<std::uint32_t>(*load);
  if (const auto priority = body.find("priority").if_int()) properties.priority = static_cast<std::int32_t>(*priority);
  return properties;
}

base::Result<base::AgentNumber> find_agent(const engine::Workspace& workspace, std::string_view id) {
  if (const auto number = workspace.registry.find_agent(id)) return *number;
  return base::fail(ErrorCode::NOT_FOUND, "no agent " + base::quoted(id) + " is registered here", "id");
}

base::Result<base::PersonNumber> find_person(const engine::Workspace& workspace, std::string_view id) {
  if (const auto number = workspace.registry.find_person(id)) return *number;
  return base::fail(ErrorCode::NOT_FOUND, "no person " + base::quoted(id) + " is registered here", "id");
}

// 200 and no token for what is registered already; 201 and the token, once, for what is new.
Answer registered(std::string_view key, std::string_view id, bool existed, std::string_view token) {
  Answer answer{existed ? 200 : 201, {}};
  json::Writer writer(answer.json);
  writer.begin_object().member(key, id);
  if (!existed) writer.member("token", token);
  writer.end_object();
  return answer;
}

}  // namespace

base::Result<Answer> RegistryCalls::create_workspace(const Caller& caller, json::Value body) {
  PARLEY_CHECK(admin_only(caller));
  PARLEY_TRY(engine::Settings settings, read_settings(body, {}));
  PARLEY_TRY(const engine::Registered made,
             core_.decide_for(caller, engine::CreateWorkspace{text_in(body, "name"), std::move(settings)}));
  Answer answer{made.existed ? 200 : 201, {}};
  json::Writer writer(answer.json);
  write_workspace(writer, core_.state().workspace(base::WorkspaceNumber(made.number)));
  return answer;
}

base::Result<Answer> RegistryCalls::change_workspace(const Caller& caller, std::string_view workspace,
                                                     json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  PARLEY_TRY(engine::Settings settings, read_settings(body, core_.state().workspace(number).settings));
  PARLEY_CHECK(core_.decide_for(caller, engine::ChangeWorkspace{number, std::move(settings)}));
  return this->workspace(caller, workspace);
}

base::Result<Answer> RegistryCalls::workspace(const Caller& caller, std::string_view workspace) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::read));
  Answer answer;
  json::Writer writer(answer.json);
  write_workspace(writer, core_.state().workspace(number));
  return answer;
}

base::Result<Answer> RegistryCalls::workspaces(const Caller& caller, const Page& page) {
  const engine::State& state = core_.state();
  if (caller.kind == Caller::Kind::admin)
    return page_of(state.workspaces_by_name, page, [&](json::Writer& writer, base::WorkspaceNumber number) {
      write_workspace(writer, state.workspace(number));
    });
  ListPage list;
  write_workspace(list.writer, state.workspace(caller.workspace_number));
  return list.end();
}

base::Result<Answer> RegistryCalls::register_agent(const Caller& caller, std::string_view workspace, json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  engine::RegisterAgent command{number, text_in(body, "agent_id"), read_properties(body, {}), {}};
  const std::string token = core_.fresh_token(command.token_hash);
  PARLEY_TRY(const engine::Registered made, core_.decide_for(caller, command));
  return registered("agent_id", command.agent_id, made.existed, token);
}

base::Result<Answer> RegistryCalls::change_agent(const Caller& caller, std::string_view workspace, std::string_view id,
                                                 json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  PARLEY_TRY(const base::AgentNumber agent, find_agent(core_.state().workspace(number), id));
  const engine::Agent& known = core_.state().workspace(number).registry.agent(agent);
  PARLEY_CHECK(core_.decide_for(caller, engine::ChangeAgent{number, agent, read_properties(body, known.properties)}));
  return this->agent(caller, workspace, id);
}

base::Result<Answer> RegistryCalls::allocate(const Caller& caller, std::string_view workspace, std::string_view id,
                                             std::string_view resource, json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  PARLEY_TRY(const base::AgentNumber agent, find_agent(core_.state().workspace(number), id));
  const auto known = base::named<engine::Resource>(engine::resource_names, resource);
  if (!known)
    return base::fail(ErrorCode::NOT_FOUND, "there is no resource '" + base::excerpt(resource, 64) + "'", "resource",
                      "Allocate tokens, cpu, memory or budget.");
  engine::AllocateResource command{number, agent, *known, {}, {}, body.find("renew").if_bool().value_or(false)};
  if (const json::Value limit = body.find("limit"); !limit.is_null()) command.limit = read_amount(limit);
  if (const auto expires_at = base::parse_rfc3339(body.find("expires_at").if_string().value_or("")))
    command.expires_at = *expires_at;
  PARLEY_CHECK(core_.decide_for(caller, command));
  return this->agent(caller, workspace, id);
}

base::Result<Answer> RegistryCalls::agent(const Caller& caller, std::string_view workspace, std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::read));
  PARLEY_TRY(const base::AgentNumber agent, find_agent(core_.state().workspace(number), id));
  Answer answer;
  json::Writer writer(answer.json);
  show_agent(writer, number, agent);
  return answer;
}

void RegistryCalls::show_agent(json::Writer& writer, base::WorkspaceNumber workspace, base::AgentNumber agent) {
  const engine::Workspace& here = core_.state().workspace(workspace);
  write_agent(writer, here, here.registry.agent(agent), {core_.now(), deliveries_.polled_at({workspace, agent})});
}

base::Result<Answer> RegistryCalls::remove_agent(const Caller& caller, std::string_view workspace,
                                                 std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  PARLEY_TRY(const base::AgentNumber agent, find_agent(core_.state().workspace(number), id));
  PARLEY_CHECK(core_.decide_for(caller, engine::RemoveAgent{number, agent}));
  deliveries_.forget({number, agent});
  return registered("agent_id", id, true, {});
}

base::Result<Answer> RegistryCalls::agents(const Caller& caller, std::string_view workspace, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::read));
  const engine::Registry& registry = core_.state().workspace(number).registry;
  return page_of(registry.agents_by_id, page,
                 [&](json::Writer& writer, base::AgentNumber agent) { show_agent(writer, number, agent); });
}

base::Result<Answer> RegistryCalls::register_person(const Caller& caller, std::string_view workspace,
                                                    json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  engine::RegisterPerson command{number, text_in(body, "person_id"), {}, text_in(body, "public_key"), {}};
  read_texts(body.find("roles"), command.roles);
  PARLEY_CHECK(may_give(core_.state(), caller, command.roles));
  const std::string token = core_.fresh_token(command.token_hash);
  PARLEY_TRY(const engine::Registered made, core_.decide_for(caller, command));
  return registered("person_id", command.person_id, made.existed, token);
}

base::Result<Answer> RegistryCalls::change_person(const Caller& caller, std::string_view workspace, std::string_view id,
                                                  json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  PARLEY_TRY(const base::PersonNumber person, find_person(core_.state().workspace(number), id));
  const engine::Person& known = core_.state().workspace(number).registry.person(person);
  engine::ChangePerson command{number, person, known.roles, known.public_key};
  PARLEY_CHECK(may_give(core_.state(), caller, known.roles));
  read_texts(body.find("roles"), command.roles);
  PARLEY_CHECK(may_give(core_.state(), caller, command.roles));
  if (const auto key = body.find("public_key").if_string()) command.public_key = *key;
  PARLEY_CHECK(core_.decide_for(caller, command));
  Answer answer;
  json::Writer writer(answer.json);
  write_person(writer, known);
  return answer;
}

base::Result<Answer> RegistryCalls::remove_person(const Caller& caller, std::string_view workspace,
                                                  std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::manage));
  PARLEY_TRY(const base::PersonNumber person, find_person(core_.state().workspace(number), id));
  PARLEY_CHECK(may_give(core_.state(), caller, core_.state().workspace(number).registry.person(person).roles));
  PARLEY_CHECK(core_.decide_for(caller, engine::RemovePerson{number, person}));
  return registered("person_id", id, true, {});
}

base::Result<Answer> RegistryCalls::people(const Caller& caller, std::string_view workspace, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::read));
  const engine::Registry& registry = core_.state().workspace(number).registry;
  return page_of(registry.people_by_id, page, [&](json::Writer& writer, base::PersonNumber person) {
    write_person(writer, registry.person(person));
  });
}

base::Result<Answer> RegistryCalls::rotate_token(const Caller& caller, std::string_view workspace,
                                                 std::string_view whose, std::string_view id, base::Duration grace) {
  // One may rotate one's own.
  const bool own = caller.id == id && (caller.kind == Caller::Kind::agent) == (whose == "agents") &&
                   caller.kind != Caller::Kind::admin;
  PARLEY_TRY(const base::WorkspaceNumber number,
             enter(core_.state(), caller, workspace, own ? Right::read : Right::manage));
  engine::RotateToken command{number, {}, {}, {}, grace};
  const engine::Workspace& here = core_.state().workspace(number);
  if (whose == "agents") {
    PARLEY_TRY(command.agent, find_agent(here, id));
  } else {
    PARLEY_TRY(command.person, find_person(here, id));
    if (!own) PARLEY_CHECK(may_give(core_.state(), caller, here.registry.person(command.person).roles));
  }
  const std::string token = core_.fresh_token(command.token_hash);
  PARLEY_CHECK(core_.decide_for(caller, command));
  return registered(whose == "agents" ? "agent_id" : "person_id", id, false, token);
}

}  // namespace parley::broker
