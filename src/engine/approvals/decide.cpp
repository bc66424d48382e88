#include "engine/approvals/decide.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/held.hpp"
#include "engine/approvals/moves.hpp"
#include "engine/approvals/questions.hpp"
#include "engine/approvals/tell.hpp"
#include "engine/approvals/time_out.hpp"
#include "engine/messages/release.hpp"
#include "engine/reviews/end.hpp"
#include "engine/tasks/escalate.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using machine::approval::Guard, machine::approval::Party;

constexpr std::size_t names_shown = 20;
constexpr std::size_t refused_kept = 16;
constexpr base::Duration refused_again = std::chrono::seconds(10);  // D11

bool has(const Person& person, std::string_view role) {
  return std::find(person.roles.begin(), person.roles.end(), role) != person.roles.end();
}

// SUP-05, BEY-05: who asks does not decide, nor who did the work, nor who reported what went wrong with it.
bool asks(const Workspace& workspace, const Approval& approval, const Person& person) {
  const auto is = [&](AgentNumber agent) {
    return agent != AgentNumber{} && workspace.registry.agent(agent).id == person.id;
  };
  if (is(approval.asker)) return true;
  const auto known = workspace.tasks.find(approval.task);
  if (!known || approval.order) return false;
  const Task& task = workspace.tasks.at(*known);
  const ReviewedTask* const reviewed = workspace.reviews.of_task(*known);
  return is(task.assignee) || (task.error && is(task.error->reporter)) ||
         (reviewed && std::ranges::any_of(reviewed->authors, is));
}

std::vector<PersonNumber> named(const Workspace& workspace, const Approval& approval) {
  std::vector<PersonNumber> people;
  for (const std::string& name : approval.approvers) {
    const auto number = workspace.registry.find_person(name);
    if (!number) continue;
    const Person& person = workspace.registry.person(*number);
    if ((has(person, "approver") || has(person, "maintainer")) && !asks(workspace, approval, person))
      people.push_back(*number);
  }
  return people;
}

void add_maintainers(const Workspace& workspace, const Approval& approval, std::vector<PersonNumber>& people) {
  for (const auto& [id, number] : workspace.registry.people_by_id) {
    const Person& person = workspace.registry.person(number);
    if (has(person, "maintainer") && !asks(workspace, approval, person)) people.push_back(number);
  }
}

std::string who(const Workspace& workspace, const DecideApproval& command) {
  if (command.person != PersonNumber{}) return base::quoted(workspace.registry.person(command.person).id);
  if (command.agent != AgentNumber{}) return "agent " + base::quoted(workspace.registry.agent(command.agent).id);
  return "the admin";
}

base::Result<> check_entitled(const Workspace& workspace, const Approval& approval, const DecideApproval& command) {
  const std::vector<PersonNumber> people = entitled(workspace, approval);
  if (command.person != PersonNumber{} && std::binary_search(people.begin(), people.end(), command.person)) return {};
  base::Error error;
  error.code = ErrorCode::APPROVAL_NOT_ENTITLED;
  error.message = who(workspace, command) + " may not decide this; ";
  std::string names;
  for (std::size_t i = 0; i < std::min(people.size(), names_shown); ++i)
    names += (i > 0 ? ", '" : "'") + workspace.registry.person(people[i]).id + "'";
  error.message += people.empty() ? "there is nobody yet who may: register a maintainer" : names + " may";
  return std::unexpected(std::move(error));
}

// By the clock, not by whether the timer's turn has come.
bool time_is_over(const Workspace& workspace, const Approval& approval, const RulesetOf& ruleset_of, Instant now) {
  if (approval.due > now) return false;
  const auto* const move = overdue_move(approval.state, escalates(workspace, approval, ruleset_of));
  return move && machine::approval::is_over(*move->to);
}

base::Result<> check_waits(const Workspace& workspace, const Approval& approval, const RulesetOf& ruleset_of,
                           Instant now) {
  if (approval.decided_by != PersonNumber{})
    return base::fail(ErrorCode::APPROVAL_DECIDED, base::quoted(workspace.registry.person(approval.decided_by).id) +
                                                       " decided it at " + base::to_rfc3339(approval.ended_at) +
                                                       ": it is " + std::string(name(approval.state)));
  if (approval.state == machine::approval::State::withdrawn || approval.outlived())
    return base::fail(ErrorCode::APPROVAL_WITHDRAWN,
                      "it was withdrawn at " +
                          base::to_rfc3339(approval.outlived() ? approval.outlived_at : approval.ended_at) +
                          ": what it was about is over");
  if (!approval.waits() || time_is_over(workspace, approval, ruleset_of, now))
    return base::fail(ErrorCode::APPROVAL_LAPSED, "nobody decided it by " + base::to_rfc3339(approval.due));
  return {};
}

base::Result<> check_offered(const Approval& approval, Decision decision) {
  if (approval.offered == 0 || decision == Decision::reject || (approval.offered & set_of(decision)) != 0) return {};
  base::Error error;
  error.code = ErrorCode::APPROVAL_NOT_OFFERED;
  error.message = "the asker does not offer to " + std::string(decision_names[static_cast<std::size_t>(decision)]);
  error.where = "/decision";
  for (std::size_t i = 0; i < decision_names.size(); ++i)
    if (const auto one = static_cast<Decision>(i); one == Decision::reject || (approval.offered & set_of(one)) != 0)
      error.legal_next.emplace_back(decision_names[i]);
  return std::unexpected(std::move(error));
}

base::Result<> check_decision(const Workspace& workspace, const Approval& approval, const DecideApproval& command,
                              const RulesetOf& ruleset_of, Instant now) {
  PARLEY_CHECK(check_entitled(workspace, approval, command));
  PARLEY_CHECK(check_waits(workspace, approval, ruleset_of, now));
  if (command.shown != approval.shown)  // reliability D9: what was seen is what is decided
    return base::fail(
        ErrorCode::APPROVAL_SHOWN_OTHER,
        "the approval shows " + base::to_hex(approval.shown) + ", the decision is about " + base::to_hex(command.shown),
        "/shown");
  PARLEY_CHECK(check_offered(approval, command.decision));
  if (command.action_refused) return std::unexpected(*command.action_refused);
  return {};
}

Guard guard_of(Decision decision) {
  switch (decision) {
    case Decision::approve:
      return Guard::approves;
    case Decision::reject:
      return Guard::rejects;
    case Decision::modify:
      return Guard::modifies;
  }
  return Guard::rejects;
}

bool is_of(const RefusedDecision& refused, const DecideApproval& command, std::string_view code) {
  return refused.agent == command.agent && refused.person == command.person && refused.code == code;
}

void record(Decided& decided, const Approval& approval, const DecideApproval& command, std::string_view code,
            Instant now) {
  for (const RefusedDecision& refused : approval.refused)
    if (is_of(refused, command, code) && refused.at > now - refused_again) return;
  event::ApprovalRefused& event = *decided.add(command.workspace).mutable_approval_refused();
  event.set_approval(command.approval.value);
  event.set_asker(approval.asker.value);
  event.set_code(std::string(code));
}

}  // namespace

std::vector<PersonNumber> entitled(const Workspace& workspace, const Approval& approval) {
  std::vector<PersonNumber> people = named(workspace, approval);
  if (people.empty() || approval.state != machine::approval::State::open) add_maintainers(workspace, approval, people);
  std::sort(people.begin(), people.end());
  people.erase(std::unique(people.begin(), people.end()), people.end());
  return people;
}

base::Result<> Engine::decide(const DecideApproval& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Approval& approval = *workspace.approvals.find(command.approval);
  const Deciding deciding{decided, state_, command.workspace, context};
  std::optional<Release> release;
  auto checked = check_decision(workspace, approval, command, ruleset_of_, context.now);
  if (checked && command.release) {
    if (auto judged = judge_release(deciding, {command.approval, *command.release, command.changed}); judged)
      release = std::move(*judged);
    else
      checked = std::unexpected(std::move(judged).error());
  }
  if (!checked) {
    record(decided, approval, command, base::info(checked.error().code).name, context.now);
    return checked;
  }
  const Guard wanted = guard_of(command.decision);
  const auto* const move = find_move(approval.state, Party::approver, [&](Guard guard) { return guard == wanted; });
  PARLEY_ASSERT(move && move->to);
  PARLEY_ASSERT(release.has_value() == (approval.holds && command.decision != Decision::reject));
  event::ApprovalDecided& event = *decided.add(command.workspace).mutable_approval_decided();
  event.set_approval(command.approval.value);
  event.set_state(static_cast<std::uint32_t>(*move->to));
  event.set_asker(approval.asker.value);
  event.set_person(command.person.value);
  event.set_rationale(std::string(command.rationale));
  event.set_modified_action(std::string(command.modified_action));

  const std::string& by = workspace.registry.person(command.person).id;
  if (release)
    decide_release(deciding, {command.approval, *command.release, command.changed}, std::move(*release), by,
                   ruleset_of_);
  else
    decide_withheld(deciding, command.approval, ruleset_of_);
  Saying saying;
  saying.by = by;
  saying.decision = decision_names[static_cast<std::size_t>(command.decision)];
  saying.rationale = command.rationale;
  saying.action = command.modified_action;
  saying.text = "'" + by + "' decided: " + std::string(saying.decision) + ". " + std::string(command.rationale);
  tell(deciding, command.approval, *move, saying, ruleset_of_);
  decide_review(deciding, command.approval, *move->to, saying.text);
  decide_escalated(deciding, command.approval, *move->to, saying.text, ruleset_of_);
  return {};
}

void end_approval(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                  machine::approval::State to, const Placed& placed) {
  Approval& approval = workspace.approvals.at(offset);
  if (!approval.waits()) return;  // an earlier fact of the same turn has ended it
  state.timers.erase({approval.look_at(), TimerKind::approval_times_out, number, {}, offset});
  approval.state = to;
  approval.ended_at = placed.at;
  approval.end = placed.position;
  note_answered(state, workspace, number, approval, placed.at);
  if (asks_by_itself(workspace, offset, approval)) workspace.messages.end(offset);
  const auto whole = workspace.tasks.all().find(approval.part_of);
  if (whole != workspace.tasks.all().end() && whole->second->state == TaskState::in_parts)
    look_at(state, number, whole->first, *whole->second, placed.at);  // one part more, or one that will not be
  workspace.approvals.end(offset, workspace.settings.approvals);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::ApprovalDecided& event,
           const Placed& placed) {
  const Offset offset(event.approval());
  workspace.approvals.at(offset).decided_by = PersonNumber(event.person());
  end_approval(state, workspace, number, offset, static_cast<machine::approval::State>(event.state()), placed);
}

void apply(Workspace& workspace, const event::ApprovalRefused& event, const event::Actor& by, Instant at) {
  std::vector<RefusedDecision>& refused = workspace.approvals.at(Offset(event.approval())).refused;
  const RefusedDecision one{AgentNumber(by.agent()), PersonNumber(by.person()), event.code(), at};
  std::erase_if(refused, [&](const RefusedDecision& r) {
    return r.agent == one.agent && r.person == one.person && r.code == one.code;
  });
  refused.push_back(one);
  if (refused.size() > refused_kept) refused.erase(refused.begin());
}

}  // namespace parley::engine
