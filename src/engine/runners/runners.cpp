// Runners are registered with their keys, and revoked; a revoked one's id may get another key, its old key never again.
#include <algorithm>

#include "engine/appliers.hpp"
#include "engine/id.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

bool is_just_so(const RegisterRunner& command, const Runner* known) {
  return known && !known->revoked() && known->key == command.key && known->valid_until == command.valid_until;
}

base::Result<> check_id_is_free(const RegisterRunner& command, const Runner* known) {
  if (!known || known->revoked()) return {};
  return base::fail(ErrorCode::CONFLICT, "runner '" + command.runner_id + "' is registered with another key or time",
                    "/runner_id", "Revoke it first, or register the key under another id.");
}

base::Result<> check_key_is_new(const RegisterRunner& command, const Runners& runners) {
  if (!runners.knows(command.key)) return {};
  for (const auto& [id, runner] : runners.all())
    if (runner.key == command.key && !runner.revoked())
      return base::fail(ErrorCode::CONFLICT, "the key is that of runner '" + id + "'", "/public_key",
                        "Make one of its own with `parley runner key FILE`.");
  return base::fail(ErrorCode::RUNNER_REVOKED, "the key was revoked here", "/public_key",
                    "Make another with `parley runner key FILE`, and register that.");
}

base::Result<> check_room(const Runners& runners, const Runner* known) {
  if (!known && runners.all().size() >= runners_max)
    return base::fail(ErrorCode::RUNNERS_FULL, "the workspace has " + std::to_string(runners_max) + " runners",
                      "/runner_id");
  if (runners.keys() < runner_keys_max) return {};
  return base::fail(ErrorCode::RUNNERS_FULL,
                    "the workspace has had " + std::to_string(runner_keys_max) + " keys of runners", "/public_key",
                    "Go on in another workspace.");
}

}  // namespace

const Runner* Runners::find(std::string_view id) const {
  const auto at = all_.find(id);
  return at == all_.end() ? nullptr : &at->second;
}

bool Runners::knows(const base::PublicKey& key) const {
  return keys_.contains(key);
}

void Runners::add(Runner runner) {
  keys_.insert(runner.key);
  all_[runner.id] = std::move(runner);
}

void Runners::revoke(std::string_view id, Instant at) {
  if (const auto known = all_.find(id); known != all_.end()) known->second.revoked_at = at;
}

base::Result<Registered> Engine::decide(const RegisterRunner& command, const Context& context, Decided& decided) const {
  const Runners& runners = state_.workspace(command.workspace).runners;
  PARLEY_CHECK(check_id("a runner", command.runner_id, "/runner_id"));
  const Runner* const known = runners.find(command.runner_id);
  if (is_just_so(command, known)) return Registered{0, true};
  PARLEY_CHECK(check_id_is_free(command, known));
  PARLEY_CHECK(check_key_is_new(command, runners));
  PARLEY_CHECK(check_room(runners, known));
  if (command.valid_until != Instant{} && command.valid_until <= context.now)
    return base::fail(ErrorCode::BAD_REQUEST, "the key would be valid until " + base::to_rfc3339(command.valid_until),
                      "/valid_until", "Name a time to come, or none.");
  event::RunnerRegistered& event = *decided.add(command.workspace).mutable_runner_registered();
  event.set_runner_id(command.runner_id);
  event.set_key(command.key.data(), command.key.size());
  event.set_valid_until(base::unix_us(command.valid_until));
  return Registered{0, false};
}

base::Result<> Engine::decide(const RevokeRunner& command, const Context&, Decided& decided) const {
  const Runner* const known = state_.workspace(command.workspace).runners.find(command.runner_id);
  if (!known || known->revoked()) return {};
  decided.add(command.workspace).mutable_runner_revoked()->set_runner_id(command.runner_id);
  return {};
}

void apply(Workspace& workspace, const event::RunnerRegistered& event, Instant at) {
  Runner runner{.id = event.runner_id(),
                .registered_at = at,
                .valid_until = base::instant_of(event.valid_until()),
                .revoked_at = {}};
  if (event.key().size() == runner.key.size()) std::copy(event.key().begin(), event.key().end(), runner.key.begin());
  workspace.runners.add(std::move(runner));
}

void apply(Workspace& workspace, const event::RunnerRevoked& event, Instant at) {
  workspace.runners.revoke(event.runner_id(), at);
}

}  // namespace parley::engine
