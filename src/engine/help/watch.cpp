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

void make(const Deciding& deciding, Offset offset, const Move& move, std::optional<AgentNumber> helper = {}) {
  const Workspace& workspace = deciding.workspace();
  const Help& help = workspace.help.at(offset);
  event::HelpMoved& moved = *deciding.decided.add(deciding.number).mutable_help_moved();
  moved.set_help(offset.value);
  moved.set_id(std::string(help.id.view()));
  moved.set_state(static_cast<std::uint32_t>(*move.to));
  moved.set_asker(help.asker.value);
  if (helper) write_helper(workspace, *helper, deciding.context.now, moved);
}

// With the fact just decided.
void give_back(const Deciding& deciding, Offset offset, AgentNumber helper) {
  const Offset with(deciding.decided.last().event.offset());
  decide_taken_back(deciding.decided, deciding.workspace(), deciding.number, offset, helper, with);
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

void tell_asker(const Deciding& deciding, Offset offset, const Move& move, const profile::Ruleset* rules,
                const std::string& text) {
  if (!rules) return;
  const Help& help = deciding.workspace().help.at(offset);
  Saying saying;
  saying.task = help.task;
  saying.reply_to = help.id.view();
  saying.from = help.helper();
  saying.text = "Request for help " + base::quoted(help.id.view()) + " is over: " + text;
  say_each(deciding, help.asker, *rules, move.tells, saying);
}

void decide_helper_lost(const Deciding& deciding, Offset offset, const profile::Ruleset* rules, bool offline) {
  const Workspace& workspace = deciding.workspace();
  const Instant now = deciding.context.now;
  const AgentNumber helper = workspace.help.at(offset).helper();
  if (is_taken_back(workspace, offset)) return make(deciding, offset, machine::help::move_of(Step::withdraw));
  const auto next = rules ? next_helper(workspace, offset, *rules, now) : std::nullopt;
  const Message& message = workspace.messages.at(offset);
  const bool expired = message.expires() && message.expires_at <= now;
  const Move& move = machine::help::move_of(next ? Step::lose_helper : expired ? Step::expire : Step::lose_last_helper);
  make(deciding, offset, move, next);
  if (offline) give_back(deciding, offset, helper);
  if (next) return;
  const std::string who = base::quoted(workspace.registry.agent(helper).id);
  tell_asker(deciding, offset, move, rules,
             (offline ? who + " is offline" : "it did not reach " + who) +
                 (expired ? " in its time." : ", and nobody is left who could be asked."));
}

void decide_help_due(const Deciding& deciding, Offset offset, const profile::Ruleset* rules) {
  const Workspace& workspace = deciding.workspace();
  const Help& help = workspace.help.at(offset);
  if (help.deadline == Instant{} || help.deadline > deciding.context.now)
    return decide_helper_lost(deciding, offset, rules);
  const Move& move = machine::help::move_of(Step::expire);
  make(deciding, offset, move);
  give_back(deciding, offset, help.helper());
  tell_asker(deciding, offset, move, rules,
             "its deadline was " + base::to_rfc3339(help.deadline) + ", and " +
                 base::quoted(workspace.registry.agent(help.helper()).id) + " has not answered it for good.");
}

}  // namespace parley::engine
