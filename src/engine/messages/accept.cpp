// A message is accepted, or refused with what would be legal: known ids first (R8), then who may send what to whom
// (000 §6.2; COL-03), then room (D11).
#include <algorithm>

#include "base/hash.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/held.hpp"
#include "engine/collaborations/follow.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/errors/follow.hpp"
#include "engine/health/availability.hpp"
#include "engine/health/follow.hpp"
#include "engine/help/follow.hpp"
#include "engine/loops/govern.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/directions.hpp"
#include "engine/messages/fields.hpp"
#include "engine/messages/said.hpp"
#include "engine/messages/semantics.hpp"
#include "engine/policy/policy.hpp"
#include "engine/requests/deadlock.hpp"
#include "engine/requests/follow.hpp"
#include "engine/resources/report.hpp"
#include "engine/reviews/follow.hpp"
#include "engine/reviews/limit.hpp"
#include "engine/tasks/abort.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/parts.hpp"
#include "engine/tasks/session.hpp"

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
      if (command.supersedes) PARLEY_CHECK(check_repeated(*command.supersedes, workspace, *known));
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
  PARLEY_CHECK(check_chain(command, workspace));
  std::optional<Asking> asking = asking_of(command);
  if (!asking && !recipients.open.empty()) asking = held_completion(command, workspace);
  if (!asking && !recipients.open.empty()) asking = held_by_policy(command, workspace);
  const std::optional<Link> link = link_of(command, workspace, recipients);
  if (!asking && link && !recipients.open.empty()) asking = held_loop(command, workspace, *link);
  const Hold hold = asking && asking->holds ? Hold::held : Hold::none;
  PARLEY_CHECK(check_reply_by(command, context.now));
  if (hold == Hold::none) PARLEY_CHECK(check_request(command, workspace));
  if (hold == Hold::none) PARLEY_CHECK(check_deadlock(command, workspace, recipients));
  if (hold == Hold::none) PARLEY_CHECK(check_help(command, workspace));
  std::vector<base::Problem> of_semantics;
  warn_of_degraded(command, workspace, recipients.open, context.now, of_semantics);
  PARLEY_TRY(Semantics semantics, check_semantics(command, workspace, recipients, {hold, {}}, context, of_semantics));
  if (!asking && semantics.review_moved) asking = asking_of_review(command, workspace, *semantics.review_moved);
  if (asking) PARLEY_CHECK(check_approval(command, workspace));
  std::optional<Offset> part_of;
  if (hold == Hold::held && envelope.kind == envelope::Kind::task_assign && command.ruleset.tasks) {
    PARLEY_TRY(part_of, split_answered(command, workspace, {}));
  }
  Consequences of_superseded;
  if (command.supersedes) {
    PARLEY_TRY(of_superseded, judge_superseded(command, workspace, semantics.task_moved, hold));
    if (of_superseded.later)
      asking->why += "; until then message '" + std::string(command.supersedes->was.message_id()) + "' stands";
  }

  event::Event& event = decided.add(command.workspace);
  const Offset offset(event.offset());
  std::string message_id = envelope.message_id.empty() ? made_id(context, offset.value) : envelope.message_id;
  // A made one is remembered too: its sender asks for its receipts by it (R5, D7).
  const IdKey id_key = given(sent_key) ? sent_key : id_key_of(message_id);
  const auto of_sequence = sequence_warnings(workspace.registry.agent(command.sender), envelope);
  event::MessageAccepted& message = decided.message_accepted(event);
  write(command, recipients, message_id, id_key, message);
  message.set_supersedes_later(of_superseded.later);
  if (part_of) message.set_approval_part_of(part_of->value);
  if (rate.messages > 0) message.set_counts_until(base::unix_us(counts_until(rate, context.now)));
  write(of_sequence, *message.mutable_warnings());
  warnings.insert(warnings.end(), of_sequence.begin(), of_sequence.end());
  decided.last().has_native_body = true;
  remark(command, workspace, recipients, asking, message_id, warnings);
  if (hold == Hold::none) {
    follow_requests(command, workspace, context, message);
    follow_help(command, workspace, context, message, of_semantics);
    follow_collaborations(workspace, message);
    follow_session(command, workspace, message, of_semantics);
  } else {
    message.clear_record_at();                            // what it means, it means when it is released
    message.set_reply_by(command.reply_by != Instant{});  // awaited from then on (BEY-01)
    if (message.reply_by()) message.set_answer_due(base::unix_us(command.reply_by));
  }
  if (asking) open_approval(*asking, context, message);
  follow_health(command, workspace, context, message);
  follow_resources(command, workspace, message, of_semantics);
  write(semantics.defects, *message.mutable_validation_errors());
  write(of_semantics, *message.mutable_warnings());
  warnings.insert(warnings.end(), semantics.defects.begin(), semantics.defects.end());
  if (link) write(*link, message);
  warnings.insert(warnings.end(), of_semantics.begin(), of_semantics.end());
  if (semantics.review_moved) *message.mutable_review_moved() = *semantics.review_moved;
  if (semantics.error_moved) *message.mutable_error_moved() = *semantics.error_moved;
  if (semantics.task_moved) {
    event::TaskMoved& moved = *message.mutable_task_moved();
    moved = std::move(*semantics.task_moved);
    if (keep_back(moved, message)) {
      if (message.reply_by()) {  // it would run out, and the order come afterwards
        message.clear_answer_timeout();
        message.clear_answer_due();
        message.clear_reply_by();
        warnings.push_back(nobody_replies());
      }
      warnings.push_back({"", "KEPT_BACK", "It is accepted, and reaches nobody yet: " + moved.why() + "."});
    }
    if (of_superseded.replaces_order)
      decide_named_dropped(decided, command, workspace);
    else
      decide_orders_over(decided, workspace, command.workspace, offset, moved, command.lane);
    if (static_cast<TaskState>(moved.state()) == TaskState::aborted) {
      take_room(command, recipients, decided);
      const TaskScene scene{decided, state_, command.workspace, Offset(moved.task()), &command.ruleset, context};
      if (semantics.review_moved)  // R14, COL-20: the last of its iterations has failed
        tell_of_abort(scene, scene.task().assignee, {"", true, command.sender});
      else
        end_with_it(scene,
                    {text_in(envelope, "reason"), envelope::field(envelope, "cleanup") == "true", command.sender});
    }
  }
  const event::MessageAccepted& accepted = decided.facts().front().event.message_accepted();
  const bool supersedes = command.supersedes && !of_superseded.later;
  if (tells(semantics, accepted) || supersedes) take_room(command, recipients, decided);
  if (supersedes) {
    warn_of_late(*command.supersedes, workspace, warnings);
    decide_taken_back(decided, state_, *command.supersedes, of_superseded, {offset, recipients.open}, ruleset_of_,
                      context);
  }
  if (!accepted.used().empty()) tell_of_overuse(decided, state_, command, accepted.used(), context);
  if (semantics.review_moved) tell_of_limit(decided, state_, command, *semantics.review_moved, context);
  decide_help_told(decided, state_, command, accepted, context);
  if (semantics.error_moved) tell_of_waiting(decided, state_, command, accepted, ruleset_of_, context);
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
  if (message.sender != AgentNumber{}) workspace.registry.agent(message.sender).spoke_at = placed.at;
  if (event.has_sent_at()) message.sent_at = base::instant_of(event.sent_at());
  if (event.has_expires_at()) message.expires_at = base::instant_of(event.expires_at());
  message.lane = LaneId(event.lane());
  message.priority = static_cast<Priority>(event.priority());
  message.at_most_once = event.at_most_once();
  message.private_ = event.private_();
  message.remarked = event.warnings_size() + event.validation_errors_size() > 0 || event.supersedes() > 0 ||
                     event.reply_by() || event.has_task_error();
  message.id = base::PackedText(event.message_id());
  if (event.id_key().size() == message.id_key.size()) {
    message.remembered = true;
    std::copy(event.id_key().begin(), event.id_key().end(), message.id_key.begin());
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
  apply_to_health(state, workspace, number, event, placed.at);
  apply_to_resources(workspace, event);
  apply_to_loops(workspace, offset, event);
  if (message.private_) return;  // R25: to nobody's mailbox
  message.receipts.reserve(static_cast<std::size_t>(event.recipients_size() + event.bounced_size()));
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
