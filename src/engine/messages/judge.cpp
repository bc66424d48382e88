#include "engine/messages/judge.hpp"

#include <algorithm>

#include "engine/approvals/held.hpp"
#include "engine/health/availability.hpp"
#include "engine/help/follow.hpp"
#include "engine/messages/directions.hpp"
#include "engine/policy/policy.hpp"
#include "engine/requests/deadlock.hpp"
#include "engine/requests/follow.hpp"
#include "engine/reviews/limit.hpp"
#include "engine/tasks/parts.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

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

// R9: the offset is the order; a number that goes back is worth a word, or as the workspace has it a refusal.
base::Result<> judge_sequence(const Settings& settings, const Agent& sender, const envelope::Envelope& envelope,
                              std::vector<base::Problem>& warnings) {
  if (!envelope.sequence) return {};
  const auto same = [&](const Sequence& one) { return one.instance == envelope.sender_instance; };
  const auto known = std::ranges::find_if(sender.sequences, same);
  if (known == sender.sequences.end() || *envelope.sequence >= known->newest) return {};
  const std::string why = "sequence number " + std::to_string(*envelope.sequence) +
                          " goes back: this instance has sent " + std::to_string(known->newest);
  if (settings.refuse_sequence_back) return base::fail(ErrorCode::SEQUENCE_BACK, "the " + why, "sequence");
  warnings.push_back({"", "SEQUENCE_BACK", "The " + why + "."});
  return {};
}

base::Result<> check_expiry(const envelope::Envelope& envelope, Instant now) {
  if (!envelope.expires_at || *envelope.expires_at > now) return {};
  return base::fail(ErrorCode::EXPIRED,
                    "the message expired at " + base::to_rfc3339(*envelope.expires_at) + "; the server's clock says " +
                        base::to_rfc3339(now),
                    std::string(envelope.expiry_at));
}

// Before it goes out; where nobody gets it there is nothing to look at.
std::optional<Asking> asking_first(const AcceptMessage& command, const Workspace& workspace, const Judged& judged) {
  auto asking = asking_of(command);
  if (asking || judged.recipients.open.empty()) return asking;
  asking = held_completion(command, workspace);
  if (!asking) asking = held_by_policy(command, workspace);
  if (!asking && judged.link) asking = held_loop(command, workspace, judged.recipients, *judged.link);
  return asking;
}

// What it would begin at once; a held one is looked at when it is released (release.cpp).
base::Result<> check_begun(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients) {
  PARLEY_CHECK(check_request(command, workspace));
  PARLEY_CHECK(check_deadlock(command, workspace, recipients));
  return check_help(command, workspace);
}

base::Result<> judge_place(const AcceptMessage& command, const Workspace& workspace, Hold hold, Judged& judged) {
  PARLEY_TRY(judged.displaced, judge_superseded(command, workspace, judged.semantics.task_moved.get(), hold));
  const auto stays = std::ranges::find_if(judged.displaced, [](const Displaced& one) { return one.of.later; });
  if (stays == judged.displaced.end()) return {};
  judged.asking->why += "; until then message '" + std::string(stays->message->was.message_id()) + "' stands";
  const auto leaves = superseded_by(command);
  const auto at_once = static_cast<std::size_t>(stays - judged.displaced.begin());
  return find_room(command, workspace, std::span(leaves).first(at_once), judged.recipients);
}

}  // namespace

base::Result<> judge_message(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                             Decided& decided, Judged& judged) {
  const Agent& sender = workspace.registry.agent(command.sender);
  PARLEY_CHECK(check_age(workspace, sender, command.envelope));
  PARLEY_CHECK(check_expiry(command.envelope, context.now));
  PARLEY_CHECK(check_sender(command, sender));
  PARLEY_CHECK(judge_sequence(workspace.settings, sender, command.envelope, judged.of_sequence));
  PARLEY_CHECK(check_rate(rate_of(workspace.settings, command.ruleset), sender, context.now, judged.to_sender));
  if (command.supersedes) PARLEY_CHECK(check_not_taken_back(*command.supersedes, workspace));
  PARLEY_TRY(judged.recipients, resolve(command, workspace, context.now));
  PARLEY_CHECK(find_room(command, workspace, superseded_by(command), judged.recipients));
  PARLEY_CHECK(check_chain(command, workspace));
  judged.link = link_of(command, workspace, judged.recipients);
  judged.asking = asking_first(command, workspace, judged);
  const Hold hold = judged.is_held() ? Hold::held : Hold::none;
  PARLEY_CHECK(check_reply_by(command, context.now));
  if (hold == Hold::none) PARLEY_CHECK(check_begun(command, workspace, judged.recipients));
  warn_of_degraded(command, workspace, judged.recipients.open, context.now, judged.to_readers);
  PARLEY_TRY(judged.semantics,
             check_semantics(command, workspace, judged.recipients, {hold, {}}, context, decided, judged.to_readers));
  if (!judged.asking && judged.semantics.review_moved)
    judged.asking = asking_of_review(command, workspace, *judged.semantics.review_moved);
  if (judged.asking) PARLEY_CHECK(check_approval(command, workspace));
  const bool held_order = judged.is_held() && command.envelope.kind == envelope::Kind::task_assign;
  if (held_order && command.ruleset.tasks) {
    PARLEY_TRY(judged.part_of, split_answered(command, workspace, {}));
  }
  return judge_place(command, workspace, hold, judged);
}

}  // namespace parley::engine
