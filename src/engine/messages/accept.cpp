// A message is accepted: known ids first (R8), then whatever may be said against it (judge.hpp), then the event that
// keeps it and what the server does behind it.
#include <algorithm>
#include <cstring>

#include "base/hash.hpp"
#include "engine/appliers.hpp"
#include "engine/collaborations/follow.hpp"
#include "engine/deciding.hpp"
#include "engine/errors/follow.hpp"
#include "engine/health/follow.hpp"
#include "engine/help/follow.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/fields.hpp"
#include "engine/messages/judge.hpp"
#include "engine/messages/said.hpp"
#include "engine/policy/policy.hpp"
#include "engine/requests/follow.hpp"
#include "engine/resources/report.hpp"
#include "engine/reviews/follow.hpp"
#include "engine/reviews/limit.hpp"
#include "engine/tasks/abort.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/session.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t instances_kept = 16;  // of an agent, whose sequence numbers are watched

bool given(const IdKey& key) {
  return key != IdKey{};
}

// R25: who sends the id of a private message by chance is not told that it is known; to its sender it is.
IdKey key_of(const AcceptMessage& command, const Agent& sender) {
  if (!given(command.id_key) || !command.ruleset.type(command.type).is_private) return command.id_key;
  return private_key_of(command.id_key, sender.id);
}

// The server may say something behind it.
bool tells(const Semantics& semantics, const event::MessageAccepted& accepted) {
  return semantics.review_moved || semantics.error_moved || accepted.has_help_moved() || !accepted.used().empty();
}

// What is said behind the message finds the mailboxes with it in them (D11).
void take_room(const AcceptMessage& command, const Recipients& recipients, Decided& decided) {
  for (const AgentNumber agent : recipients.open) {
    Load& load = decided.notices_to(command.workspace, agent);
    ++load.messages;
    load.bytes += command.length;
  }
}

base::Problem nobody_replies() {
  return {"", "NO_EFFECT", "No reply is awaited: the message reaches nobody now."};
}

// D7: `accepted` never pretends.
void remark(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients,
            const std::optional<Asking>& asking, std::string_view message_id, std::vector<base::Problem>& remarks) {
  if (command.ruleset.type(command.type).is_private)
    remarks.push_back({"", "PRIVATE_KEPT",
                       "A '" + command.envelope.native_type +
                           "' is private: it is kept, and shown to nobody but you until moderators can open it."});
  else if (command.envelope.automatic)
    remarks.push_back({"", "ROUTED", "It goes to " + names_of(workspace.registry, recipients.open) + "."});
  else if (command.envelope.broadcast && recipients.open.empty() && recipients.bounced.empty())
    remarks.push_back(
        {"", "NO_RECIPIENT",
         "The broadcast reached nobody: no other agent here may receive a '" + command.envelope.native_type + "'."});
  if (asking && asking->holds)
    remarks.push_back({"", "HELD",
                       "It is held, and reaches nobody, until a human has decided (approval '" +
                           std::string(message_id) + "'): " + asking->why + "."});
  if (command.reply_by != Instant{} && recipients.open.empty()) remarks.push_back(nobody_replies());
  if (recipients.bounced.empty()) return;
  remarks.push_back({"", "BOUNCED",
                     "It bounced at " + std::to_string(recipients.bounced.size()) +
                         (recipients.bounced.size() == 1 ? " full mailbox: " : " full mailboxes: ") +
                         names_of(workspace.registry, recipients.bounced) + "."});
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

namespace {

// R8: what was accepted before is not accepted again, whatever else may be said against it now.
base::Result<std::optional<Accepted>> known_already(const AcceptMessage& command, const Workspace& workspace,
                                                    const IdKey& key) {
  const auto known = given(key) ? workspace.message_of(key) : std::nullopt;
  if (!known) return std::nullopt;
  const Message& message = workspace.messages.at(*known);
  if (command.supersedes) PARLEY_CHECK(check_repeated(*command.supersedes, workspace, *known));
  const bool same = message.content == base::first_half(command.envelope.content_hash);
  return Accepted{
      same ? AcceptOutcome::duplicate : AcceptOutcome::other_bytes, *known, std::string(message.id.view()), {}};
}

// What it begins now; held, it means nothing until it is released (decision 10).
void begin(const AcceptMessage& command, const Workspace& workspace, const Context& context, Judged& judged,
           event::MessageAccepted& message) {
  if (judged.is_held()) {
    message.clear_record_at();
    message.set_reply_by(command.reply_by != Instant{});  // awaited from then on (BEY-01)
    if (message.reply_by()) message.set_answer_due(base::unix_us(command.reply_by));
    return;
  }
  follow_requests(command, workspace, context, message);
  follow_help(command, workspace, context, message, judged.to_readers);
  follow_collaborations(workspace, message);
  follow_session(command, workspace, message, judged.to_readers);
}

// COL-10: its time begins when it goes out.
void keep_order_back(event::TaskMoved& moved, event::MessageAccepted& message, std::vector<base::Problem>& warnings) {
  if (!mark_kept_back(moved, message)) return;
  if (message.reply_by()) {  // it would run out, and the order come afterwards
    message.clear_answer_timeout();
    message.clear_answer_due();
    message.clear_reply_by();
    warnings.push_back(nobody_replies());
  }
  warnings.push_back({"", "KEPT_BACK", "It is accepted, and reaches nobody yet: " + moved.why() + "."});
}

// The message with all that it means, as it is journaled.
void write_judged(const AcceptMessage& command, const Workspace& workspace, const Context& context, const IdKey& key,
                  const std::string& message_id, Judged& judged, event::MessageAccepted& message) {
  write(command, judged.recipients, message_id, key, message);
  message.set_supersedes_later(judged.supersedes_later());
  if (judged.part_of) message.set_approval_part_of(judged.part_of->value);
  const profile::RateLimit rate = rate_of(workspace.settings, command.ruleset);
  if (rate.messages > 0) message.set_counts_until(base::unix_us(counts_until(rate, context.now)));
  write(judged.of_sequence, *message.mutable_warnings());
  remark(command, workspace, judged.recipients, judged.asking, message_id, judged.to_sender);
  begin(command, workspace, context, judged, message);
  if (judged.asking) open_approval(*judged.asking, context, message);
  follow_health(command, workspace, context, message);
  follow_resources(command, workspace, message, judged.to_readers);
  Semantics& semantics = judged.semantics;
  write(semantics.defects, *message.mutable_validation_errors());
  message.set_moves_nothing(semantics.moves_nothing);
  write(judged.to_readers, *message.mutable_warnings());
  if (judged.link) write(*judged.link, message);
  if (semantics.review_moved) *message.mutable_review_moved() = *semantics.review_moved;
  if (semantics.error_moved) *message.mutable_error_moved() = *semantics.error_moved;
  if (!semantics.task_moved) return;
  message.set_allocated_task_moved(semantics.task_moved.release());
  keep_order_back(*message.mutable_task_moved(), message, judged.to_sender);
}

std::vector<base::Problem> all_warnings(Judged& judged) {
  std::vector<base::Problem> warnings = std::move(judged.to_sender);
  for (const auto* more : {&judged.of_sequence, &judged.semantics.defects, &judged.to_readers})
    warnings.insert(warnings.end(), more->begin(), more->end());
  return warnings;
}

// COL-20: an order that comes after it, of the same task, or its end.
void follow_task(const Deciding& deciding, const AcceptMessage& command, const Judged& judged, Offset offset,
                 const event::TaskMoved& moved) {
  Decided& decided = deciding.decided;
  const Workspace& workspace = deciding.workspace();
  decide_named_dropped(decided, command, workspace);
  if (!replaces_order(judged.displaced))
    decide_orders_over(decided, workspace, command.workspace, offset, moved, command.lane);
  const auto state = static_cast<TaskState>(moved.state());
  if (!machine::task::is_over(state)) return;
  const TaskScene scene{deciding, Offset(moved.task()), &command.ruleset};
  if (state != TaskState::aborted && !scene.task().offer) return;
  take_room(command, judged.recipients, decided);
  tell_of_offer_ended(scene, "the task has ended.");
  if (state != TaskState::aborted) return;
  const envelope::Envelope& envelope = command.envelope;
  if (judged.semantics.review_moved)  // R14, COL-20: the last of its iterations has failed
    tell_of_abort(scene, scene.task().assignee, {"", true, command.sender});
  else
    end_with_it(scene, {text_in(envelope, "reason"), envelope::field(envelope, "cleanup") == "true", command.sender});
}

// What the server does and says behind the message.
void follow(const Deciding& deciding, const AcceptMessage& command, Judged& judged, const RulesetOf& ruleset_of) {
  Decided& decided = deciding.decided;
  const Workspace& workspace = deciding.workspace();
  const Offset offset(decided.facts().front().event.offset());
  const event::MessageAccepted& accepted = decided.facts().front().event.message_accepted();
  const Semantics& semantics = judged.semantics;
  if (accepted.has_task_moved()) follow_task(deciding, command, judged, offset, accepted.task_moved());
  const auto at_once = [](const Displaced& one) { return !one.of.later; };
  const bool supersedes = std::ranges::any_of(judged.displaced, at_once);
  if (tells(semantics, accepted) || supersedes) take_room(command, judged.recipients, decided);
  for (const Displaced& one : judged.displaced) {
    if (!at_once(one)) continue;
    warn_of_late(*one.message, workspace, judged.to_sender);
    decide_taken_back(deciding, *one.message, one.of, {offset, judged.recipients.open}, ruleset_of);
  }
  if (!accepted.used().empty()) tell_of_overuse(deciding, command, accepted.used());
  if (semantics.review_moved) tell_of_limit(deciding, command, *semantics.review_moved);
  decide_help_told(deciding, command, accepted);
  if (semantics.error_moved) tell_of_waiting(deciding, command, accepted, ruleset_of);
}

}  // namespace

base::Result<Accepted> Engine::decide(const AcceptMessage& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const IdKey sent_key = key_of(command, workspace.registry.agent(command.sender));
  PARLEY_TRY(auto known, known_already(command, workspace, sent_key));
  if (known) return std::move(*known);
  Judged judged;
  if (auto done = judge_message(command, workspace, context, decided, judged); !done) {
    name_legal_moves(done.error(), command, workspace);
    return std::unexpected(std::move(done).error());
  }
  event::Event& event = decided.add(command.workspace);
  const Offset offset(event.offset());
  const std::string& sent_id = command.envelope.message_id;
  std::string message_id = sent_id.empty() ? made_id(context, offset.value) : sent_id;
  // A made one is remembered too: its sender asks for its receipts by it (R5, D7).
  const IdKey id_key = given(sent_key) ? sent_key : id_key_of(message_id);
  event::MessageAccepted& message = decided.message_accepted(event);
  decided.last().has_native_body = true;
  write_judged(command, workspace, context, id_key, message_id, judged, message);
  follow({decided, state_, command.workspace, context}, command, judged, ruleset_of_);
  write(judged.to_sender, *decided.facts().front().event.mutable_message_accepted()->mutable_sender_told());
  return Accepted{AcceptOutcome::accepted, offset, std::move(message_id), all_warnings(judged)};
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
           const event::MessageAccepted& event, const Placed& placed) {
  if (event.has_sequence())
    note_sequence(workspace.registry.agent(AgentNumber(event.sender())), event.sender_instance(), event.sequence());
  Message& message = workspace.messages.add(offset);
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
  count_in_window(state, number);
  if (message.sender != AgentNumber{}) workspace.registry.agent(message.sender).spoke_at = placed.at;
  if (event.has_sent_at()) message.sent_at = base::instant_of(event.sent_at());
  if (event.has_expires_at()) message.expires_at = base::instant_of(event.expires_at());
  message.lane = LaneId(event.lane());
  message.priority = static_cast<Priority>(event.priority());
  message.at_most_once = event.at_most_once();
  message.attempts_max = static_cast<std::uint8_t>(event.attempts_max());
  message.private_ = event.private_();
  message.moves_nothing = event.moves_nothing();
  message.remarked = event.warnings_size() + event.validation_errors_size() > 0 || event.supersedes() > 0 ||
                     event.reply_by() || event.has_task_error() || event.sender_told_size() > 0;
  message.id = base::PackedText(event.message_id());
  if (event.id_key().size() == message.id_key.size()) {
    message.remembered = true;
    std::memcpy(message.id_key.data(), event.id_key().data(), message.id_key.size());
    workspace.ids.insert(message.id_key, offset);
  }
  apply_to_requests(state, workspace, number, offset, event);
  apply_to_tasks(state, workspace, number, offset, event, placed);
  apply_to_session(state, number, offset, event);
  apply_to_reviews(state, workspace, number, offset, event, placed);
  apply_to_approvals(state, workspace, number, offset, event, placed);
  apply_to_collaborations(workspace, offset, event, placed);
  apply_to_help(state, workspace, number, offset, event, placed);
  apply_to_errors(workspace, offset, event, placed.at);
  apply_to_health(state, workspace, number, offset, event, placed.at);
  apply_to_resources(workspace, event);
  apply_to_loops(workspace, offset, event);
  if (message.private_) return;  // R25: to nobody's mailbox
  message.receipts.reserve(event.recipients_size() + event.bounced_size());
  for (const std::uint32_t agent : event.recipients()) message.receipts.push_back({.agent = AgentNumber(agent)});
  for (const std::uint32_t agent : event.bounced())
    message.receipts.push_back(
        {.agent = AgentNumber(agent), .state = ReceiptState::bounced, .bounce = Bounce::mailbox_full});
  if (event.bounced_size() > 0)
    std::sort(message.receipts.begin(), message.receipts.end(),
              [](const Receipt& a, const Receipt& b) { return a.agent < b.agent; });
  for (Receipt& receipt : message.receipts)
    if (receipt.state == ReceiptState::queued && event.held())
      hold({state, workspace, number, receipt.agent, placed.at}, message, receipt);
    else if (receipt.state == ReceiptState::queued)
      enqueue({state, workspace, number, receipt.agent, placed.at}, offset, message, receipt);
  if (message.expires() && !message.closed())
    state.timers.insert({message.expires_at, TimerKind::message_expires, number, {}, offset});
}

}  // namespace parley::engine
