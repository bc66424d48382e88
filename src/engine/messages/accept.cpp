// A message is accepted, or refused with what would be legal: known ids first (R8), then who may send what to whom
// (000 §6.2; COL-03), then room (D11).
#include <algorithm>

#include "base/excerpt.hpp"
#include "base/hash.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/open.hpp"
#include "engine/health/availability.hpp"
#include "engine/health/follow.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/said.hpp"
#include "engine/requests/follow.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

constexpr std::size_t instances_kept = 16;  // of an agent, whose sequence numbers are watched

bool given(const IdKey& key) {
  return std::any_of(key.begin(), key.end(), [](std::uint8_t byte) { return byte != 0; });
}

// R25: who sends the id of a private message by chance is not told that it is known; to its sender it is.
IdKey key_of(const AcceptMessage& command, const Agent& sender) {
  if (!given(command.id_key) || !command.ruleset.type(command.type).is_private) return command.id_key;
  return private_key_of(command.id_key, sender.id);
}

std::string role_of(const profile::Ruleset& ruleset, const Agent& agent) {
  return std::string(ruleset.role_of_agent(agent.id, agent.properties.agent_type));
}

base::Error direction_refused(const AcceptMessage& command, std::string message, std::string where,
                              std::vector<std::string> legal) {
  base::Error error;
  error.code = ErrorCode::DIRECTION;
  error.message = std::move(message);
  error.where = std::move(where);
  error.legal_next = std::move(legal);
  if (error.legal_next.empty())
    error.hint =
        "This role may send nothing here in profile '" + command.ruleset.name + "'; ask for another agent_type.";
  return error;
}

std::string registered_as(const Agent& agent) {
  const std::string& type = agent.properties.agent_type;
  return type.empty() ? "without an agent_type" : "as '" + type + "'";
}

base::Result<> check_sender(const AcceptMessage& command, const Agent& sender) {
  const auto& envelope = command.envelope;
  const std::string role = role_of(command.ruleset, sender);
  const bool may = command.ruleset.may_send(command.type, role);
  if (!may && role.empty() && sender.properties.agent_type.empty())
    return base::fail(
        ErrorCode::DIRECTION,
        "'" + sender.id + "' has no agent_type, and who has none may not send '" + envelope.native_type + "'", "sender",
        "Change the agent: give it one of the roles of profile '" + command.ruleset.name + "'.");
  if (!envelope.sender_role.empty() && envelope.sender_role != sender.properties.agent_type)  // D10
    return base::fail(ErrorCode::SENDER_MISMATCH,
                      "the message says its sender is a '" + base::excerpt(envelope.sender_role, 64) + "', '" +
                          sender.id + "' is registered " + registered_as(sender),
                      "sender's agent_type", "Write the agent_type that you are registered with.");
  const std::string& instance = sender.properties.instance_id;
  if (!instance.empty() && !envelope.sender_instance.empty() && envelope.sender_instance != instance)  // D10
    return base::fail(ErrorCode::SENDER_MISMATCH,
                      "the message says it is from instance '" + base::excerpt(envelope.sender_instance, 64) + "', '" +
                          sender.id + "' is registered as instance '" + base::excerpt(instance, 64) + "'",
                      "sender's instance_id",
                      "Write the instance_id that you are registered with; who runs as several registers without one.");
  if (may) return {};
  return std::unexpected(direction_refused(command,
                                           "the role '" + role + "' may not send '" + envelope.native_type + "'",
                                           "sender", command.ruleset.legal_types(role)));
}

base::Result<> check_recipient(const AcceptMessage& command, const Agent& sender, const Agent& recipient) {
  const auto& envelope = command.envelope;
  if (!envelope.recipient_role.empty() && envelope.recipient_role != recipient.properties.agent_type)
    return base::fail(ErrorCode::DIRECTION,
                      "the message says '" + recipient.id + "' is a '" + base::excerpt(envelope.recipient_role, 64) +
                          "', it is registered " + registered_as(recipient),
                      "recipient's agent_type", "Write the agent_type that the recipient is registered with.");
  const std::string role = role_of(command.ruleset, recipient);
  if (command.ruleset.may_receive(command.type, role)) return {};
  return std::unexpected(direction_refused(
      command, "'" + envelope.native_type + "' may not be sent to the role '" + role + "' ('" + recipient.id + "')",
      "recipient", command.ruleset.legal_types(role_of(command.ruleset, sender), role)));
}

// MSH-15, R43. Only what is accepted counts: not what is refused, nor what is known already.
base::Result<> check_rate(const profile::RateLimit& rate, const Agent& sender, Instant now,
                          std::vector<base::Problem>& warnings) {
  if (rate.messages == 0) return {};
  const std::uint32_t sent = sender.sent_lately.count(now);
  const std::string bound = std::to_string(rate.messages) + " in " + base::to_text(rate.window);
  if (sent >= rate.messages) {
    base::Error error;
    error.code = ErrorCode::RATE_LIMITED;
    error.message = "'" + sender.id + "' has sent " + std::to_string(sent) + " messages; the limit is " + bound;
    error.where = "sender";
    error.retry_after = std::chrono::ceil<std::chrono::milliseconds>(sender.sent_lately.first_to_go(now) - now);
    error.hint = "Wait " + base::to_text(error.retry_after) + ", then send it again with the same id.";
    return std::unexpected(std::move(error));
  }
  if (sent + 1 >= std::uint64_t{rate.messages} * 4 / 5)
    warnings.push_back({"", "RATE_LIMIT_APPROACHING",
                        "This is message " + std::to_string(sent + 1) + "; the limit is " + bound + "."});
  return {};
}

// R8: it may be one that was accepted and is forgotten by now. Only then: decision 0001.
base::Result<> check_age(const Workspace& workspace, const Agent& sender, const envelope::Envelope& envelope) {
  if (!envelope.sent_at || workspace.forgotten.empty()) return {};
  const auto of_sender = workspace.forgotten.find(sender.id);
  if (of_sender == workspace.forgotten.end()) return {};
  const auto span = of_sender->second.around(*envelope.sent_at);
  if (!span) return {};
  return base::fail(ErrorCode::TOO_OLD,
                    "the message is of " + base::to_rfc3339(*envelope.sent_at) + "; ids of '" + sender.id + "' from " +
                        base::to_rfc3339(span->first) + " to " + base::to_rfc3339(span->last) + " are forgotten",
                    "timestamp");
}

// R29, D5: what crosses profiles is translated, or refused.
base::Result<> check_translatable(const AcceptMessage& command, const Agent& recipient) {
  if (recipient.properties.profile == command.ruleset.name) return {};
  return base::fail(ErrorCode::UNTRANSLATABLE,
                    "'" + recipient.id + "' speaks '" + recipient.properties.profile + "', the message is of '" +
                        command.ruleset.name + "'",
                    "recipients");
}

std::unexpected<base::Error> mailbox_full(const Agent& agent) {
  const Load load = load_of(agent);
  const std::string holds = "the mailbox of '" + agent.id + "' holds " + std::to_string(load.messages) +
                            " messages of " + std::to_string(load.bytes) + " bytes";
  if (agent.dead_letters.empty()) return base::fail(ErrorCode::MAILBOX_FULL, holds, "recipients");
  return base::fail(ErrorCode::MAILBOX_FULL,
                    holds + ", " + std::to_string(agent.dead_letters.size()) + " of them dead letters", "recipients",
                    "Wait until the recipient has worked some off, or have dead letters redriven and done.");
}

struct Recipients {
  std::vector<AgentNumber> open;     // rising, each once
  std::vector<AgentNumber> bounced;  // of a broadcast: their mailbox is full
};

base::Result<Recipients> resolve_broadcast(const AcceptMessage& command, const Workspace& workspace, Instant now) {
  Recipients recipients;
  const Registry& registry = workspace.registry;
  for (std::uint32_t number = 1; number <= registry.agents.size(); ++number) {
    const Agent& agent = registry.agent(AgentNumber(number));
    if (agent.removed || AgentNumber(number) == command.sender) continue;
    if (agent.properties.profile != command.ruleset.name) continue;  // until there is translation (R29)
    if (!command.ruleset.may_receive(command.type, role_of(command.ruleset, agent))) continue;
    if (!check_available(command, workspace, agent, now)) continue;
    auto& list = has_room(workspace.settings, agent, command.length) ? recipients.open : recipients.bounced;
    list.emplace_back(number);
  }
  if (recipients.open.size() + recipients.bounced.size() > workspace.settings.recipients)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "a broadcast here would reach " +
                          std::to_string(recipients.open.size() + recipients.bounced.size()) +
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
    if (!has_room(workspace.settings, agent, command.length)) return mailbox_full(agent);
  }
  return recipients;
}

base::Result<Recipients> resolve(const AcceptMessage& command, const Workspace& workspace, Instant now) {
  if (command.envelope.automatic)
    return base::fail(ErrorCode::RECIPIENT_UNKNOWN, "nothing here chooses a recipient yet: 'auto' is nobody's name",
                      "recipients",
                      "Name the recipient: `parley agent list`, or GET …/agents, tells who is here with which "
                      "capabilities.");
  return command.envelope.broadcast ? resolve_broadcast(command, workspace, now)
                                    : resolve_named(command, workspace, now);
}

// D7: `accepted` never pretends.
void remark(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients,
            std::vector<base::Problem>& remarks) {
  if (command.ruleset.type(command.type).is_private)
    remarks.push_back({"", "PRIVATE_KEPT",
                       "A '" + command.envelope.native_type +
                           "' is private: it is kept, and shown to nobody but you until moderators can open it."});
  else if (command.envelope.broadcast && recipients.open.empty() && recipients.bounced.empty())
    remarks.push_back(
        {"", "NO_RECIPIENT",
         "The broadcast reached nobody: no other agent here may receive a '" + command.envelope.native_type + "'."});
  if (recipients.bounced.empty()) return;
  remarks.push_back({"", "BOUNCED",
                     "It bounced at " + std::to_string(recipients.bounced.size()) +
                         (recipients.bounced.size() == 1 ? " full mailbox: " : " full mailboxes: ") +
                         names_of(workspace.registry, recipients.bounced) + "."});
}

void write(std::span<const base::Problem> problems, google::protobuf::RepeatedPtrField<event::Problem>& out) {
  for (const base::Problem& problem : problems) {
    event::Problem& written = *out.Add();
    written.set_instance(problem.instance);
    written.set_schema(problem.schema);
    written.set_message(problem.message);
  }
}

void write(const AcceptMessage& command, const Recipients& recipients, std::string message_id, const IdKey& id_key,
           event::MessageAccepted& event) {
  const envelope::Envelope& envelope = command.envelope;
  event.set_message_id(std::move(message_id));
  event.set_sender(command.sender.value);
  for (const AgentNumber agent : recipients.open) event.add_recipients(agent.value);
  for (const AgentNumber agent : recipients.bounced) event.add_bounced(agent.value);
  event.set_broadcast(envelope.broadcast);
  event.set_kind(static_cast<std::uint32_t>(envelope.kind));
  event.set_native_type(envelope.native_type);
  event.set_priority(static_cast<std::uint32_t>(envelope.priority));
  event.set_at_most_once(envelope.delivery == envelope::DeliveryClass::at_most_once);
  event.set_private_(command.ruleset.type(command.type).is_private);
  if (envelope.sent_at) event.set_sent_at(base::unix_us(*envelope.sent_at));
  if (envelope.expires_at) event.set_expires_at(base::unix_us(*envelope.expires_at));
  if (envelope.sequence) event.set_sequence(*envelope.sequence);
  event.set_lane(command.lane.value);
  event.set_task(envelope.task);
  event.set_correlation(envelope.correlation);
  event.set_reply_to(envelope.reply_to);
  event.set_conversation(envelope.conversation);
  event.set_sender_instance(envelope.sender_instance);
  if (!envelope.task.empty()) event.set_record_at(command.ruleset.type(command.type).keeps);
  for (const envelope::Field& field : envelope.fields) {
    if (!field.recorded) continue;
    event::Field& written = *event.add_fields();
    written.set_name(field.name);
    written.set_json(field.json);
  }
  event.set_id_key(id_key.data(), id_key.size());
  // R5. A message without defects that has no timestamp is of a type that needs none.
  event.set_made_id(envelope.message_id.empty() || envelope.made_id);
  event.set_made_timestamp(!envelope.sent_at && !command.validation_errors.empty());
  write(command.validation_errors, *event.mutable_validation_errors());
  write(command.warnings, *event.mutable_warnings());
}

// What the message means for the mechanisms that it concerns.
struct Semantics {
  std::optional<event::TaskMoved> task_moved;
  std::vector<base::Problem> defects;  // R5: of a lenient workspace, where it then means nothing to them
};

base::Result<Semantics> check_semantics(const AcceptMessage& command, const Workspace& workspace,
                                        const Recipients& recipients, const Context& context,
                                        std::vector<base::Problem>& warnings) {
  Semantics semantics;
  auto moved = task_move(command, workspace, recipients.open, context, warnings);
  if (moved)
    semantics.task_moved = std::move(*moved);
  else if (workspace.settings.lenient && moved.error().code != ErrorCode::TASKS_FULL)
    semantics.defects.push_back({"", std::string(base::info(moved.error().code).name), moved.error().message});
  else
    return std::unexpected(std::move(moved.error()));
  return semantics;
}

// R9: the offset is the order; a number that goes back is worth a word.
std::vector<base::Problem> sequence_warnings(const Agent& sender, const envelope::Envelope& envelope) {
  if (!envelope.sequence) return {};
  for (const Sequence& sequence : sender.sequences)
    if (sequence.instance == envelope.sender_instance && *envelope.sequence < sequence.newest)
      return {{"", "SEQUENCE_BACK",
               "The sequence number " + std::to_string(*envelope.sequence) + " goes back: this instance has sent " +
                   std::to_string(sequence.newest) + "."}};
  return {};
}

void note_sequence(Agent& sender, const std::string& instance, std::int64_t number) {
  for (Sequence& sequence : sender.sequences)
    if (sequence.instance == instance) {
      sequence.newest = std::max(sequence.newest, number);
      return;
    }
  sender.sequences.push_back({instance, number});
  if (sender.sequences.size() > instances_kept) sender.sequences.erase(sender.sequences.begin());
}

}  // namespace

IdKey id_key_of(std::string_view message_id, std::string_view recipient) {
  std::string text(message_id);
  if (!recipient.empty()) text.append(1, '\0').append(recipient);
  return base::first_half(base::sha256(text));
}

IdKey private_key_of(const IdKey& key, std::string_view sender) {
  return id_key_of({reinterpret_cast<const char*>(key.data()), key.size()}, "private " + std::string(sender));
}

base::Result<Accepted> Engine::decide(const AcceptMessage& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const envelope::Envelope& envelope = command.envelope;
  const IdKey sent_key = key_of(command, workspace.registry.agent(command.sender));
  if (given(sent_key)) {
    if (const auto known = workspace.ids.find(sent_key)) {
      const Message& message = workspace.messages.at(*known);
      return Accepted{message.content == base::first_half(envelope.content_hash) ? AcceptOutcome::duplicate
                                                                                 : AcceptOutcome::other_bytes,
                      *known,
                      std::string(message.id.view()),
                      {}};
    }
  }
  PARLEY_CHECK(check_age(workspace, workspace.registry.agent(command.sender), envelope));
  if (envelope.expires_at && *envelope.expires_at <= context.now)
    return base::fail(ErrorCode::EXPIRED,
                      "the message expired at " + base::to_rfc3339(*envelope.expires_at) +
                          "; the server's clock says " + base::to_rfc3339(context.now),
                      std::string(envelope.expiry_at));

  PARLEY_CHECK(check_sender(command, workspace.registry.agent(command.sender)));
  const profile::RateLimit rate = rate_of(workspace.settings, command.ruleset);
  std::vector<base::Problem> warnings;
  PARLEY_CHECK(check_rate(rate, workspace.registry.agent(command.sender), context.now, warnings));
  PARLEY_TRY(const Recipients recipients, resolve(command, workspace, context.now));
  PARLEY_CHECK(check_request(command, workspace));
  std::vector<base::Problem> of_semantics;
  PARLEY_TRY(Semantics semantics, check_semantics(command, workspace, recipients, context, of_semantics));
  const std::optional<Asking> asking = asking_of(command);
  if (asking) PARLEY_CHECK(check_approval(command, workspace));

  event::Event& event = decided.add(command.workspace);
  const Offset offset(event.offset());
  std::string message_id = envelope.message_id.empty() ? made_id(context, offset.value) : envelope.message_id;
  // A made one is remembered too: its sender asks for its receipts by it (R5, D7).
  const IdKey id_key = given(sent_key) ? sent_key : id_key_of(message_id);
  const auto of_sequence = sequence_warnings(workspace.registry.agent(command.sender), envelope);
  event::MessageAccepted& message = decided.message_accepted(event);
  write(command, recipients, message_id, id_key, message);
  if (rate.messages > 0) message.set_counts_until(base::unix_us(counts_until(rate, context.now)));
  write(of_sequence, *message.mutable_warnings());
  warnings.insert(warnings.end(), of_sequence.begin(), of_sequence.end());
  decided.last().has_native_body = true;
  remark(command, workspace, recipients, warnings);
  follow_requests(command, workspace, context, message);
  follow_health(command, workspace, context, message);
  write(semantics.defects, *message.mutable_validation_errors());
  write(of_semantics, *message.mutable_warnings());
  warnings.insert(warnings.end(), semantics.defects.begin(), semantics.defects.end());
  if (asking) open_approval(*asking, context, message);
  warnings.insert(warnings.end(), of_semantics.begin(), of_semantics.end());
  if (semantics.task_moved) {
    *message.mutable_task_moved() = *semantics.task_moved;
    decide_orders_over(decided, workspace, command.workspace, offset, *semantics.task_moved, command.lane);
  }
  return Accepted{AcceptOutcome::accepted, offset, std::move(message_id), std::move(warnings)};
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
           const event::MessageAccepted& event, const Placed& placed) {
  if (event.has_sequence())
    note_sequence(workspace.registry.agent(AgentNumber(event.sender())), event.sender_instance(), event.sequence());
  Message& message = workspace.messages.add(offset);
  ++workspace.window_size;
  if (event.has_counts_until())
    workspace.registry.agent(AgentNumber(event.sender()))
        .sent_lately.add(base::instant_of(event.counts_until()), placed.at);
  if (!event.record_at().empty())
    workspace.records.keep(event.task(), AgentNumber(event.sender()), {offset, placed.position},
                           workspace.settings.kept_records);
  message.position = placed.position;
  message.length = placed.body_length;
  message.content = base::first_half(placed.body_hash);
  message.sender = AgentNumber(event.sender());
  message.accepted_at = placed.at;
  if (event.has_sent_at()) message.sent_at = base::instant_of(event.sent_at());
  if (event.has_expires_at()) message.expires_at = base::instant_of(event.expires_at());
  message.lane = LaneId(event.lane());
  message.priority = static_cast<Priority>(event.priority());
  message.at_most_once = event.at_most_once();
  message.private_ = event.private_();
  message.remarked = event.warnings_size() + event.validation_errors_size() > 0;
  message.id = base::PackedText(event.message_id());
  if (event.id_key().size() == message.id_key.size()) {
    message.remembered = true;
    std::copy(event.id_key().begin(), event.id_key().end(), message.id_key.begin());
    workspace.ids.insert(message.id_key, offset);
  }
  apply_to_requests(state, workspace, number, offset, event);
  apply_to_tasks(state, workspace, number, offset, event, placed.at);
  apply_to_approvals(state, workspace, number, offset, event, placed);
  apply_to_health(state, workspace, number, event, placed.at);
  if (message.private_) return;  // R25: to nobody's mailbox
  message.receipts.reserve(static_cast<std::size_t>(event.recipients_size() + event.bounced_size()));
  for (const std::uint32_t agent : event.recipients()) message.receipts.push_back({.agent = AgentNumber(agent)});
  for (const std::uint32_t agent : event.bounced())
    message.receipts.push_back({.agent = AgentNumber(agent), .state = ReceiptState::bounced});
  if (event.bounced_size() > 0)
    std::sort(message.receipts.begin(), message.receipts.end(),
              [](const Receipt& a, const Receipt& b) { return a.agent < b.agent; });
  for (Receipt& receipt : message.receipts)
    if (receipt.state == ReceiptState::queued)
      enqueue({state, workspace, number, receipt.agent, placed.at}, offset, message, receipt);
  if (message.expires() && !message.closed())
    state.timers.insert({message.expires_at, TimerKind::message_expires, number, {}, offset});
}

}  // namespace parley::engine
