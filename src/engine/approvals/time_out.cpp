#include "engine/approvals/time_out.hpp"

#include "base/assert.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/decide.hpp"
#include "engine/approvals/held.hpp"
#include "engine/approvals/moves.hpp"
#include "engine/approvals/tell.hpp"
#include "engine/messages/notice.hpp"
#include "engine/reviews/end.hpp"
#include "engine/tasks/escalate.hpp"

namespace parley::engine {
namespace {

using ApprovalState = machine::approval::State;

// Anew from now on, however late it is noticed: a server that was down takes no time from maintainers.
void escalate(const Deciding& deciding, Offset offset, const Approval& approval, ApprovalState to, Instant until) {
  event::ApprovalEscalated& event = *deciding.decided.add(deciding.number).mutable_approval_escalated();
  event.set_approval(offset.value);
  event.set_state(static_cast<std::uint32_t>(to));
  event.set_asker(approval.asker.value);
  event.set_due(base::unix_us(until));
}

void lapse(const Deciding& deciding, Offset offset, const Approval& approval, ApprovalState to) {
  event::ApprovalLapsed& event = *deciding.decided.add(deciding.number).mutable_approval_lapsed();
  event.set_approval(offset.value);
  event.set_state(static_cast<std::uint32_t>(to));
  event.set_asker(approval.asker.value);
}

// Of a message that is held its sender hears; what asks by itself is over with what it asked about.
void outlast(const Deciding& deciding, Offset offset) {
  const Workspace& workspace = deciding.workspace();
  const Approval& approval = *workspace.approvals.find(offset);
  decide_withdrawn(deciding.decided, workspace, deciding.number, offset);
  if (!approval.holds) return;
  const std::string_view what = approval.supersedes == Offset{} ? "its task" : "what it was to take the place of";
  post_notice(deciding, approval.asker,
              {.code = "approval.withdrawn",
               .about = {offset},
               .agents = {},
               .reason = "Nobody need decide it any more, and it goes to nobody: " + std::string(what) + " is over.",
               .id = approval.id.view()});
}

}  // namespace

bool escalates(const Workspace& workspace, const Approval& approval, const RulesetOf& ruleset_of) {
  if (approval.asker == AgentNumber{}) return true;
  const profile::Ruleset* const rules = ruleset_of(workspace.registry.agent(approval.asker).properties.profile);
  return !rules || !rules->approvals || rules->approvals->escalates;
}

void decide_overdue(const Deciding& deciding, Offset offset, const RulesetOf& ruleset_of) {
  const Workspace& workspace = deciding.workspace();
  const Approval& approval = *workspace.approvals.find(offset);
  if (approval.outlived()) return outlast(deciding, offset);
  const auto* const move = overdue_move(approval.state, escalates(workspace, approval, ruleset_of));
  PARLEY_ASSERT(move && move->to);
  const std::string id = base::quoted(approval.id.view()), time = base::to_text(approval.timeout);
  Saying saying;
  saying.by = profile::server_role;
  if (machine::approval::is_over(*move->to)) {
    lapse(deciding, offset, approval, *move->to);
    decide_withheld(deciding, offset, ruleset_of);
    saying.decision = decision_names[static_cast<std::size_t>(Decision::reject)];
    saying.text = "Nobody decided " + id +
                  " in its time, nor maintainers after it: rejected by time. Ask anew if it still matters.";
    saying.rationale = saying.text;
  } else {
    const Instant until = deciding.context.now + approval.timeout;
    escalate(deciding, offset, approval, *move->to, until);
    saying.text = "Nobody decided " + id + " within " + time + "; maintainers may until " + base::to_rfc3339(until) +
                  ", then it is rejected.";
  }
  tell(deciding, offset, *move, saying, ruleset_of);
  decide_review(deciding, offset, *move->to, saying.text);
  decide_escalated(deciding, offset, *move->to, saying.text, ruleset_of);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::ApprovalEscalated& event) {
  const Offset offset(event.approval());
  Approval& approval = workspace.approvals.at(offset);
  if (!approval.waits()) return;  // an earlier fact of the same turn has ended it
  state.timers.erase({approval.look_at(), TimerKind::approval_times_out, number, {}, offset});
  approval.state = static_cast<ApprovalState>(event.state());
  approval.due = base::instant_of(event.due());
  state.timers.insert({approval.look_at(), TimerKind::approval_times_out, number, {}, offset});
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::ApprovalLapsed& event,
           const Placed& placed) {
  end_approval(state, workspace, number, Offset(event.approval()), static_cast<ApprovalState>(event.state()), placed);
}

}  // namespace parley::engine
