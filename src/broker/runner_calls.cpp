// Runners: their keys registered, listed, revoked (BEY-05). By whoever may manage the workspace; seen by every member.
#include "base/excerpt.hpp"
#include "broker/list_page.hpp"
#include "broker/registry_calls.hpp"
#include "broker/rights.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

std::string_view state_of(const engine::Runner& runner, base::Instant now) {
  if (runner.revoked()) return "revoked";
  return runner.expired(now) ? "expired" : "valid";
}

void write_runner(json::Writer& writer, const engine::Runner& runner, base::Instant now) {
  writer.begin_object().member("runner_id", runner.id).member("public_key", base::to_text(runner.key));
  writer.member("state", state_of(runner, now)).member("registered_at", base::to_rfc3339(runner.registered_at));
  if (runner.valid_until != base::Instant{}) writer.member("valid_until", base::to_rfc3339(runner.valid_until));
  if (runner.revoked()) writer.member("revoked_at", base::to_rfc3339(runner.revoked_at));
  writer.end_object();
}

base::Result<engine::RegisterRunner> read_runner(base::WorkspaceNumber number, json::Value body) {
  engine::RegisterRunner command{.workspace = number,
                                 .runner_id = std::string(body.find("runner_id").if_string().value_or("")),
                                 .valid_until = {}};
  const auto key = base::parse_public_key(body.find("public_key").if_string().value_or(""));
  if (!key)
    return base::fail(ErrorCode::BAD_REQUEST, "the public key is not 32 bytes in base64", "/public_key",
                      "`parley runner key FILE` prints the one of the key that it makes.");
  command.key = *key;
  if (const auto until = body.find("valid_until").if_string()) {
    PARLEY_TRY(command.valid_until, base::parse_rfc3339(*until));
  }
  return command;
}

}  // namespace

base::Result<Answer> RegistryCalls::register_runner(const Caller& caller, std::string_view workspace_name,
                                                    json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::manage));
  PARLEY_TRY(const engine::RegisterRunner command, read_runner(number, body));
  PARLEY_TRY(const engine::Registered made, core_.decide_for(caller, command));
  Answer answer{made.existed ? 200 : 201, {}};
  json::Writer writer(answer.json);
  write_runner(writer, *core_.state().workspace(number).runners.find(command.runner_id), core_.now());
  return answer;
}

base::Result<Answer> RegistryCalls::runners(const Caller& caller, std::string_view workspace_name, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  return page_of(
      core_.state().workspace(number).runners.all(), page,
      [&](json::Writer& writer, const engine::Runner& runner) { write_runner(writer, runner, core_.now()); });
}

base::Result<Answer> RegistryCalls::revoke_runner(const Caller& caller, std::string_view workspace_name,
                                                  std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::manage));
  const engine::Runners& runners = core_.state().workspace(number).runners;
  if (!runners.find(id))
    return base::fail(ErrorCode::NOT_FOUND, "no runner '" + base::excerpt(id, 64) + "' is registered here", "id");
  PARLEY_CHECK(core_.decide_for(caller, engine::RevokeRunner{number, std::string(id)}));
  Answer answer;
  json::Writer writer(answer.json);
  write_runner(writer, *runners.find(id), core_.now());
  return answer;
}

}  // namespace parley::broker
