#include "engine/help/watch.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/health/follow.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/messages/said.hpp"
#include "engine/requests/deadlock.hpp"
#include "engine/routing/choose.hpp"

namespace parley::engine {
namespace {

using machine::help::Move;
using machine::help::Step;

std::optional<profile::TypeIndex> type_that_asks(const profile::Ruleset& rules) {
  for (std::size_t i = 0; i < rules.types.size(); ++i)
    if (rules.types[i].kind == envelope::Kind::help_request) return profile::TypeIndex(static_cast<std::uint16_t>(i));
  return std::nullopt;
}

void make(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset offset, const Move& move,
          std::optional<AgentNumber> helper, Instant now) {
  const Help& help = workspace.help.at(offset);
  event::HelpMoved& moved = *decided.add(number).mutable_help_moved();
  moved.set_help(offset.value);
  moved.set_id(std::string(help.id.view()));
  moved.set_state(static_cast<std::uint32_t>(*move.to));
  moved.set_asker(help.asker.value);
  if (helper) write_helper(workspace, *helper, now, moved);
}

// With the task that it is about, before its helper had read it.
bool is_taken_back(const Workspace& workspace, Offset offset) {
  const Help& help = workspace.help.at(offset);
  const Receipt* const receipt = workspace.messages.at(offset).receipt_of(help.helper());
  return help.state == HelpState::asked && receipt && receipt->state == ReceiptState::superseded;
}

}  // namespace

std::optional<AgentNumber> next_helper(const Workspace& workspace, Offset offset, const profile::Ruleset& rules,
                                       Instant now) {
  const Help& help = workspace.help.at(offset);
  const Message& message = workspace.messages.at(offset);
  const auto type = type_that_asks(rules);
  if (!type || (message.expires() && message.expires_at <= now)) return std::nullopt;
  Wanted wanted{
      .capabilities = {help.subject}, .but = help.helpers, .rules = rules, .type = *type, .length = message.length};
  wanted.but.push_back(help.asker);
  for (const Receipt& receipt : message.receipts) wanted.but.push_back(receipt.agent);
  return choose(workspace, std::move(wanted), now,
                [&](AgentNumber helper) { return waits_for_asker(workspace, helper, help); });
}

void write_helper(const Workspace& workspace, AgentNumber helper, Instant now, event::HelpMoved& moved) {
  moved.set_helper(helper.value);
  const Instant until = attempt_until(workspace.settings, workspace.registry.agent(helper), now);
  if (until != Instant{}) moved.set_tried_until(base::unix_us(until));
}

void tell_asker(Decided& decided, const State& state, WorkspaceNumber number, Offset offset, const Move& move,
                const profile::Ruleset* rules, const Context& context, const std::string& text) {
  if (!rules) return;
  const Help& help = state.workspace(number).help.at(offset);
  Saying saying;
  saying.task = help.task;
  saying.reply_to = help.id.view();
  saying.from = help.helper();
  saying.text = "Request for help " + base::quoted(help.id.view()) + " is over: " + text;
  for (const auto& told : move.tells)
    if (const auto occasion = profile::occasion_named(told.occasion))
      say(decided, state, number, help.asker, *rules, *occasion, saying, context);
}

void decide_helper_lost(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                        const profile::Ruleset* rules, const Context& context, bool offline) {
  const Workspace& workspace = state.workspace(number);
  const AgentNumber helper = workspace.help.at(offset).helper();
  if (is_taken_back(workspace, offset))
    return make(decided, workspace, number, offset, machine::help::move_of(Step::withdraw), std::nullopt, context.now);
  const auto next = rules ? next_helper(workspace, offset, *rules, context.now) : std::nullopt;
  const Message& message = workspace.messages.at(offset);
  const bool expired = message.expires() && message.expires_at <= context.now;
  const Move& move = machine::help::move_of(next ? Step::lose_helper : expired ? Step::expire : Step::lose_last_helper);
  make(decided, workspace, number, offset, move, next, context.now);
  if (offline) decide_taken_back(decided, workspace, number, offset, helper, Offset(decided.last().event.offset()));
  if (next) return;
  const std::string who = base::quoted(workspace.registry.agent(helper).id);
  tell_asker(decided, state, number, offset, move, rules, context,
             (offline ? who + " is offline" : "it did not reach " + who) +
                 (expired ? " in its time." : ", and nobody is left who could be asked."));
}

void decide_help_due(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                     const profile::Ruleset* rules, const Context& context) {
  const Workspace& workspace = state.workspace(number);
  const Help& help = workspace.help.at(offset);
  if (help.deadline == Instant{} || help.deadline > context.now)
    return decide_helper_lost(decided, state, number, offset, rules, context);
  const Move& move = machine::help::move_of(Step::expire);
  make(decided, workspace, number, offset, move, std::nullopt, context.now);
  decide_taken_back(decided, workspace, number, offset, help.helper(), Offset(decided.last().event.offset()));
  tell_asker(decided, state, number, offset, move, rules, context,
             "its deadline was " + base::to_rfc3339(help.deadline) + ", and '" +
                 workspace.registry.agent(help.helper()).id + "' has not answered it for good.");
}

}  // namespace parley::engine
