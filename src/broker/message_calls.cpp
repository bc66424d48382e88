// Messages: sent, looked at.
#include <algorithm>

#include "base/quoted.hpp"
#include "broker/command_of.hpp"
#include "broker/find_message.hpp"
#include "broker/message_calls.hpp"
#include "broker/prefetch.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/superseded.hpp"
#include "engine/mailboxes/failures.hpp"
#include "profile/reading.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

constexpr std::size_t many = 100;  // agents that one message may reach

// Where the other message lies is told to who may look at it.
base::Error id_conflict(const engine::Accepted& known, const engine::Workspace& workspace, base::AgentNumber sender,
                        const envelope::Envelope& envelope) {
  const bool party = party_to(workspace.messages.at(known.offset), sender);
  base::Error error;
  error.code = ErrorCode::ID_CONFLICT;
  error.where = envelope.made_id ? "Idempotency-Key" : "id";
  error.message = "the id " + base::quoted(known.message_id) + " belongs to " +
                  (party ? "the message at offset " + std::to_string(known.offset.value) : "another message") +
                  ", which has other content";
  return error;
}

// The engine names what is canonical; whoever reads the refusal has its own document before it.
base::Error pointing(base::Error error, const Incoming& message) {
  const profile::Reading& reading = *message.terms.ruleset->reading;
  const std::string_view pointer = reading.pointer_to(message.checked.type, error.where, message.native.value);
  if (!pointer.empty()) error.where = pointer;
  return error;
}

// The review whose result wants changes; 0: it is no such result.
base::Offset review_sent_back(const event::Event& event) {
  const event::ReviewMoved& moved = event.message_accepted().review_moved();
  const bool sent_back = static_cast<engine::ReviewState>(moved.state()) == engine::ReviewState::changes_requested;
  return sent_back ? base::Offset(moved.review()) : base::Offset{};
}

// How many agents a decision looks at, each of whom may get a copy.
std::size_t reach_of(const envelope::Envelope& envelope, const engine::Workspace& workspace) {
  const bool anybody = envelope.broadcast || envelope.automatic;
  return anybody ? workspace.registry.agents.size() : envelope.recipients.size();
}

std::size_t reach_of(const Superseded& superseded, const engine::Workspace& workspace) {
  return workspace.messages.at(superseded.take_back.message).receipts.size();
}

bool has_heard(const engine::State& state, const Caller& caller) {
  return !state.workspace(caller.workspace_number).registry.agent(caller.agent).heard.empty();
}

// All that there was to say of what was accepted; taken out of both.
std::vector<base::Problem> remarks_on(ingress::Checked& checked, engine::Accepted& accepted) {
  std::vector<base::Problem> all = std::move(checked.warnings);
  for (auto* const more : {&checked.validation_errors, &accepted.warnings})
    std::move(more->begin(), more->end(), std::back_inserter(all));
  return all;
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

void MessageCalls::count_refused(const Caller& sender, const base::Error& error) {
  ++core_.counts().refused[static_cast<std::size_t>(error.code)];
  if (sender.kind == Caller::Kind::agent)
    refusals_.add(sender.workspace_number, sender.agent, error.code, core_.context().now);
}

std::unexpected<base::Error> MessageCalls::refused(const Caller& sender, base::Error error) {
  count_refused(sender, error);
  return std::unexpected(std::move(error));
}

base::Position MessageCalls::first_position(base::WorkspaceNumber number, base::Offset message) const {
  const engine::Workspace& workspace = core_.state().workspace(number);
  const engine::Approval* const approval = workspace.approvals.find(message);
  return approval ? approval->position : workspace.messages.at(message).position;
}

base::Result<std::vector<base::Problem>> MessageCalls::first_warnings(base::WorkspaceNumber number, base::Offset offset,
                                                                      base::Instant reply_by) {
  const bool any = core_.state().workspace(number).messages.at(offset).remarked;
  if (!any && reply_by == base::Instant{}) return std::vector<base::Problem>();
  PARLEY_TRY(const event::Event event, core_.history().event(first_position(number, offset)));
  const event::MessageAccepted& accepted = accepted_of(event);
  auto warnings = problems_of({&accepted.warnings(), &accepted.validation_errors(), &accepted.sender_told()});
  if (reply_by != base::Instant{}) warn_of_other_deadline(accepted, reply_by, warnings);
  return warnings;
}

bool MessageCalls::same_json(base::Offset known, base::WorkspaceNumber workspace, std::string_view bytes) {
  const auto before = core_.history().body(first_position(workspace, known));
  if (!before) core_.fail(before.error());  // P9: what was accepted cannot be read
  if (!before) return false;
  const auto old_document = json::Document::parse(*before);
  const auto new_value = other_parser_.parse(bytes);
  return old_document && new_value && json::equal(old_document->root(), *new_value);
}

Terms MessageCalls::terms_of(const Caller& caller) {
  const engine::Workspace& workspace = core_.state().workspace(caller.workspace_number);
  return {core_.ruleset_of()(workspace.registry.agent(caller.agent).properties.profile),
          workspace.settings.lenient ? ingress::Validation::lenient : ingress::Validation::strict};
}

void MessageCalls::begin(Batch& batch, const Caller& caller, std::string_view idempotency_key) {
  Batch::State& state = batch.state();
  state.clock = &core_.parts().clock;
  state.terms = caller.kind == Caller::Kind::agent ? terms_of(caller) : Terms();
  state.admitted_at = 0;
  state.now = core_.context().now;
  state.sender = caller.id;
  state.has_heard = caller.kind == Caller::Kind::agent && has_heard(core_.state(), caller);
  state.idempotency_key = idempotency_key;
  batch.let_go();
  state.clock_read.reset();
}

base::Result<Sent> MessageCalls::send(const Caller& caller, std::string_view workspace_name, const Native& native,
                                      std::string_view idempotency_key, const SendOptions* options) {
  begin(one_, caller, idempotency_key);
  one_.add(native);
  return send(caller, workspace_name, one_, 0, options);
}

// Once a batch, and again when something has happened that may change the answer.
base::Result<> MessageCalls::admit(const Caller& caller, std::string_view workspace_name, Batch& batch) {
  Batch::State& sending = batch.state();
  if (sending.admitted_at == core_.admissions() && sending.workspace_name == workspace_name) return {};
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  if (caller.kind != Caller::Kind::agent)
    return base::fail(ErrorCode::FORBIDDEN, base::quoted(caller.id) + " is no agent, and only agents send messages",
                      "Authorization",
                      "Send with the token of the agent whose message it is; people decide with POST "
                      "…/approvals/{id}/decision, and send nothing yet.");
  sending.terms = terms_of(caller);
  sending.workspace = number;
  sending.workspace_name = workspace_name;
  sending.admitted_at = core_.admissions();
  return {};
}

base::Result<Sent> MessageCalls::send(const Caller& caller, std::string_view workspace_name, Batch& batch,
                                      std::size_t index, const SendOptions* options) {
  if (auto admitted = admit(caller, workspace_name, batch); !admitted)
    return refused(caller, std::move(admitted).error());
  Batch::State& sending = batch.state();
  const base::WorkspaceNumber number = sending.workspace;
  const engine::Workspace& workspace = core_.state().workspace(number);
  PARLEY_ASSERT(index < sending.count && sending.sender == caller.id);
  Incoming& message = sending.messages[index];
  fetch_ahead(sending, index, workspace);
  PARLEY_CHECK(core_.commit_if_full(message.native.bytes.size()));
  if (auto room = core_.check_room(message_room(message.native.bytes.size()), journal::Need::growth); !room)
    return refused(caller, std::move(room).error());

  // In a batch the clock is read once a message: one begins where the one before ended.
  const auto before = std::exchange(sending.clock_read, std::nullopt);
  const base::Duration began = before ? *before : core_.parts().clock.monotonic();
  if (message.terms != sending.terms)
    message.prepare(sending.terms, {.sender = caller.id,
                                    .idempotency_key = sending.idempotency_key,
                                    .now = core_.context().now,
                                    .inflate_left = &core_.inflate_left()});
  const auto refused_at_last = [&](base::Error error) {
    core_.count_time(core_.parts().clock.monotonic() - began);
    return refused(caller, std::move(error));
  };
  if (message.refusal) return refused_at_last(std::move(*message.refusal));

  ingress::Checked& checked = message.checked;
  const profile::Ruleset& ruleset = *message.terms.ruleset;
  std::unique_ptr<Superseded> superseded;
  if (options && !options->supersedes.empty()) {
    auto found = superseded_by(core_.history(), workspace, number, caller, *options);
    if (!found) return refused_at_last(std::move(found).error());
    superseded = std::move(*found);
  }
  const std::size_t reach = reach_of(checked.envelope, workspace) + (superseded ? reach_of(*superseded, workspace) : 0);
  if (options && options->may_want_turn && reach > many && !core_.goes_on()) {
    core_.count_time(core_.parts().clock.monotonic() - began);
    Sent put_off;
    put_off.wants_turn = true;
    return put_off;
  }
  engine::AcceptMessage command = command_of(number, caller.agent, ruleset, checked);
  command.id_key = message.id_key;
  command.length = static_cast<std::uint32_t>(message.native.bytes.size());
  command.native = message.native.value;
  command.gist = message.gist;
  if (superseded) command.supersedes = &superseded->take_back;
  if (options && options->reply_by) command.reply_by = *options->reply_by;
  if (options) command.evidence = options->evidence;

  core_.decided().clear();
  auto accepted = core_.engine().decide(command, core_.context(), core_.decided());
  if (!accepted) return refused_at_last(pointing(std::move(accepted).error(), message));
  if (accepted->outcome == engine::AcceptOutcome::other_bytes &&
      !same_json(accepted->offset, number, message.native.bytes))
    return refused_at_last(pointing(id_conflict(*accepted, workspace, caller.agent, checked.envelope), message));
  const bool duplicate = accepted->outcome != engine::AcceptOutcome::accepted;
  if (!duplicate) core_.count_reach(reach);
  sending.clock_read = core_.parts().clock.monotonic();
  core_.count_time(*sending.clock_read - began);
  if (!duplicate)
    core_.decided().facts().front().event.mutable_message_accepted()->set_processing_us(
        (message.took + *sending.clock_read - began).count());
  const base::Offset sent_back = duplicate ? base::Offset{} : review_sent_back(core_.decided().facts().front().event);
  core_.record(message.native.bytes, checked.envelope.content_hash, sending.shared);
  if (sent_back != base::Offset{}) revise(number, sent_back);
  if (core_.turn_is_full()) sending.clock_read.reset();  // the next one may have to wait
  ++(duplicate ? core_.counts().duplicates : core_.counts().accepted[ruleset.name]);

  Sent sent{std::move(accepted->message_id), accepted->offset, duplicate, {}};
  if (duplicate) {
    PARLEY_TRY(sent.warnings, first_warnings(number, accepted->offset, command.reply_by));
    return sent;
  }
  sent.warnings = remarks_on(checked, *accepted);
  return sent;
}

base::Result<Answer> MessageCalls::message(const Caller& caller, std::string_view workspace_name,
                                           std::string_view message_id, std::string_view to) {
  const engine::State& state = core_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  const engine::Workspace& workspace = state.workspace(number);
  PARLEY_TRY(const base::Offset offset, offset_of(workspace, caller, message_id, to));
  const engine::Message& message = workspace.messages.at(offset);
  const bool agent = caller.kind == Caller::Kind::agent;
  const bool sender = agent && message.sender == caller.agent;
  if (message.private_ ? !sender
                       : agent && !party_to(message, caller.agent))  // R25: the sender alone follows its receipt
    return not_known(message_id);

  PARLEY_TRY(const event::Event event, core_.history().event(message.position));
  PARLEY_TRY(const std::string_view body, core_.history().body(message.position));
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object();
  write_accepted(writer, workspace, offset, message.accepted_at, accepted_of(event));
  write_request(writer, workspace, offset);
  if (message.linked) write_replacement(writer, workspace, offset);
  write_receipts(writer, workspace, offset, message, retry_of(core_.ruleset_of(), workspace, message));
  writer.key("message").raw(body).end_object();
  return answer;
}

}  // namespace parley::broker
