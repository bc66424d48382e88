// Messages: sent, looked at.
#include <algorithm>

#include "base/quoted.hpp"
#include "broker/broker.hpp"
#include "broker/find_message.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "engine/mailboxes/failures.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

constexpr std::uint64_t event_bytes_max = 64u << 10;  // beside a message's own bytes
constexpr std::size_t messages_ahead = 16;            // messages of a batch that are fetched into the cache,
constexpr std::size_t fields_ahead = 12;              // in four steps
constexpr std::size_t values_ahead = 8;
constexpr std::size_t ids_ahead = 4;

void fetch(const void* begin, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const char* const at = static_cast<const char*>(begin);
  for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(at + i);
}

// Of a list, and of what is in it.
void fetch_texts(json::Value list) {
  constexpr std::uint32_t words_max = 16;
  const std::uint64_t* const words = list.words();
  const std::uint32_t end = std::min(json::Value::next_of(words, list.at()), list.at() + words_max);
  for (std::uint32_t at = list.at() + 1; at < end; ++at) {
    const char tag = json::Value::tag_of(words[at]);
    if (tag == '"') __builtin_prefetch(json::Value::text_of(words[at], list.strings()).data());
    if (tag == 'l' || tag == 'u' || tag == 'd') ++at;  // the number itself is the word behind it
  }
}

// What a decision reads of a message was written by a worker, and ids are looked for in tables that are larger than any
// cache: both are fetched while the messages before it are decided.
void fetch_message(const Incoming& message) {
  fetch(&message, sizeof message);
}
void fetch_fields(const Incoming& message) {
  const auto& fields = message.checked.envelope.fields;
  fetch(fields.data(), fields.size() * sizeof(envelope::Field));
}
void fetch_values(const Incoming& message) {
  if (!message.terms.ruleset || message.refusal) return;  // they are of no document any more
  for (const envelope::Field& field : message.checked.envelope.fields)
    if (!field.recorded) __builtin_prefetch(field.value.words() + field.value.at());
}
void fetch_ids(const Incoming& message, const engine::Workspace& workspace) {
  if (!message.terms.ruleset || message.refusal) return;
  workspace.ids.prefetch(message.id_key);
  if (message.checked.envelope.kind == envelope::Kind::task_assign) workspace.tasks.prefetch(message.checked.task_key);
  for (const envelope::Field& field : message.checked.envelope.fields)
    if (!field.recorded && field.value.is_array()) fetch_texts(field.value);
}

// Where the other message lies is told to who may look at it.
base::Error id_conflict(const engine::Accepted& known, const engine::Workspace& workspace, base::AgentNumber sender) {
  const bool party = party_to(workspace.messages.at(known.offset), sender);
  base::Error error;
  error.code = ErrorCode::ID_CONFLICT;
  error.message = "the id " + base::quoted(known.message_id) + " belongs to " +
                  (party ? "the message at offset " + std::to_string(known.offset.value) : "another message") +
                  ", which has other content";
  return error;
}

// The review whose result wants changes; 0: it is no such result.
base::Offset review_sent_back(const event::Event& event) {
  const event::ReviewMoved& moved = event.message_accepted().review_moved();
  const bool sent_back = static_cast<engine::ReviewState>(moved.state()) == engine::ReviewState::changes_requested;
  return sent_back ? base::Offset(moved.review()) : base::Offset{};
}

// R8: what is known already is not accepted again, and what is said beside it changes nothing.
void warn_of_other_deadline(const event::MessageAccepted& first, base::Instant reply_by,
                            std::vector<base::Problem>& warnings) {
  const base::Instant stands = first.reply_by() ? base::instant_of(first.answer_due()) : base::Instant{};
  if (stands == reply_by) return;
  warnings.push_back(
      {"", "NO_EFFECT",
       stands == base::Instant{}
           ? "The message was accepted before, and no reply to it is awaited: `reply_by` changes nothing."
           : "The message was accepted before, with another `reply_by`, which stands: " + base::to_rfc3339(stands) +
                 "."});
}

}  // namespace

void Broker::count_refused(const Caller& sender, const base::Error& error) {
  ++counts_.refused[static_cast<std::size_t>(error.code)];
  if (sender.kind == Caller::Kind::agent)
    refusals_.add(sender.workspace_number, sender.agent, error.code, context().now);
}

std::unexpected<base::Error> Broker::refused(const Caller& sender, base::Error error) {
  count_refused(sender, error);
  return std::unexpected(std::move(error));
}

base::Position Broker::first_position(base::WorkspaceNumber number, base::Offset message) const {
  const engine::Workspace& workspace = engine_.state().workspace(number);
  const engine::Approval* const approval = workspace.approvals.find(message);
  return approval ? approval->position : workspace.messages.at(message).position;
}

base::Result<std::vector<base::Problem>> Broker::first_warnings(base::WorkspaceNumber number, base::Offset offset,
                                                                base::Instant reply_by) {
  const bool any = engine_.state().workspace(number).messages.at(offset).remarked;
  if (!any && reply_by == base::Instant{}) return std::vector<base::Problem>();
  PARLEY_TRY(const event::Event event, history_.event(first_position(number, offset)));
  const event::MessageAccepted& accepted = accepted_of(event);
  auto warnings = problems_of({&accepted.warnings(), &accepted.validation_errors(), &accepted.sender_told()});
  if (reply_by != base::Instant{}) warn_of_other_deadline(accepted, reply_by, warnings);
  return warnings;
}

bool Broker::same_json(base::Offset known, base::WorkspaceNumber workspace, std::string_view bytes) {
  const auto before = history_.body(first_position(workspace, known));
  if (!before) failure_ = before.error();  // P9: what was accepted cannot be read
  if (!before) return false;
  const auto old_document = json::Document::parse(*before);
  const auto new_value = other_parser_.parse(bytes);
  return old_document && new_value && json::equal(old_document->root(), *new_value);
}

Terms Broker::terms_of(const Caller& caller) {
  const engine::Workspace& workspace = engine_.state().workspace(caller.workspace_number);
  return {parts_.ruleset_of(workspace.registry.agent(caller.agent).properties.profile),
          workspace.settings.lenient ? ingress::Validation::lenient : ingress::Validation::strict};
}

void Broker::begin(Batch& batch, const Caller& caller, std::string_view idempotency_key) {
  Batch::State& state = batch.state();
  state.clock = &parts_.clock;
  state.terms = caller.kind == Caller::Kind::agent ? terms_of(caller) : Terms();
  state.admitted_at = 0;
  state.now = context().now;
  state.sender = caller.id;
  state.idempotency_key = idempotency_key;
  state.count = 0;
  state.clock_read.reset();
}

base::Result<Sent> Broker::send(const Caller& caller, std::string_view workspace_name, const Native& native,
                                std::string_view idempotency_key, const SendOptions* options) {
  begin(one_, caller, idempotency_key);
  one_.add(native);
  return send(caller, workspace_name, one_, 0, options);
}

// Once a batch, and again when something has happened that may change the answer.
base::Result<> Broker::admit(const Caller& caller, std::string_view workspace_name, Batch& batch) {
  Batch::State& sending = batch.state();
  if (sending.admitted_at == admissions_ && sending.workspace_name == workspace_name) return {};
  PARLEY_TRY(const base::WorkspaceNumber number, enter(engine_.state(), caller, workspace_name, Right::read));
  if (caller.kind != Caller::Kind::agent)
    return base::fail(ErrorCode::FORBIDDEN, "'" + caller.id + "' is no agent, and only agents send messages", {},
                      "Send with the token of the agent whose message it is; people decide with POST "
                      "…/approvals/{id}/decision, and send nothing yet.");
  sending.terms = terms_of(caller);
  sending.workspace = number;
  sending.workspace_name = workspace_name;
  sending.admitted_at = admissions_;
  return {};
}

base::Result<Sent> Broker::send(const Caller& caller, std::string_view workspace_name, Batch& batch, std::size_t index,
                                const SendOptions* options) {
  PARLEY_CHECK(admit(caller, workspace_name, batch));
  Batch::State& sending = batch.state();
  const base::WorkspaceNumber number = sending.workspace;
  PARLEY_ASSERT(index < sending.count && sending.sender == caller.id);
  Incoming& message = sending.messages[index];
  if (index + messages_ahead < sending.count) fetch_message(sending.messages[index + messages_ahead]);
  if (index + fields_ahead < sending.count) fetch_fields(sending.messages[index + fields_ahead]);
  if (index + values_ahead < sending.count) fetch_values(sending.messages[index + values_ahead]);
  if (index + ids_ahead < sending.count)
    fetch_ids(sending.messages[index + ids_ahead], engine_.state().workspace(number));
  if (block_->bytes() + message.native.bytes.size() > options_.block_bytes) PARLEY_CHECK(commit());
  if (auto room = check_room(message.native.bytes.size() + event_bytes_max, journal::Need::growth); !room)
    return refused(caller, std::move(room).error());

  // In a batch the clock is read once a message: one begins where the one before ended.
  const auto before = std::exchange(sending.clock_read, std::nullopt);
  const base::Duration began = before ? *before : parts_.clock.monotonic();
  if (message.terms != sending.terms)
    message.prepare(sending.terms, caller.id, sending.idempotency_key, context().now, inflate_left_);
  if (message.refusal) return refused(caller, std::move(*message.refusal));

  ingress::Checked& checked = message.checked;
  const profile::Ruleset& ruleset = *message.terms.ruleset;
  std::unique_ptr<Superseded> superseded;
  if (options && !options->supersedes.empty()) {
    PARLEY_TRY(superseded, superseded_by(caller, number, *options));
  }
  const engine::AcceptMessage command{
      .workspace = number,
      .sender = caller.agent,
      .envelope = checked.envelope,
      .ruleset = ruleset,
      .type = checked.type,
      .lane = checked.lane,
      .id_key = message.id_key,
      .task_key = checked.task_key,
      .length = static_cast<std::uint32_t>(message.native.bytes.size()),
      .native = message.native.value,
      .warnings = checked.warnings,
      .validation_errors = checked.validation_errors,
      .supersedes = superseded ? &superseded->take_back : nullptr,
      .reply_by = options && options->reply_by ? *options->reply_by : base::Instant{},
      .evidence = options ? options->evidence : std::string_view(),
  };
  decided_.clear();
  auto accepted = engine_.decide(command, context(), decided_);
  if (!accepted) return refused(caller, std::move(accepted).error());
  if (accepted->outcome == engine::AcceptOutcome::other_bytes &&
      !same_json(accepted->offset, number, message.native.bytes))
    return refused(caller, id_conflict(*accepted, engine_.state().workspace(number), caller.agent));
  const bool duplicate = accepted->outcome != engine::AcceptOutcome::accepted;
  sending.clock_read = parts_.clock.monotonic();
  if (!duplicate)
    decided_.facts().front().event.mutable_message_accepted()->set_processing_us(
        (message.took + *sending.clock_read - began).count());
  const base::Offset sent_back = duplicate ? base::Offset{} : review_sent_back(decided_.facts().front().event);
  record(decided_, message.native.bytes, checked.envelope.content_hash);
  if (sent_back != base::Offset{}) revise(number, sent_back);
  ++(duplicate ? counts_.duplicates : counts_.accepted[ruleset.name]);

  Sent sent{std::move(accepted->message_id), accepted->offset, duplicate, {}};
  if (duplicate) {
    PARLEY_TRY(sent.warnings, first_warnings(number, accepted->offset, command.reply_by));
    return sent;
  }
  sent.warnings = std::move(checked.warnings);
  std::move(checked.validation_errors.begin(), checked.validation_errors.end(), std::back_inserter(sent.warnings));
  std::move(accepted->warnings.begin(), accepted->warnings.end(), std::back_inserter(sent.warnings));
  return sent;
}

base::Result<Answer> Broker::message(const Caller& caller, std::string_view workspace_name, std::string_view message_id,
                                     std::string_view to) {
  const engine::State& state = engine_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  const engine::Workspace& workspace = state.workspace(number);
  PARLEY_TRY(const base::Offset offset, offset_of(workspace, caller, message_id, to));
  const engine::Message& message = workspace.messages.at(offset);
  const bool agent = caller.kind == Caller::Kind::agent;
  const bool sender = agent && message.sender == caller.agent;
  if (message.private_ ? !sender
                       : agent && !party_to(message, caller.agent))  // R25: the sender alone follows its receipt
    return not_known(message_id);

  PARLEY_TRY(const event::Event event, history_.event(message.position));
  PARLEY_TRY(const std::string_view body, history_.body(message.position));
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object();
  write_accepted(writer, workspace, offset, message.accepted_at, accepted_of(event));
  write_request(writer, workspace, offset);
  if (message.linked) write_replacement(writer, workspace, offset);
  write_receipts(writer, workspace, offset, message, retry_of(parts_.ruleset_of, workspace, message));
  writer.key("message").raw(body).end_object();
  return answer;
}

}  // namespace parley::broker
