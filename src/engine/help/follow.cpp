#include "engine/help/follow.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/collaborations/follow.hpp"
#include "engine/health/follow.hpp"
#include "engine/help/watch.hpp"
#include "engine/messages/fields.hpp"
#include "engine/requests/deadlock.hpp"
#include "engine/steps.hpp"
#include "engine/workspaces/share.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;
using machine::help::Guard, machine::help::Move, machine::help::Party;

constexpr std::size_t subject_max = 256;
constexpr std::size_t answers_kept = 16;
constexpr std::size_t over_kept = 10'000;  // requests (D11)

Timer timer_of(WorkspaceNumber number, Offset offset, Instant due) {
  return {due, TimerKind::help_due, number, {}, offset};
}

void look_at(State& state, WorkspaceNumber number, Offset offset, Help& help, Instant due) {
  if (help.due != Instant{}) state.timers.erase(timer_of(number, offset, help.due));
  help.due = due;
  if (due != Instant{}) state.timers.insert(timer_of(number, offset, due));
}

bool is_one_of(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// What a reply says, held against the table in its order.
const Move* move_on(const AcceptMessage& command, const Help& help, bool there_is_another) {
  const std::string word = text_in(command.envelope, "subject");
  const bool passes = is_one_of(command.ruleset.help->passes, word);
  const auto holds = [&](Guard guard) {
    switch (guard) {
      case Guard::always:
        return true;
      case Guard::passes:
        return passes && there_is_another;
      case Guard::passes_to_nobody:
        return passes && !there_is_another;
      case Guard::meets:
        return is_one_of(command.ruleset.help->together, word);
      case Guard::goes_on:
        return field(command.envelope, "follow_up") == "true";
      case Guard::is_taken_back:
      case Guard::is_lost:
      case Guard::is_lost_for_good:
        break;
    }
    return false;
  };
  for (const Move& move : machine::help::moves)
    if (move.on == command.envelope.kind && move.by == Party::helper &&
        (move.from & machine::help::of(help.state)) != 0 && holds(move.when))
      return &move;
  return nullptr;
}

void ask(const AcceptMessage& command, event::MessageAccepted& event) {
  if (event.recipients_size() != 1) return;  // of several at once nobody is the helper
  event::HelpMoved& moved = *event.mutable_help_moved();
  moved.set_state(static_cast<std::uint32_t>(HelpState::asked));
  moved.set_helper(event.recipients(0));
  moved.set_subject(base::excerpt(text_in(command.envelope, "subject"), subject_max));
  if (const auto deadline = instant_in(command.envelope, "deadline")) moved.set_deadline(base::unix_us(*deadline));
}

// The request that a reply answers; 0: none that is open and waits for this sender, and whose asker it reaches.
Offset answered_by(const AcceptMessage& command, const Workspace& workspace, const event::MessageAccepted& event) {
  const auto known = workspace.help.find(text_in(command.envelope, "request"));
  if (!known) return {};
  const Help& help = workspace.help.at(*known);
  const auto& to = event.recipients();
  const bool reaches = std::binary_search(to.begin(), to.end(), help.asker.value);
  return !help.over() && help.helper() == command.sender && reaches ? *known : Offset{};
}

void answer(const AcceptMessage& command, const Workspace& workspace, const Context& context,
            event::MessageAccepted& event, std::vector<base::Problem>& warnings) {
  const Offset offset = answered_by(command, workspace, event);
  if (offset == Offset{})
    return warnings.push_back(
        {"", "ANSWERS_NOTHING",
         "It is delivered, and answers no request for help that is open and was put to its sender."});
  const Help& help = workspace.help.at(offset);
  const auto next = next_helper(workspace, offset, command.ruleset, context.now);
  const Move* const move = move_on(command, help, next.has_value());
  if (!move || !move->to) return;
  event::HelpMoved& moved = *event.mutable_help_moved();
  moved.set_help(offset.value);
  moved.set_state(static_cast<std::uint32_t>(*move->to));
  moved.set_asker(help.asker.value);
  moved.set_answers(true);
  if (move->when == Guard::passes) write_helper(workspace, *next, context.now, moved);
}

}  // namespace

bool asks_for_help(const AcceptMessage& command) {
  return command.ruleset.help && command.envelope.kind == Kind::help_request;
}

base::Result<> check_help(const AcceptMessage& command, const Workspace& workspace) {
  if (!asks_for_help(command)) return {};
  const std::size_t own = workspace.help.of(command.sender).size(),
                    most = share_of_one(workspace.settings.open_requests);
  if (own < most && workspace.help.open() < workspace.settings.open_requests) return {};
  return full(base::ErrorCode::REQUESTS_FULL,
              base::quoted(workspace.registry.agent(command.sender).id) + " waits for help with " +
                  std::to_string(own) + " requests, the workspace has " + std::to_string(workspace.help.open()) +
                  "; the limits are " + std::to_string(most) + " and " +
                  std::to_string(workspace.settings.open_requests),
              std::chrono::seconds(1));
}

void follow_help(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                 event::MessageAccepted& event, std::vector<base::Problem>& warnings) {
  if (asks_for_help(command)) return ask(command, event);
  if (command.ruleset.help && command.envelope.kind == Kind::help_reply)
    answer(command, workspace, context, event, warnings);
}

void decide_help_told(const Deciding& deciding, const AcceptMessage& command, const event::MessageAccepted& event) {
  const event::HelpMoved& moved = event.help_moved();
  if (static_cast<HelpState>(moved.state()) != HelpState::unhelped) return;
  tell_asker(deciding, Offset(moved.help()), machine::help::move_of(machine::help::Step::give_up), &command.ruleset,
             "nobody is left who could be asked.");
}

namespace {

// The message goes to one more, in the same bytes.
void pass_on(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, AgentNumber helper,
             Instant at) {
  Message& message = *workspace.messages.find(offset);
  const auto place = std::lower_bound(message.receipts.begin(), message.receipts.end(), helper,
                                      [](const Receipt& r, AgentNumber a) { return r.agent < a; });
  const bool was_closed = message.closed();
  Receipt& receipt = *message.receipts.insert(place, {.agent = helper});
  enqueue({state, workspace, number, helper, at}, offset, message, receipt);
  if (was_closed && message.expires())
    state.timers.insert({message.expires_at, TimerKind::message_expires, number, {}, offset});
}

void end(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset) {
  const Help& help = workspace.help.at(offset);
  close_collaboration(workspace, offset, name(help.state), help.moved_at);
  look_at(state, number, offset, workspace.help.at(offset), {});
  workspace.help.end(offset, over_kept);
  Message& message = *workspace.messages.find(offset);
  message.over = true;
  --message.needed;
  forget_if_settled(workspace, offset, message);
}

void move(State& state, Workspace& workspace, WorkspaceNumber number, const event::HelpMoved& moved, Instant at) {
  const Offset offset(moved.help());
  Help& help = workspace.help.at(offset);
  help.state = static_cast<HelpState>(moved.state());
  help.moved_at = at;
  if (help.over()) return end(state, workspace, number, offset);
  look_at(state, number, offset, help, help.deadline);
  if (moved.helper() == 0) return;
  close_collaboration(workspace, offset, "passed_on", at);
  const AgentNumber helper(moved.helper());
  workspace.help.ask(offset, helper);
  if (moved.tried_until() != 0) apply_attempt(workspace, helper, base::instant_of(moved.tried_until()), offset);
  pass_on(state, workspace, number, offset, helper, at);
}

void open(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
          const event::MessageAccepted& event, Instant at) {
  const event::HelpMoved& moved = event.help_moved();
  Help help{.id = base::PackedText(event.message_id()),
            .task = event.task(),
            .asker = AgentNumber(event.sender()),
            .subject = moved.subject(),
            .state = static_cast<HelpState>(moved.state()),
            .helpers = {AgentNumber(moved.helper())},
            .answers = {},
            .asked_at = at,
            .moved_at = at,
            .deadline = moved.deadline() != 0 ? base::instant_of(moved.deadline()) : Instant{},
            .due = {},
            .about = about_of(workspace, AgentNumber(event.sender()), event.reply_to(), event.correlation())};
  Help& kept = workspace.help.add(offset, std::move(help));
  look_at(state, number, offset, kept, kept.deadline);
  ++workspace.messages.find(offset)->needed;
}

}  // namespace

void apply_to_help(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                   const event::MessageAccepted& event, const Placed& placed) {
  if (!event.has_help_moved()) return;
  const event::HelpMoved& moved = event.help_moved();
  if (moved.help() == 0) return open(state, workspace, number, offset, event, placed.at);
  auto& answers = workspace.help.at(Offset(moved.help())).answers;
  if (answers.size() == answers_kept) answers.erase(answers.begin());
  answers.push_back({offset, placed.position, AgentNumber(event.sender())});
  move(state, workspace, number, moved, placed.at);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::HelpMoved& event, Instant at) {
  const AgentNumber before = workspace.help.at(Offset(event.help())).helper();
  move(state, workspace, number, event, at);
  if (workspace.registry.agent(before).removed && has_left(workspace, before))
    state.unfinished.leaving.erase({number, before});
}

void withdraw_help(State& state, Workspace& workspace, WorkspaceNumber number, AgentNumber asker, Instant at) {
  for (const Offset offset : HelpRequests::Offsets(workspace.help.of(asker)))
    withdraw_help_request(state, workspace, number, offset, at);
}

void withdraw_help_request(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, Instant at) {
  const Help* const known = workspace.help.find(offset);
  if (!known || known->over()) return;
  Help& help = workspace.help.at(offset);
  help.state = HelpState::withdrawn;
  help.moved_at = at;
  end(state, workspace, number, offset);
}

void note_help_lost(const Scene& scene, Offset message) {
  const Help* const known = scene.workspace.help.find(message);
  if (!known || known->over() || known->helper() != scene.agent_number || known->state != HelpState::asked) return;
  look_at(scene.state, scene.number, message, scene.workspace.help.at(message), scene.now);
}

}  // namespace parley::engine
