#include "engine/requests/follow.hpp"

#include <algorithm>
#include <charconv>

#include "engine/appliers.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;

constexpr base::Duration longest_wait = std::chrono::days(365);

std::string_view field(const envelope::Envelope& envelope, std::string_view name) {
  const auto at = std::find_if(envelope.fields.begin(), envelope.fields.end(),
                               [name](const envelope::Field& f) { return f.name == name; });
  return at == envelope.fields.end() ? std::string_view() : std::string_view(at->json);
}

bool awaits_answer(const AcceptMessage& command) {
  const auto& policy = command.ruleset.requests;
  if (!policy || command.envelope.kind != Kind::request) return false;
  return policy->every || field(command.envelope, "needs_response") == "true";
}

base::Duration timeout_of(const AcceptMessage& command) {
  const std::string_view stated = field(command.envelope, "timeout_seconds");
  double seconds = 0;
  const auto read = std::from_chars(stated.data(), stated.data() + stated.size(), seconds);
  if (stated.empty() || read.ec != std::errc() || !(seconds > 0)) return command.ruleset.requests->timeout;
  constexpr double most = std::chrono::duration<double>(longest_wait).count();
  const std::chrono::duration<double> wanted(std::min(seconds, most));
  return std::max(std::chrono::duration_cast<base::Duration>(wanted), base::Duration(1));
}

// The request that the message is under, where this sender was asked and has not answered yet.
std::optional<Offset> awaited_from(const AcceptMessage& command, const Workspace& workspace) {
  const std::string& id = command.envelope.reply_to;
  const auto asked = [&](const IdKey& key) -> std::optional<Offset> {
    const auto at = workspace.requests.find(key);
    if (!at) return std::nullopt;
    const auto& waiting = workspace.requests.find(*at)->waiting;
    return std::binary_search(waiting.begin(), waiting.end(), command.sender) ? at : std::nullopt;
  };
  if (command.ruleset.idempotency_key == profile::IdempotencyKey::message) return asked(id_key_of(id));
  const std::string& responder = workspace.registry.agent(command.sender).id;
  if (const auto at = asked(id_key_of(id, responder + '\n'))) return at;  // R7
  return asked(id_key_of(id, "*"));
}

Timer timer_of(WorkspaceNumber number, Offset offset, Instant due) {
  return {due, TimerKind::request_times_out, number, {}, offset};
}

}  // namespace

base::Result<> check_request(const AcceptMessage& command, const Workspace& workspace) {
  if (!awaits_answer(command) || workspace.requests.size() < workspace.settings.open_requests) return {};
  return base::fail(base::ErrorCode::REQUESTS_FULL,
                    std::to_string(workspace.requests.size()) + " requests await their answers in '" + workspace.name +
                        "'; the limit is " + std::to_string(workspace.settings.open_requests),
                    "sender");
}

void follow_requests(const AcceptMessage& command, const Workspace& workspace, std::size_t reached,
                     const Context& context, event::MessageAccepted& event) {
  const auto& policy = command.ruleset.requests;
  if (!policy) return;
  const envelope::Envelope& envelope = command.envelope;
  if (awaits_answer(command) && reached > 0) {
    const base::Duration timeout = timeout_of(command);
    event.set_answer_timeout(timeout.count());
    event.set_answer_due(base::unix_us(context.now + timeout));
  }
  const bool answers = envelope.kind == Kind::response || envelope.kind == Kind::error_report;
  const bool goes_on =
      policy->progress_extends && (envelope.kind == Kind::notify || envelope.kind == Kind::task_progress);
  if (envelope.reply_to.empty() || !(answers || goes_on)) return;
  const auto request = awaited_from(command, workspace);
  if (!request) return;
  if (answers) return event.set_answers(request->value);
  event.set_extends(request->value);
  event.set_answer_due(base::unix_us(context.now + workspace.requests.find(*request)->timeout));
}

namespace {

void open(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
          const event::MessageAccepted& event) {
  const Message& message = workspace.messages.at(offset);
  Request request{message.sender,
                  message.id_key,
                  base::PackedText(message.id.view()),
                  event.task(),
                  message.lane,
                  base::Duration(event.answer_timeout()),
                  base::instant_of(event.answer_due()),
                  {}};
  for (const std::uint32_t agent : event.recipients()) request.waiting.emplace_back(agent);
  state.timers.insert(timer_of(number, offset, request.due));
  workspace.requests.add(offset, std::move(request));
}

void answer(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, AgentNumber by) {
  Request& request = *workspace.requests.find(offset);
  std::erase(request.waiting, by);
  if (!request.waiting.empty()) return;
  state.timers.erase(timer_of(number, offset, request.due));
  workspace.requests.close(offset);
}

void extend(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, Instant due) {
  Request& request = *workspace.requests.find(offset);
  state.timers.erase(timer_of(number, offset, request.due));
  request.due = due;
  state.timers.insert(timer_of(number, offset, due));
}

}  // namespace

void apply_to_requests(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                       const event::MessageAccepted& event) {
  if (event.answer_timeout() > 0) open(state, workspace, number, offset, event);
  if (event.answers() > 0) answer(state, workspace, number, Offset(event.answers()), AgentNumber(event.sender()));
  if (event.extends() > 0)
    extend(state, workspace, number, Offset(event.extends()), base::instant_of(event.answer_due()));
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::RequestTimedOut& event) {
  const Offset offset(event.request());
  state.timers.erase(timer_of(number, offset, workspace.requests.find(offset)->due));
  workspace.requests.close(offset);
}

}  // namespace parley::engine
