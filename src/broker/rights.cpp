#include "broker/rights.hpp"

#include <algorithm>

#include "base/quoted.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

// A connection may outlive its agent's or person's registration.
bool removed(const engine::State& state, const Caller& caller) {
  if (caller.kind == Caller::Kind::admin) return false;
  const engine::Registry& registry = state.workspace(caller.workspace_number).registry;
  return caller.kind == Caller::Kind::agent ? registry.agent(caller.agent).removed
                                            : registry.person(caller.person).removed;
}

bool has_role(const engine::State& state, const Caller& caller, std::string_view role) {
  const auto& person = state.workspace(caller.workspace_number).registry.person(caller.person);
  return std::find(person.roles.begin(), person.roles.end(), role) != person.roles.end();
}

std::string_view name(Right right) {
  switch (right) {
    case Right::manage:
      return "manage the workspace";
    case Right::read:
      return "read here";
    case Right::oversee:
      return "see others' mailboxes";
  }
  return "";
}

}  // namespace

bool may(const engine::State& state, const Caller& caller, base::WorkspaceNumber workspace, Right right) {
  if (caller.kind == Caller::Kind::admin) return true;
  if (caller.workspace_number != workspace) return false;
  if (right == Right::read) return true;
  if (caller.kind == Caller::Kind::agent) return false;
  return has_role(state, caller, "maintainer") || (right == Right::oversee && has_role(state, caller, "observer"));
}

base::Result<base::WorkspaceNumber> enter(const engine::State& state, const Caller& caller, std::string_view workspace,
                                          Right right) {
  const auto number = state.find_workspace(workspace);
  const bool member = number && (caller.kind == Caller::Kind::admin || caller.workspace_number == *number);
  if (!member)
    return base::fail(ErrorCode::NOT_FOUND, "no workspace " + base::quoted(workspace) + " is here for you",
                      "workspace");
  if (removed(state, caller))
    return base::fail(ErrorCode::UNAUTHENTICATED, base::quoted(caller.id) + " was removed from this workspace");
  if (!may(state, caller, *number, right))
    return base::fail(ErrorCode::FORBIDDEN, base::quoted(caller.id) + " may not " + std::string(name(right)));
  return *number;
}

base::Result<base::AgentNumber> look_into_mailbox(const engine::State& state, const Caller& caller,
                                                  base::WorkspaceNumber workspace, std::string_view agent) {
  const bool own = caller.kind == Caller::Kind::agent && caller.id == agent;
  if (!own && !may(state, caller, workspace, Right::oversee))
    return base::fail(ErrorCode::FORBIDDEN, base::quoted(caller.id) + " may not look into the mailbox of another agent",
                      "id");
  if (const auto number = state.workspace(workspace).registry.find_agent(agent)) return *number;
  return base::fail(ErrorCode::NOT_FOUND, "no agent " + base::quoted(agent) + " is registered here", "id");
}

base::Result<base::AgentNumber> own_mailbox(const Caller& caller, base::WorkspaceNumber workspace,
                                            std::string_view agent) {
  if (caller.kind == Caller::Kind::agent && caller.workspace_number == workspace && caller.id == agent)
    return caller.agent;
  return base::fail(ErrorCode::FORBIDDEN, base::quoted(caller.id) + " may not take from the mailbox of another agent",
                    "id", "Use the token of the agent whose mailbox it is.");
}

base::Result<> may_give(const engine::State& state, const Caller& caller, const std::vector<std::string>& roles) {
  if (caller.kind == Caller::Kind::admin) return {};
  const auto has = [&](std::string_view role) {
    return has_role(state, caller, role) || (role == "observer" && has_role(state, caller, "maintainer"));
  };
  for (const std::string& role : roles)
    if (caller.kind != Caller::Kind::person || !has(role))
      return base::fail(
          ErrorCode::FORBIDDEN,
          base::quoted(caller.id) + " is no " + base::excerpt(role, 64) + ", and may not decide who is one", "/roles",
          "Use the admin token, or that of a maintainer who has the role.");
  return {};
}

base::Result<> admin_only(const Caller& caller) {
  if (caller.kind == Caller::Kind::admin) return {};
  return base::fail(ErrorCode::FORBIDDEN, base::quoted(caller.id) + " may not do this", {}, "Use the admin token.");
}

}  // namespace parley::broker
