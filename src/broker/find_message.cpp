#include "broker/find_message.hpp"

#include "base/quoted.hpp"

namespace parley::broker {

using base::ErrorCode;

namespace {

// Held, rejected, or taken back before it was ever offered: it went to nobody, and is nobody's to read (SUP-04).
bool never_came(const engine::Receipt& receipt) {
  using engine::ReceiptState;
  const bool taken_back = receipt.state == ReceiptState::superseded || receipt.state == ReceiptState::rescinded;
  return receipt.state == ReceiptState::held || receipt.state == ReceiptState::rejected ||
         (taken_back && receipt.epoch == 0);
}

}  // namespace

bool party_to(const engine::Message& message, base::AgentNumber agent) {
  const engine::Receipt* const receipt = message.receipt_of(agent);
  return message.sender == agent || (receipt && !never_came(*receipt));
}

std::unexpected<base::Error> not_known(std::string_view message_id) {
  return base::fail(ErrorCode::NOT_FOUND, "no message " + base::quoted(message_id) + " is known here", "message_id",
                    "Ids are remembered for the window in GET /v1/limits; older messages are in the log. Where an "
                    "id may be sent to several recipients, ?to= says whose.");
}

namespace {

constexpr std::string_view to_all = "*";  // of a broadcast, where ids are its sender's for each recipient (R7)
constexpr std::size_t recipients_tried = 10'000;
constexpr std::size_t recipients_named = 20;

std::optional<base::Offset> offset_at(const engine::Workspace& workspace, const Caller& caller,
                                      std::string_view message_id, const std::string& recipient) {
  const engine::IdKey key = engine::id_key_of(message_id, recipient);
  if (const auto own = workspace.message_of(engine::private_key_of(key, caller.id))) return own;
  return workspace.message_of(key);
}

// An id that says nothing alone (R7), asked for without `to`: all may be who it was sent to, and so may every agent.
base::Result<base::Offset> offset_at_any(const engine::Workspace& workspace, const Caller& caller,
                                         std::string_view message_id) {
  std::vector<std::string> at;
  std::size_t count = 0;
  base::Offset offset;
  const auto look = [&](const std::string& recipient, std::string_view name) {
    const auto known = workspace.message_of(engine::id_key_of(message_id, recipient));
    if (!known) return;
    if (caller.kind == Caller::Kind::agent && !party_to(workspace.messages.at(*known), caller.agent)) return;
    offset = *known;
    if (++count <= recipients_named) at.push_back("?to=" + std::string(name));
  };
  look(std::string(to_all), to_all);
  std::size_t tried = 0;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {
    if (++tried > recipients_tried) break;
    look(id + '\n', id);
  }
  if (tried > recipients_tried)
    return base::fail(ErrorCode::CONFLICT,
                      "there are more agents here than are tried for whose " + base::quoted(message_id) + " is", "?to",
                      "Say whose with ?to=; * is the one to all.");
  if (count == 1) return offset;
  if (count == 0) return not_known(message_id);
  auto error = base::fail(
      ErrorCode::CONFLICT,
      base::quoted(message_id) + " was sent " + std::to_string(count) + " times, each in a message of its own", "?to",
      "Say whose with ?to=; * is the one to all.");
  error.error().legal_next = std::move(at);
  return error;
}

}  // namespace

base::Result<base::Offset> offset_of(const engine::Workspace& workspace, const Caller& caller,
                                     std::string_view message_id, std::string_view to) {
  if (const auto known = offset_at(workspace, caller, message_id, {})) return *known;
  if (to.empty()) return offset_at_any(workspace, caller, message_id);
  const std::string recipient = to == to_all ? std::string(to_all) : std::string(to) + '\n';
  const auto known = offset_at(workspace, caller, message_id, recipient);
  return known ? base::Result<base::Offset>(*known) : not_known(message_id);
}

std::optional<base::Offset> offset_received(const engine::Workspace& workspace, const Caller& caller,
                                            std::string_view message_id) {
  for (const std::string& recipient : {std::string(), caller.id + '\n', std::string(to_all)})
    if (const auto known = offset_at(workspace, caller, message_id, recipient)) return known;
  return std::nullopt;
}

base::Result<base::Offset> own_message(const engine::Workspace& workspace, const Caller& caller,
                                       std::string_view message_id, std::string_view to) {
  if (caller.kind != Caller::Kind::agent)
    return base::fail(ErrorCode::FORBIDDEN, base::quoted(caller.id) + " is no agent, and only agents send messages",
                      "Authorization", "Take a message back with the token of the agent that sent it.");
  PARLEY_TRY(const base::Offset offset, offset_of(workspace, caller, message_id, to));
  const engine::Message& message = workspace.messages.at(offset);
  if (message.sender == caller.agent) return offset;
  if (message.private_ || !party_to(message, caller.agent)) return not_known(message_id);
  return base::fail(ErrorCode::FORBIDDEN, base::quoted(caller.id) + " did not send this message", "message_id",
                    "Only its sender takes a message back.");
}

}  // namespace parley::broker
