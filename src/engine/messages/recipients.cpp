#include "engine/messages/recipients.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/health/availability.hpp"
#include "engine/messages/directions.hpp"
#include "engine/routing/choose.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

// R29, D5: what crosses profiles is translated, or refused.
base::Result<> check_translatable(const AcceptMessage& command, const Agent& recipient) {
  if (recipient.properties.profile == command.ruleset.name) return {};
  return base::fail(ErrorCode::UNTRANSLATABLE,
                    base::quoted(recipient.id) + " speaks '" + recipient.properties.profile + "', the message is of '" +
                        command.ruleset.name + "'",
                    "recipients");
}

std::unexpected<base::Error> mailbox_full(const Agent& agent) {
  const Load load = load_of(agent);
  const std::string holds = "the mailbox of " + base::quoted(agent.id) + " holds " + std::to_string(load.messages) +
                            " messages of " + std::to_string(load.bytes) + " bytes";
  if (agent.dead_letters.empty()) return base::fail(ErrorCode::MAILBOX_FULL, holds, "recipients");
  return base::fail(
      ErrorCode::MAILBOX_FULL, holds + ", " + std::to_string(agent.dead_letters.size()) + " of them dead letters",
      "recipients",
      "Wait until the recipient has worked some off, or have dead letters redriven and done, or discarded.");
}

base::Result<Recipients> resolve_broadcast(const AcceptMessage& command, const Workspace& workspace, Instant now) {
  Recipients recipients;
  const Registry& registry = workspace.registry;
  for (std::uint32_t number = 1; number <= registry.agents.size(); ++number) {
    const Agent& agent = registry.agent(AgentNumber(number));
    if (agent.removed || AgentNumber(number) == command.sender) continue;
    if (agent.properties.profile != command.ruleset.name) continue;  // until there is translation (R29)
    if (!command.ruleset.may_receive(command.type, role_of(command.ruleset, agent))) continue;
    if (!check_available(command, workspace, agent, now)) continue;
    recipients.open.emplace_back(number);
  }
  if (recipients.open.size() > workspace.settings.recipients)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "a broadcast here would reach " + std::to_string(recipients.open.size()) +
                          " agents, the limit is " + std::to_string(workspace.settings.recipients),
                      "recipients");
  return recipients;
}

base::Result<Recipients> resolve_named(const AcceptMessage& command, const Workspace& workspace, Instant now) {
  const auto& names = command.envelope.recipients;
  if (names.size() > workspace.settings.recipients)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "the message names " + std::to_string(names.size()) + " recipients, the limit is " +
                          std::to_string(workspace.settings.recipients),
                      "recipients");
  Recipients recipients;
  std::string unknown;
  for (const std::string& name : names) {
    if (const auto number = workspace.registry.find_agent(name))
      recipients.open.push_back(*number);
    else if (unknown.size() < 512)
      unknown += (unknown.empty() ? "'" : ", '") + base::excerpt(name, 64) + "'";
  }
  if (!unknown.empty())  // R47
    return base::fail(ErrorCode::RECIPIENT_UNKNOWN, "no agent is registered as " + unknown, "recipients");
  std::sort(recipients.open.begin(), recipients.open.end());
  recipients.open.erase(std::unique(recipients.open.begin(), recipients.open.end()), recipients.open.end());

  const Agent& sender = workspace.registry.agent(command.sender);
  for (const AgentNumber number : recipients.open) {
    const Agent& agent = workspace.registry.agent(number);
    PARLEY_CHECK(check_translatable(command, agent));
    PARLEY_CHECK(check_recipient(command, sender, agent));
    PARLEY_CHECK(check_available(command, workspace, agent, now));
  }
  return recipients;
}

}  // namespace

base::Result<> find_room(const AcceptMessage& command, const Workspace& workspace, std::span<const Offset> leave,
                         Recipients& recipients) {
  const auto fits = [&](AgentNumber number) {
    return has_room(workspace.settings, workspace.registry.agent(number), command.length, {},
                    leaving_load(leave, workspace, number));
  };
  const auto full = std::ranges::stable_partition(recipients.open, fits);
  if (full.empty()) return {};
  // HND-05: a sign of life is the registry's first of all, whoever else has no room for it.
  const envelope::Kind kind = command.envelope.kind;
  const bool is_sign = kind == envelope::Kind::heartbeat || kind == envelope::Kind::health_check;
  const bool may_bounce = command.envelope.broadcast || (is_sign && !command.supersedes);
  if (!may_bounce) return mailbox_full(workspace.registry.agent(full.front()));
  recipients.bounced.insert(recipients.bounced.end(), full.begin(), full.end());
  recipients.open.erase(full.begin(), full.end());
  return {};
}

base::Result<Recipients> resolve(const AcceptMessage& command, const Workspace& workspace, Instant now) {
  if (command.envelope.automatic) {
    PARLEY_TRY(const AgentNumber chosen, choose_for(command, workspace, now));
    return Recipients{{chosen}, {}};
  }
  return command.envelope.broadcast ? resolve_broadcast(command, workspace, now)
                                    : resolve_named(command, workspace, now);
}

}  // namespace parley::engine
