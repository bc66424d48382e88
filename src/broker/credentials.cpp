// Whom a token stands for, and tokens that are new (D10).
#include "broker/broker.hpp"

namespace parley::broker {

std::string Core::fresh_token(base::Digest& hash) {
  std::array<std::uint8_t, 32> secret{};
  parts_.random.fill(secret);
  std::string token = "pt_" + base::to_hex(secret);
  hash = base::sha256(token);
  return token;
}

std::optional<Caller> Broker::caller_of(std::string_view token) {
  const base::Digest hash = base::sha256(token);
  Caller caller;
  if (base::equal_secret(hash, core_.options().admin_token_hash)) {
    caller.kind = Caller::Kind::admin;
    caller.id = "admin";
    return caller;
  }
  const engine::State& state = core_.state();
  const auto known = state.credentials.find(hash);
  if (known == state.credentials.end()) return std::nullopt;
  const engine::Credential& credential = known->second;
  if (credential.valid_until != base::Instant{} && credential.valid_until <= core_.now()) return std::nullopt;
  const engine::Workspace& workspace = state.workspace(credential.workspace);
  caller.workspace = workspace.name;
  caller.workspace_number = credential.workspace;
  caller.agent = credential.agent;
  caller.person = credential.person;
  caller.kind = credential.agent != base::AgentNumber{} ? Caller::Kind::agent : Caller::Kind::person;
  caller.id = caller.kind == Caller::Kind::agent ? workspace.registry.agent(credential.agent).id
                                                 : workspace.registry.person(credential.person).id;
  return caller;
}

}  // namespace parley::broker
