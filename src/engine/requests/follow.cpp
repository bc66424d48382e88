#include "engine/requests/follow.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/help/follow.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/fields.hpp"
#include "engine/requests/ask_again.hpp"
#include "engine/requests/deadlock.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/workspaces/share.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;

constexpr base::Duration longest_wait = std::chrono::hours(24);
constexpr base::Duration longest_reply = std::chrono::hours(24 * 365);

// A sign of life is no reply, and neither is a question.
bool may_reply(Kind kind) {
  switch (kind) {
    case Kind::notify:
    case Kind::task_progress:
    case Kind::heartbeat:
    case Kind::health_check:
    case Kind::request:
    case Kind::help_request:
    case Kind::status_query:
    case Kind::approval_request:
      return false;
    default:
      return true;
  }
}

// The order whose end this is, also where its task was handed over since (HND-02).
std::optional<Offset> order_ended(const AcceptMessage& command, const Workspace& workspace) {
  if (command.envelope.kind != Kind::task_complete && command.envelope.kind != Kind::task_fail) return std::nullopt;
  const auto known = task_named(command, workspace);
  if (!known || workspace.tasks.at(*known).assignee != command.sender) return std::nullopt;
  return workspace.tasks.at(*known).ordered;
}

// The messages that this one names: what it answers is one of them.
std::optional<Offset> replied_to(const AcceptMessage& command, const Workspace& workspace) {
  const envelope::Envelope& envelope = command.envelope;
  const bool decides = !field(envelope, "decision").empty();  // R18: a request, and the reply to an error
  if (!may_reply(envelope.kind) && !decides) return std::nullopt;
  for (const std::string_view id :
       {std::string_view(envelope.reply_to), std::string_view(envelope.correlation),
        envelope::unquoted(field(envelope, "message")), envelope::unquoted(field(envelope, "request"))}) {
    const auto offset = id.empty() ? std::nullopt : workspace.requests.find(id, command.sender);
    if (offset && workspace.requests.find(*offset)->reply_by) return offset;
  }
  const auto order = order_ended(command, workspace);
  const Request* const request = order ? workspace.requests.find(*order) : nullptr;
  return request && request->reply_by ? order : std::nullopt;
}

bool reaches(const event::MessageAccepted& event, AgentNumber agent) {
  return std::binary_search(event.recipients().begin(), event.recipients().end(), agent.value);
}

Timer timer_of(WorkspaceNumber number, Offset offset, Instant due) {
  return {due, TimerKind::request_times_out, number, {}, offset};
}

// PIP-08: who asks everybody and reaches nobody, or not all, hears of it when the time is over. Of a deadline it hears
// at once.
void ask(const AcceptMessage& command, const Workspace& workspace, const Context& context,
         event::MessageAccepted& event) {
  const bool by_deadline = command.reply_by != Instant{};
  if (event.recipients().empty() && (by_deadline || !command.envelope.broadcast)) return;
  const base::Duration timeout = by_deadline ? command.reply_by - context.now
                                             : wait_in(command.envelope, "timeout_seconds", std::chrono::seconds(1),
                                                       command.ruleset.requests->timeout, longest_wait);
  event.set_answer_timeout(timeout.count());
  event.set_answer_due(base::unix_us(context.now + timeout));
  event.set_reply_by(by_deadline);
  if (by_deadline) return;
  for (const std::uint32_t agent : event.bounced())
    if (!workspace.registry.agent(AgentNumber(agent)).removed) event.add_asked_in_vain(agent);
}

}  // namespace

bool awaits_answer(const AcceptMessage& command) {
  const auto& policy = command.ruleset.requests;
  if (command.reply_by != Instant{}) return !command.ruleset.type(command.type).is_private;
  if (!policy || command.envelope.kind != Kind::request) return false;
  if (command.ruleset.type(command.type).is_private) return false;  // R25: nobody else hears of it
  return policy->every || field(command.envelope, "needs_response") == "true";
}

base::Result<> check_reply_by(const AcceptMessage& command, Instant now) {
  if (command.reply_by == Instant{} || (command.reply_by > now && command.reply_by <= now + longest_reply)) return {};
  return base::fail(
      base::ErrorCode::BAD_REQUEST,
      "the reply is wanted by " + base::to_rfc3339(command.reply_by) + ", and now it is " + base::to_rfc3339(now),
      "reply_by", "Name a time to come, of the next 365 days.");
}

base::Result<> check_request(const AcceptMessage& command, const Workspace& workspace) {
  if (!awaits_answer(command)) return {};
  const Settings& settings = workspace.settings;
  const std::size_t own = workspace.requests.size(command.sender);
  if (own >= share_of_one(settings.open_requests))
    return full(base::ErrorCode::REQUESTS_FULL,
                base::quoted(workspace.registry.agent(command.sender).id) + " awaits answers to " +
                    std::to_string(own) + " requests; the limit is " +
                    std::to_string(share_of_one(settings.open_requests)),
                std::chrono::seconds(1));
  if (workspace.requests.size() >= settings.open_requests)
    return full(base::ErrorCode::REQUESTS_FULL,
                "in " + base::quoted(workspace.name) + " answers to " + std::to_string(workspace.requests.size()) +
                    " requests are awaited; the limit is " + std::to_string(settings.open_requests),
                std::chrono::seconds(1));
  return {};
}

std::optional<Offset> goes_on_with(const AcceptMessage& command, const Workspace& workspace) {
  const auto& policy = command.ruleset.requests;
  const Kind kind = command.envelope.kind;
  if (!policy || !policy->progress_extends || (kind != Kind::notify && kind != Kind::task_progress))
    return std::nullopt;
  if (awaits_answer(command)) return std::nullopt;  // what wants an answer itself is no sign that work goes on
  const auto offset = workspace.requests.find(command.envelope.reply_to, command.sender);
  const bool goes_on = offset && !workspace.requests.find(*offset)->reply_by;  // a deadline stays
  return goes_on ? offset : std::nullopt;
}

void follow_requests(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                     event::MessageAccepted& event) {
  const auto& policy = command.ruleset.requests;
  const envelope::Envelope& envelope = command.envelope;
  if (awaits_answer(command)) ask(command, workspace, context, event);
  if (workspace.requests.with_reply_by() > 0)
    if (const auto replied = replied_to(command, workspace)) {
      const Request& request = *workspace.requests.find(*replied);
      if (request.due > context.now && reaches(event, request.asker)) return event.set_answers(replied->value);
    }
  if (!policy) return;
  const bool answers = envelope.kind == Kind::response || envelope.kind == Kind::error_report;
  const auto offset =
      answers ? workspace.requests.find(envelope.reply_to, command.sender) : goes_on_with(command, workspace);
  if (!offset) return;
  const Request& request = *workspace.requests.find(*offset);
  if (!reaches(event, request.asker)) return;                  // it never does
  if (request.reply_by && request.due <= context.now) return;  // it was a deadline
  if (envelope.kind == Kind::error_report && postpones(command, *offset, request, context, event)) return;
  if (answers) return event.set_answers(offset->value);
  event.set_extends(offset->value);
  event.set_answer_due(base::unix_us(context.now + request.timeout));
}

namespace {

void open(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
          const event::MessageAccepted& event) {
  const Message& message = workspace.messages.at(offset);
  Request request{message.sender,
                  base::PackedText(message.id.view()),
                  event.task(),
                  base::Duration(event.answer_timeout()),
                  base::instant_of(event.answer_due()),
                  {},
                  event.reply_by(),
                  static_cast<Kind>(event.kind()) == Kind::request,
                  about_of(workspace, message.sender, event.reply_to(), event.correlation())};
  for (const auto* asked : {&event.recipients(), &event.asked_in_vain()})
    for (const std::uint32_t agent : *asked) request.waiting.emplace_back(agent);
  std::ranges::sort(request.waiting);
  state.timers.insert(timer_of(number, offset, request.due));
  workspace.requests.add(offset, std::move(request));
}

void close(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset) {
  const Request& request = *workspace.requests.find(offset);
  state.timers.erase(timer_of(number, offset, request.due));
  for (const auto& [agent, again] : request.again) asks_no_more(state, request, number, offset, agent);
  if (request.asks) workspace.messages.end(offset);
  workspace.requests.close(offset);
}

void answer(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, AgentNumber by) {
  const Request& request = *workspace.requests.find(offset);
  const bool in_place = !request.waits_for(by);  // of whom the order was sent to, who has handed its task over
  asks_no_more(state, request, number, offset, by);
  if (in_place || !workspace.requests.settle(offset, by)) close(state, workspace, number, offset);
}

void extend(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, Instant due) {
  Request& request = *workspace.requests.find(offset);
  state.timers.erase(timer_of(number, offset, request.due));
  request.due = due;
  state.timers.insert(timer_of(number, offset, due));
}

// Not yet: its timer is the one of the attempt to come.
void postpone(State& state, Workspace& workspace, WorkspaceNumber number, const event::RequestPostponed& event) {
  const Offset offset(event.request());
  Request* const request = workspace.requests.find(offset);
  if (!request) return;
  for (const std::uint32_t value : event.agents()) {
    const AgentNumber agent(value);
    if (!request->waits_for(agent)) continue;  // it was removed, in the same turn
    asks_no_more(state, *request, number, offset, agent);
    AskedAgain& again = request->again[agent];
    ++again.sends;
    again.at = base::instant_of(event.again_at());
    state.timers.insert(timer_of_again(number, offset, agent, again.at));
  }
  extend(state, workspace, number, offset, base::instant_of(event.due()));
}

}  // namespace

void apply_to_requests(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                       const event::MessageAccepted& event) {
  if (event.answer_timeout() > 0) open(state, workspace, number, offset, event);
  if (event.answers() > 0) answer(state, workspace, number, Offset(event.answers()), AgentNumber(event.sender()));
  if (event.has_postpones()) postpone(state, workspace, number, event.postpones());
  if (event.extends() > 0)
    extend(state, workspace, number, Offset(event.extends()), base::instant_of(event.answer_due()));
}

void withdraw_request(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset) {
  if (workspace.requests.find(offset)) close(state, workspace, number, offset);
}

void withdraw_requests(State& state, Workspace& workspace, WorkspaceNumber number, AgentNumber asker) {
  for (const Offset offset : absl::btree_set<Offset>(workspace.requests.of(asker)))
    close(state, workspace, number, offset);
}

void note_reply_lost(const Scene& scene, Offset offset) {
  Request* const request = scene.workspace.requests.find(offset);
  if (!request || !request->reply_by) return;
  if (request->waits_for(scene.agent_number))
    answer(scene.state, scene.workspace, scene.number, offset, scene.agent_number);
}

namespace {

// What was done stays; what ended otherwise has said so.
void bounce_unanswered(const Scene& scene, Offset offset) {
  const Found found = find(scene.workspace, scene.agent_number, offset);
  if (!found) return;
  const ReceiptState now = found.receipt->state;
  const bool ends = open(now) || (taken(now) && now != ReceiptState::acted);
  if (!ends) return;
  found.receipt->bounce = Bounce::no_reply;
  if (!open(now)) return static_cast<void>(found.receipt->state = ReceiptState::bounced);
  engine::close(scene, offset, *found.message, *found.receipt, ReceiptState::bounced);
  note_order_lost(scene, offset);
  note_help_lost(scene, offset);
}

}  // namespace

// A message that ended in the turn that decided this awaits no reply any more.
void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::RequestTimedOut& event,
           Instant at) {
  const Offset offset(event.request());
  if (!workspace.requests.find(offset)) return;
  close(state, workspace, number, offset);
  if (!event.bounces()) return;
  for (const std::uint32_t agent : event.silent())
    bounce_unanswered({state, workspace, number, AgentNumber(agent), at}, offset);
}

// Whoever took it and has acted upon it has: the notice alone names it.
void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::RequestGivenUp& event, Instant at) {
  const Offset offset(event.request());
  for (const std::uint32_t value : event.agents()) {
    const Scene scene{state, workspace, number, AgentNumber(value), at};
    const Request* const request = workspace.requests.find(offset);
    if (!request || !request->waits_for(scene.agent_number)) continue;  // over since, in the same turn
    answer(state, workspace, number, offset, scene.agent_number);
    const Found found = event.bounces() ? find(workspace, scene.agent_number, offset) : Found{};
    if (!found || !taken(found.receipt->state) || found.receipt->state == ReceiptState::acted) continue;
    found.receipt->bounce = Bounce::removed;
    found.receipt->state = ReceiptState::bounced;
  }
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::RequestPostponed& event) {
  postpone(state, workspace, number, event);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::RequestAskedAgain& event,
           Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  const Offset offset(event.request());
  Request* const request = workspace.requests.find(offset);
  if (!request || !request->again.contains(scene.agent_number)) return;  // over since, in the same turn
  asks_no_more(state, *request, number, offset, scene.agent_number);
  request->again.at(scene.agent_number).at = {};
  const Found found = find(workspace, scene.agent_number, offset);
  if (!event.given() || !found) return;
  const bool is_open = open(found.receipt->state);  // or has ended since, in the same turn
  if (event.anew() && is_open) begin_anew(scene, offset, *found.message, *found.receipt);
  if (!event.anew() && !is_open) reopen(scene, offset, *found.message, *found.receipt);
}

}  // namespace parley::engine
