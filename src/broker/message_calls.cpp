// Messages: sent, looked at.
#include <algorithm>

#include "broker/broker.hpp"
#include "broker/rights.hpp"
#include "broker/views.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

// What a message is known again by (R7): its id, in some profiles with its recipient.
engine::IdKey id_key(const envelope::Envelope& envelope, const profile::Ruleset& ruleset,
                     std::string_view idempotency_key) {
  const std::string_view id = envelope.message_id.empty() ? idempotency_key : std::string_view(envelope.message_id);
  if (id.empty()) return {};
  if (ruleset.idempotency_key == profile::IdempotencyKey::message) return engine::id_key_of(id);
  std::string recipients = envelope.broadcast ? "*" : "";
  for (const std::string& recipient : envelope.recipients) recipients += recipient + '\n';
  return engine::id_key_of(id, recipients);
}

bool party_to(const engine::Message& message, base::AgentNumber agent) {
  return message.sender == agent || message.receipt_of(agent) != nullptr;
}

// Where the other message lies is told to who may look at it.
base::Error id_conflict(const engine::Accepted& known, const engine::Workspace& workspace, base::AgentNumber sender) {
  const bool party = party_to(workspace.messages.at(known.offset), sender);
  base::Error error;
  error.code = ErrorCode::ID_CONFLICT;
  error.message = "the id '" + known.message_id.substr(0, 64) + "' belongs to " +
                  (party ? "the message at offset " + std::to_string(known.offset.value) : "another message") +
                  ", which has other content";
  return error;
}

// The same for what is not there and for what the caller may not see (I1).
std::unexpected<base::Error> not_known(std::string_view message_id) {
  return base::fail(ErrorCode::NOT_FOUND, "no message '" + std::string(message_id.substr(0, 64)) + "' is known here",
                    {},
                    "Ids are remembered for the window in GET /v1/limits; older messages are in the log. Where an "
                    "id may be sent to several recipients, ?to= says whose.");
}

constexpr std::size_t recipients_tried = 1'000;

// An id that says nothing alone (R7), asked for without `to`: every agent may be the recipient.
base::Result<base::Offset> offset_at_any(const engine::Workspace& workspace, const Caller& caller,
                                         std::string_view message_id) {
  std::vector<std::string> at;
  base::Offset offset;
  std::size_t tried = 0;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {
    if (++tried > recipients_tried) break;
    const auto known = workspace.ids.find(engine::id_key_of(message_id, id + '\n'));
    if (!known) continue;
    if (caller.kind == Caller::Kind::agent && !party_to(workspace.messages.at(*known), caller.agent)) continue;
    offset = *known;
    at.push_back("?to=" + id);
  }
  if (at.size() == 1) return offset;
  if (at.empty()) return not_known(message_id);
  auto error = base::fail(ErrorCode::CONFLICT,
                          "'" + std::string(message_id.substr(0, 64)) + "' was sent to " + std::to_string(at.size()) +
                              " agents, each in a message of its own",
                          "?to", "Say which recipient's with ?to=.");
  error.error().legal_next = std::move(at);
  return error;
}

base::Result<base::Offset> offset_of(const engine::Workspace& workspace, const Caller& caller,
                                     std::string_view message_id, std::string_view to) {
  for (const std::string& recipient : {std::string(), to.empty() ? std::string("*") : std::string(to) + '\n'}) {
    const engine::IdKey key = engine::id_key_of(message_id, recipient);
    if (const auto own = workspace.ids.find(engine::private_key_of(key, caller.agent))) return *own;
    if (const auto known = workspace.ids.find(key)) return *known;
  }
  return to.empty() ? offset_at_any(workspace, caller, message_id) : not_known(message_id);
}

}  // namespace

std::unexpected<base::Error> Broker::refused(base::Error error) {
  ++counts_.refused[static_cast<std::size_t>(error.code)];
  return std::unexpected(std::move(error));
}

bool Broker::same_json(base::Offset known, base::WorkspaceNumber workspace, std::string_view bytes) {
  const engine::Message& message = engine_.state().workspace(workspace).messages.at(known);
  const auto before = history_.body(message.position);
  if (!before) return false;
  const auto old_document = json::Document::parse(*before);
  const auto new_value = other_parser_.parse(bytes);
  return old_document && new_value && json::equal(old_document->root(), *new_value);
}

base::Result<Sent> Broker::send(const Caller& caller, std::string_view workspace_name, const Native& native,
                                std::string_view idempotency_key) {
  const engine::State& state = engine_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  if (caller.kind != Caller::Kind::agent)
    return base::fail(ErrorCode::FORBIDDEN, "'" + caller.id + "' is no agent, and only agents send messages", {},
                      "Send with the token of the agent whose message it is; people cannot send yet.");
  if (auto room = check_room(native.bytes.size()); !room) return refused(std::move(room).error());

  const base::Duration began = parts_.clock.monotonic();
  const engine::Workspace& workspace = state.workspace(number);
  const profile::Ruleset& ruleset = *parts_.ruleset_of(workspace.registry.agent(caller.agent).properties.profile);
  const auto validation = workspace.settings.lenient ? ingress::Validation::lenient : ingress::Validation::strict;
  auto checked =
      ingress::check({native.bytes, native.value}, ruleset, {caller.id, idempotency_key, context().now, validation});
  if (!checked) return refused(std::move(checked).error());

  const engine::AcceptMessage command{
      .workspace = number,
      .sender = caller.agent,
      .envelope = checked->envelope,
      .ruleset = ruleset,
      .type = checked->type,
      .lane = checked->lane,
      .id_key = id_key(checked->envelope, ruleset, idempotency_key),
      .length = static_cast<std::uint32_t>(native.bytes.size()),
      .warnings = checked->warnings,
      .validation_errors = checked->validation_errors,
  };
  decided_.clear();
  auto accepted = engine_.decide(command, context(), decided_);
  if (!accepted) return refused(std::move(accepted).error());
  if (accepted->outcome == engine::AcceptOutcome::other_bytes && !same_json(accepted->offset, number, native.bytes))
    return refused(id_conflict(*accepted, workspace, caller.agent));
  const bool duplicate = accepted->outcome != engine::AcceptOutcome::accepted;
  if (!duplicate)
    decided_.facts().front().event.mutable_message_accepted()->set_processing_us(
        (parts_.clock.monotonic() - began).count());
  record(decided_, native.bytes, checked->envelope.content_hash);
  ++(duplicate ? counts_.duplicates : counts_.accepted[ruleset.name]);

  Sent sent{std::move(accepted->message_id), accepted->offset, duplicate, std::move(checked->warnings)};
  std::move(checked->validation_errors.begin(), checked->validation_errors.end(), std::back_inserter(sent.warnings));
  std::move(accepted->remarks.begin(), accepted->remarks.end(), std::back_inserter(sent.warnings));
  return sent;
}

base::Result<Answer> Broker::message(const Caller& caller, std::string_view workspace_name, std::string_view message_id,
                                     std::string_view to) {
  const engine::State& state = engine_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  const engine::Workspace& workspace = state.workspace(number);
  PARLEY_TRY(const base::Offset offset, offset_of(workspace, caller, message_id, to));
  const engine::Message& message = workspace.messages.at(offset);
  const bool visible = caller.kind == Caller::Kind::agent ? party_to(message, caller.agent)
                                                          : !message.private_ || caller.kind == Caller::Kind::person;
  if (!visible || message.private_)  // R25: the sender alone may follow its receipt
    if (message.sender != caller.agent || caller.kind != Caller::Kind::agent) return not_known(message_id);

  PARLEY_TRY(const event::Event event, history_.event(message.position));
  PARLEY_TRY(const std::string_view body, history_.body(message.position));
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object();
  write_accepted(writer, workspace, offset, message.accepted_at, event.message_accepted());
  write_receipts(writer, workspace, message);
  writer.key("message").raw(body).end_object();
  return answer;
}

}  // namespace parley::broker
