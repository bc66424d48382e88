#include "engine/messages/directions.hpp"

#include "base/excerpt.hpp"
#include "base/quoted.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

// `otherwise`: the hint where nothing is legal.
base::Error direction_refused(std::string message, std::string where, std::vector<std::string> legal,
                              std::string otherwise) {
  base::Error error;
  error.code = ErrorCode::DIRECTION;
  error.message = std::move(message);
  error.where = std::move(where);
  error.legal_next = std::move(legal);
  if (error.legal_next.empty()) error.hint = std::move(otherwise);
  return error;
}

std::string receivers_listed(const AcceptMessage& command) {
  std::string roles;
  for (const std::string& name : command.ruleset.receivers(command.type))
    roles += (roles.empty() ? "'" : ", '") + name + "'";
  return roles;
}

// What else the sender may do about a recipient to whom it may send nothing.
std::string send_elsewhere(const AcceptMessage& command, std::string_view role) {
  return "You may send nothing to the role '" + std::string(role) + "'; '" + command.envelope.native_type +
         "' may go to: " + receivers_listed(command) + '.';
}

std::string registered_as(const Agent& agent) {
  const std::string& type = agent.properties.agent_type;
  return type.empty() ? "without an agent_type" : "as '" + type + "'";
}

// Nobody may send it anything, whatever the sender is.
std::unexpected<base::Error> without_role(const AcceptMessage& command, const Agent& recipient) {
  return base::fail(
      ErrorCode::DIRECTION,
      base::quoted(recipient.id) + " is registered " + registered_as(recipient) + ", and so has no role in profile '" +
          command.ruleset.name + "': nobody may send it a '" + command.envelope.native_type + "'",
      "recipients",
      "Have " + base::quoted(recipient.id) + " given one of the roles that may: " + receivers_listed(command) + '.');
}

}  // namespace

std::string_view role_of(const profile::Ruleset& ruleset, const Agent& agent) {
  return ruleset.role_of_agent(agent.id, agent.properties.agent_type);
}

base::Result<> check_sender(const AcceptMessage& command, const Agent& sender) {
  const auto& envelope = command.envelope;
  const std::string_view role = role_of(command.ruleset, sender);
  const bool may = command.ruleset.may_send(command.type, role);
  if (!may && role.empty() && sender.properties.agent_type.empty())
    return base::fail(
        ErrorCode::DIRECTION,
        base::quoted(sender.id) + " has no agent_type, and who has none may not send '" + envelope.native_type + "'",
        "sender",
        "Change its agent_type to one of the roles of profile '" + command.ruleset.name + "': `parley agent change " +
            sender.id + " --type ROLE`, or PATCH …/agents/{id}.");
  if (!envelope.sender_role.empty() && envelope.sender_role != sender.properties.agent_type)  // D10
    return base::fail(ErrorCode::SENDER_MISMATCH,
                      "the message says its sender is a '" + base::excerpt(envelope.sender_role, 64) + "', " +
                          base::quoted(sender.id) + " is registered " + registered_as(sender),
                      "sender_role",
                      sender.properties.agent_type.empty()
                          ? "Change its agent_type to the role that its messages name: `parley agent change " +
                                sender.id + " --type ROLE`, or PATCH …/agents/{id}."
                          : "Write the agent_type that you are registered with.");
  const std::string& instance = sender.properties.instance_id;
  if (!instance.empty() && !envelope.sender_instance.empty() && envelope.sender_instance != instance)  // D10
    return base::fail(ErrorCode::SENDER_MISMATCH,
                      "the message says it is from instance '" + base::excerpt(envelope.sender_instance, 64) + "', " +
                          base::quoted(sender.id) + " is registered as instance '" + base::excerpt(instance, 64) + "'",
                      "sender_instance",
                      "Write the instance_id that you are registered with; who runs as several registers without one.");
  if (may) return {};
  return std::unexpected(direction_refused(
      "the role '" + std::string(role) + "' may not send '" + envelope.native_type + "'", "sender",
      command.ruleset.legal_types(role),
      "This role may send nothing in profile '" + command.ruleset.name + "'; ask for another agent_type."));
}

base::Result<> check_recipient(const AcceptMessage& command, const Agent& sender, const Agent& recipient) {
  const auto& envelope = command.envelope;
  if (!envelope.recipient_role.empty() && envelope.recipient_role != recipient.properties.agent_type)
    return base::fail(ErrorCode::DIRECTION,
                      "the message says " + base::quoted(recipient.id) + " is a '" +
                          base::excerpt(envelope.recipient_role, 64) + "', it is registered " +
                          registered_as(recipient),
                      "recipient_role",
                      recipient.properties.agent_type.empty()
                          ? "Have the agent changed, so that it has the agent_type that messages name: `parley agent "
                            "change " +
                                recipient.id + " --type ROLE`."
                          : "Write the agent_type that the recipient is registered with.");
  const std::string& instance = recipient.properties.instance_id;
  if (!instance.empty() && !envelope.recipient_instance.empty() && envelope.recipient_instance != instance)
    return base::fail(
        ErrorCode::DIRECTION,
        "the message is for instance '" + base::excerpt(envelope.recipient_instance, 64) + "' of " +
            base::quoted(recipient.id) + ", which is registered as instance '" + base::excerpt(instance, 64) + "'",
        "recipient_instance", "Write the instance_id that the recipient is registered with, or leave it out.");
  const std::string_view role = role_of(command.ruleset, recipient);
  if (command.ruleset.may_receive(command.type, role)) return {};
  if (!command.ruleset.knows_role(role)) return without_role(command, recipient);
  return std::unexpected(direction_refused("'" + envelope.native_type + "' may not be sent to the role '" +
                                               std::string(role) + "' (" + base::quoted(recipient.id) + ")",
                                           "recipients",
                                           command.ruleset.legal_types(role_of(command.ruleset, sender), role),
                                           send_elsewhere(command, role)));
}

}  // namespace parley::engine
