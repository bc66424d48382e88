#include "engine/messages/semantics.hpp"

#include <algorithm>

#include "engine/currentness/take_back.hpp"
#include "engine/errors/follow.hpp"
#include "engine/reviews/follow.hpp"
#include "engine/runners/evidence.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {

using base::ErrorCode;

namespace {

// HND-09: the first one, and what its sender lets follow; a byte of it, which no profile's bound exceeds.
std::uint32_t attempts_of(std::uint64_t retries) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(retries, 254)) + 1;
}

// A human has let go what a task waits with, as its end.
bool ends_held_task(const AcceptMessage& command, const Workspace& workspace, const Holding& holding) {
  if (holding.hold != Hold::released) return false;
  const auto known = task_named(command, workspace);
  return known && workspace.tasks.at(*known).held == holding.message;
}

}  // namespace

void write(std::span<const base::Problem> problems, google::protobuf::RepeatedPtrField<event::Problem>& out) {
  for (const base::Problem& problem : problems) {
    event::Problem& written = *out.Add();
    written.set_instance(problem.instance);
    written.set_schema(problem.schema);
    written.set_message(problem.message);
  }
}

void write(const AcceptMessage& command, const Recipients& recipients, std::string_view message_id, const IdKey& id_key,
           event::MessageAccepted& event) {
  const envelope::Envelope& envelope = command.envelope;
  event.mutable_message_id()->assign(message_id);
  event.set_sender(command.sender.value);
  for (const AgentNumber agent : recipients.open) event.add_recipients(agent.value);
  for (const AgentNumber agent : recipients.bounced) event.add_bounced(agent.value);
  event.set_broadcast(envelope.broadcast);
  event.set_automatic(envelope.automatic);
  event.set_kind(static_cast<std::uint32_t>(envelope.kind));
  event.set_native_type(envelope.native_type);
  event.set_priority(static_cast<std::uint32_t>(envelope.priority));
  event.set_at_most_once(envelope.delivery == envelope::DeliveryClass::at_most_once);
  event.set_private_(command.ruleset.type(command.type).is_private);
  if (envelope.sent_at) event.set_sent_at(base::unix_us(*envelope.sent_at));
  if (envelope.expires_at) event.set_expires_at(base::unix_us(*envelope.expires_at));
  if (envelope.sequence) event.set_sequence(*envelope.sequence);
  if (envelope.max_retries) event.set_attempts_max(attempts_of(*envelope.max_retries));
  event.set_lane(command.lane.value);
  if (!envelope.task.empty()) event.set_task(envelope.task);
  if (!envelope.correlation.empty()) event.set_correlation(envelope.correlation);
  if (!envelope.reply_to.empty()) event.set_reply_to(envelope.reply_to);
  if (!envelope.conversation.empty()) event.set_conversation(envelope.conversation);
  if (!envelope.sender_instance.empty()) event.set_sender_instance(envelope.sender_instance);
  if (const TakeBack* const before = in_force(command)) {
    event.set_supersedes(before->message.value);
    event.set_superseded_id(before->was.message_id());
  }
  if (!envelope.task.empty()) event.set_record_at(command.ruleset.type(command.type).keeps);
  if (!envelope.carried.empty()) event.set_carried(envelope.carried);
  event.mutable_id_key()->assign(reinterpret_cast<const char*>(id_key.data()), id_key.size());
  if (!command.evidence.empty()) event.set_evidence(std::string(command.evidence));
  // R5. A message without defects that has no timestamp is of a type that needs none.
  event.set_made_id(envelope.message_id.empty() || envelope.made_id);
  event.set_made_timestamp(!envelope.sent_at && !command.validation_errors.empty());
  write(command.validation_errors, *event.mutable_validation_errors());
  write(command.warnings, *event.mutable_warnings());
}

base::Result<Semantics> check_semantics(const AcceptMessage& command, const Workspace& workspace,
                                        const Recipients& recipients, Holding holding, const Context& context,
                                        Decided& decided, std::vector<base::Problem>& warnings) {
  Semantics semantics;
  const auto defect = [&](base::Error& error) -> base::Result<> {
    const bool is_bound = error.code == ErrorCode::TASKS_FULL || error.code == ErrorCode::ERRORS_FULL ||
                          error.code == ErrorCode::BUDGET_EXCEEDED;
    const bool forgiven = workspace.settings.lenient && !is_bound && command.evidence.empty();
    if (!forgiven) return std::unexpected(std::move(error));
    semantics.defects.push_back({"", std::string(base::info(error.code).name), error.message});
    return {};
  };
  auto moved = task_move(command, workspace, recipients.open, holding, context, decided, warnings);
  if (!moved && ends_held_task(command, workspace, holding))  // it would wait for ever
    return std::unexpected(std::move(moved).error());
  if (!moved) PARLEY_CHECK(defect(moved.error()));
  if (moved) semantics.task_moved = std::move(*moved);
  auto reviewed = review_move(command, workspace, recipients.open, context, warnings);
  if (!reviewed) PARLEY_CHECK(defect(reviewed.error()));
  if (reviewed && *reviewed) {
    semantics.task_moved = std::move((*reviewed)->task);
    semantics.review_moved = std::move((*reviewed)->review);
  }
  semantics.moves_nothing = (!moved || !reviewed) && !semantics.task_moved && !semantics.review_moved;
  auto error = error_move(command, workspace, recipients.open);
  if (!error) PARLEY_CHECK(defect(error.error()));
  if (error) semantics.error_moved = std::move(*error);
  PARLEY_CHECK(check_evidence_has_place(command, semantics.review_moved.has_value()));
  // The task waits with its completion; whatever else is held means nothing before it is released (decision 10).
  const bool ends_task =
      command.envelope.kind == envelope::Kind::task_complete || command.envelope.kind == envelope::Kind::task_fail;
  if (holding.hold == Hold::held && !ends_task) semantics = {{}, {}, {}, std::move(semantics.defects), false};
  return semantics;
}

}  // namespace parley::engine
