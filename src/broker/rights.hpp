// Who may do what: least rights, by the credential alone (D10, COR-12). What a caller may not see is not there for it.
#pragma once
#include "base/result.hpp"
#include "broker/port/call.hpp"
#include "engine/state.hpp"

namespace parley::broker {

enum class Right : std::uint8_t {
  manage,   // settings, agents, people: the admin, maintainers
  read,     // registry, log: every member
  oversee,  // others' mailboxes, dead letters, receipts: the admin, maintainers, observers
};

// The workspace, where the caller is in it and has the right; else NOT_FOUND or FORBIDDEN.
base::Result<base::WorkspaceNumber> enter(const engine::State& state, const Caller& caller, std::string_view workspace,
                                          Right right);
bool may(const engine::State& state, const Caller& caller, base::WorkspaceNumber workspace, Right right);

// An agent's mailbox to look into: its own, or any for whoever may oversee. Others are told FORBIDDEN whether it
// exists.
base::Result<base::AgentNumber> look_into_mailbox(const engine::State& state, const Caller& caller,
                                                  base::WorkspaceNumber workspace, std::string_view agent);
// To take from: its own alone. Nobody takes another's messages, the admin neither.
base::Result<base::AgentNumber> own_mailbox(const Caller& caller, base::WorkspaceNumber workspace,
                                            std::string_view agent);

// Nobody gives, takes or takes over what they do not have: a person hands out, changes and removes those alone whose
// roles are among their own; the admin, anybody's.
base::Result<> may_give(const engine::State& state, const Caller& caller, const std::vector<std::string>& roles);

base::Result<> admin_only(const Caller& caller);

}  // namespace parley::broker
