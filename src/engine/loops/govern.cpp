#include "engine/loops/govern.hpp"

#include <algorithm>
#include <array>

#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/messages/fields.hpp"
#include "engine/requests/follow.hpp"
#include "envelope/gist.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;

constexpr std::size_t longest_cycle = 32;                     // messages; what is longer the other bounds end
constexpr base::Duration undecided = std::chrono::hours(72);  // where the profile names no time

// As never_loops() says; nor does what tells whoever waits for an answer that work on it goes on.
bool is_free(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients) {
  if (never_loops(command.envelope.kind)) return true;
  const auto request = goes_on_with(command, workspace);
  return request && std::ranges::binary_search(recipients.open, workspace.requests.find(*request)->asker);
}
bool is_free(const event::MessageAccepted& event) {
  return never_loops(static_cast<Kind>(event.kind())) || event.extends() > 0;
}

bool is_party(const Message& message, AgentNumber agent) {
  return message.sender == agent || message.receipt_of(agent);
}

// The message of this id that the sender had a part in: in some profiles the id is one at each recipient (R7).
std::optional<Offset> named(const AcceptMessage& command, const Workspace& workspace, const std::string& id) {
  if (id.empty()) return std::nullopt;
  const auto at = [&](std::string_view recipient) {
    const auto known = workspace.message_of(id_key_of(id, recipient));
    return known && is_party(workspace.messages.at(*known), command.sender) ? known : std::nullopt;
  };
  if (command.ruleset.idempotency_key == profile::IdempotencyKey::message) return at("");
  const auto own = at(workspace.registry.agent(command.sender).id + '\n');
  return own ? own : at("*");
}

std::optional<Offset> answered(const AcceptMessage& command, const Workspace& workspace) {
  if (const auto known = named(command, workspace, command.envelope.reply_to)) return known;
  if (command.envelope.kind == Kind::help_reply)
    if (const auto known = named(command, workspace, text_in(command.envelope, "request"))) return known;
  return named(command, workspace, command.envelope.correlation);
}

// The newest that the sender took from one of those whom it writes to now; where it took nothing of theirs, from
// anybody.
std::optional<Offset> heard(const Workspace& workspace, AgentNumber sender, const Recipients& recipients) {
  std::optional<Offset> newest;
  const auto& taken = workspace.registry.agent(sender).heard;
  for (auto at = taken.rbegin(); at != taken.rend(); ++at) {
    const Message* const message = workspace.messages.find(*at);
    if (message && std::ranges::binary_search(recipients.open, message->sender)) return *at;
    if (message && !newest) newest = *at;
  }
  return newest;
}

// How many messages back the same agent said the same; 0: not lately.
std::size_t period_of(const Links& links, const Link& link) {
  const Link* before = links.find(link.cause);
  for (std::size_t steps = 1; before && steps <= longest_cycle; ++steps, before = links.find(before->cause))
    if (before->says_the_same(link)) return steps;
  return 0;
}

// How often the same messages of the same agents have followed each other by now, with nothing else between.
std::size_t rounds_of(const Links& links, const Link& link, std::size_t period, std::size_t most) {
  const Link *now = &link, *before = &link;
  for (std::size_t i = 0; i < period; ++i) before = links.find(before->cause);
  std::size_t same = 0;
  for (; before && now->says_the_same(*before) && same < most * period; ++same) {
    now = links.find(now->cause);
    before = links.find(before->cause);
  }
  return same / period;
}

std::string too_many_hops(const LoopSettings& settings, const Link& link) {
  if (settings.hops == 0 || link.hops <= settings.hops) return {};
  return "it is answer " + std::to_string(link.hops) + " in a row, each to the one before; the limit is " +
         std::to_string(settings.hops);
}

std::string too_many_rounds(const LoopSettings& settings, const Links& links, const Link& link) {
  if (settings.rounds == 0) return {};
  const std::size_t period = period_of(links, link);
  if (period == 0) return {};
  if (rounds_of(links, link, period, settings.rounds) < settings.rounds) return {};
  return "the same " + std::to_string(period) + (period == 1 ? " message has" : " messages have") + " come " +
         (settings.rounds == 1 ? "" : std::to_string(settings.rounds) + " times ") + "again without a new word";
}

std::string too_many_messages(const LoopSettings& settings, const Workspace& workspace, const Link& link) {
  if (settings.messages == 0 || link.root == Offset{}) return {};
  const std::uint32_t charged = workspace.links.charged_to(link.root);
  if (charged < settings.messages) return {};
  const Message* const root = workspace.messages.find(link.root);
  return "message " + std::to_string(link.root.value) +
         (root ? " (" + base::quoted(root->id.view()) + ")" : std::string()) + " has set off " +
         std::to_string(charged) + " messages, the limit is " + std::to_string(settings.messages);
}

// Of a message that does not count: it hands on what set it off, and is the same as no other.
Link passed_on(const Workspace& workspace, AgentNumber sender, Offset cause) {
  const Link* const before = workspace.links.find(cause);
  return {.cause = cause,
          .root = before && before->root != Offset{} ? before->root : cause,
          .sender = sender,
          .hops = before ? before->hops : 0,
          .gist = static_cast<std::uint32_t>(cause.value)};
}

}  // namespace

bool never_loops(Kind kind) {
  constexpr Kind kinds[] = {Kind::task_ack,         Kind::task_progress,    Kind::task_abort, Kind::review_request,
                            Kind::review_result,    Kind::status_report,    Kind::heartbeat,  Kind::health_check,
                            Kind::approval_request, Kind::approval_decision};
  return std::ranges::find(kinds, kind) != std::end(kinds);
}

std::optional<Link> link_of(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients) {
  if (command.ruleset.type(command.type).is_private) return std::nullopt;
  const auto said = answered(command, workspace);
  if (is_free(command, workspace, recipients))
    return said ? std::optional(passed_on(workspace, command.sender, *said)) : std::nullopt;
  // Who names the first message of a talk in each answer has heard newer ones.
  const auto cause = std::max(said, heard(workspace, command.sender, recipients));
  if (!cause) return std::nullopt;
  Link link{.cause = *cause, .root = {}, .sender = command.sender, .hops = 0, .gist = 0};
  if (said) {  // what merely came after it is on nobody's account
    const Link* const before = workspace.links.find(*said);
    link.root = before && before->root != Offset{} ? before->root : *said;
    link.hops = before ? before->hops + 1 : 1;
  }
  link.gist = command.gist ? *command.gist : envelope::gist_of(command.envelope, command.native);
  return link;
}

std::optional<Asking> held_loop(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients,
                                const Link& link) {
  if (is_free(command, workspace, recipients)) return std::nullopt;
  const LoopSettings& settings = workspace.settings.loops;
  std::string why;
  for (const std::string& reason :
       std::array{too_many_hops(settings, link), too_many_rounds(settings, workspace.links, link),
                  too_many_messages(settings, workspace, link)})
    if (!reason.empty()) why += (why.empty() ? "" : "; ") + reason;
  if (why.empty()) return std::nullopt;
  const auto& policy = command.ruleset.approvals;
  return Asking{.subject = command.envelope.native_type,
                .why = std::move(why),
                .approvers = {},
                .timeout = policy ? policy->timeout : undecided,
                .holds = true};
}

void write(const Link& link, event::MessageAccepted& event) {
  event.set_cause(link.cause.value);
  event.set_root(link.root.value);
  event.set_hops(link.hops);
  event.set_gist(link.gist);
}

void apply_to_loops(Workspace& workspace, Offset offset, const event::MessageAccepted& event) {
  if (event.cause() == 0) return;
  workspace.links.add(offset, !is_free(event),
                      {.cause = Offset(event.cause()),
                       .root = Offset(event.root()),
                       .sender = AgentNumber(event.sender()),
                       .hops = event.hops(),
                       .gist = event.gist()});
}

}  // namespace parley::engine
