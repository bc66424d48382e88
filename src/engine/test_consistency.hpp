// What must be so in every state, whatever happened: for tests. The receipts are the truth; mailboxes, timers, counts
// and ids must agree with them.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/state.hpp"
#include "engine/tasks/depend.hpp"

namespace parley::engine {

class Consistency {
 public:
  explicit Consistency(const State& state) : state_(state) {
    for (std::uint32_t i = 1; i <= state.workspaces.size(); ++i) workspace(WorkspaceNumber(i));
    std::set<Timer> timers;
    state.timers.visit([&](const Timer& timer) { return timers.insert(timer).second; });
    for (const Timer& timer : timers)
      if (!timers_wanted_.contains(timer) && !timers_allowed_.contains(timer))
        defect(timer.workspace, timer.message, "has a timer that stands for nothing");
    for (const Timer& timer : timers_wanted_)
      if (!timers.contains(timer)) defect(timer.workspace, timer.message, "lacks a timer");
  }
  std::vector<std::string> defects;

 private:
  struct Expected {
    std::vector<Offset> open;
    std::uint64_t bytes = 0;
    std::set<std::pair<SessionId, Offset>> leased;
    std::set<Offset> dead;
    std::uint64_t dead_bytes = 0;
    std::uint32_t held = 0;
    std::uint64_t held_bytes = 0;
  };

  void defect(WorkspaceNumber number, Offset offset, const std::string& what) {
    defects.push_back("message " + std::to_string(offset.value) + " of workspace " + std::to_string(number.value) +
                      ' ' + what);
  }

  static bool reached_anybody(const Message& message) {
    return std::ranges::any_of(message.receipts, [](const Receipt& r) { return r.state != ReceiptState::bounced; });
  }

  void workspace(WorkspaceNumber number) {
    const Workspace& workspace = state_.workspace(number);
    resources(number);
    std::map<AgentNumber, Expected> expected;
    std::size_t remembered = 0;
    std::uint64_t window = 0;
    workspace.messages.visit_after(Offset{}, [&](Offset offset, const Message& message) {
      for (const Receipt& receipt : message.receipts)
        take_in(number, offset, message, receipt, expected[receipt.agent]);
      if (message.remembered && ++remembered && workspace.message_of(message.id_key) != offset)
        defect(number, offset, "is not found by its id");
      if (offset > workspace.forgotten_through) ++window;
      if (offset > workspace.head) defect(number, offset, "lies behind the head");
      return true;
    });
    requests(number, workspace);
    errors(number, workspace);
    tasks(number, workspace);
    help(number, workspace);
    collaborations(number, workspace);
    approvals(number, workspace);
    if (state_.windows.of(number) != forgets_at(state_, number))
      defect(number, workspace.head, "another instant stands for the oldest that is remembered");
    if (window != workspace.window_size) defect(number, workspace.head, "the remembered window is miscounted");
    if (remembered != workspace.ids.size()) defect(number, workspace.head, "ids are kept of messages that are gone");
    for (std::uint32_t i = 1; i <= workspace.registry.agents.size(); ++i)
      agent(number, AgentNumber(i), expected[AgentNumber(i)]);
  }

  void requests(WorkspaceNumber number, const Workspace& workspace) {
    for (const auto& [offset, request] : workspace.requests.open()) {
      timers_wanted_.insert({request.due, TimerKind::request_times_out, number, {}, offset});
      const Message* const asks = workspace.messages.find(offset);
      if (request.waiting.empty() && asks && reached_anybody(*asks))
        defect(number, offset, "an answered request is open");
      if (!request.waiting.empty() && !workspace.requests.find(request.id.view(), request.waiting.front()))
        defect(number, offset, "a request is not found by its id");
      if (!workspace.requests.of(request.asker).contains(offset)) defect(number, offset, "not among its asker's");
      for (const auto& [agent, again] : request.again) {
        if (again.at != Instant{})
          timers_wanted_.insert({again.at, TimerKind::request_asks_again, number, agent, offset});
        if (!request.waits_for(agent)) defect(number, offset, "who has answered is asked again");
      }
      for (const AgentNumber agent : request.waiting) {
        if (!workspace.requests.is_awaited_from(agent, offset))
          defect(number, offset, "not among those that wait for an agent");
        if (workspace.registry.agent(agent).removed && !state_.unfinished.leaving.contains({number, agent}))
          defect(number, offset, "an answer is awaited from an agent that was removed");
      }
    }
  }

  void errors(WorkspaceNumber number, const Workspace& workspace) {
    for (const auto& [offset, error] : workspace.errors.all()) {
      if (workspace.registry.agent(error.agent).removed) defect(number, offset, "an agent that was removed waits");
      if (!workspace.errors.of(error.agent).contains(offset)) defect(number, offset, "an error is not its agent's");
      if (std::ranges::count(workspace.errors.find(error.id.view()), offset) != 1)
        defect(number, offset, "an error is not found by its id");
      if (workspace.errors.blocking().contains(offset) != error.blocks())
        defect(number, offset, "an error blocks and does not, or the other way round");
    }
  }

  void help(WorkspaceNumber number, const Workspace& workspace) {
    for (const auto& [offset, help] : workspace.help.all()) {
      if (help.due != Instant{}) timers_wanted_.insert({help.due, TimerKind::help_due, number, {}, offset});
      if (help.over() && help.due != Instant{}) defect(number, offset, "a request for help is over and looked at");
      if (help.over() == workspace.help.at_helper(help.helper()).contains(offset))
        defect(number, offset, "a request for help is not at its helper");
      if (!help.over() && !workspace.messages.find(offset)) defect(number, offset, "what asks for help is forgotten");
      const bool leaves = state_.unfinished.leaving.contains({number, help.helper()});
      if (!help.over() && workspace.registry.agent(help.helper()).removed && !leaves)
        defect(number, offset, "asks for help of who was removed");
    }
  }

  void collaborations(WorkspaceNumber number, const Workspace& workspace) {
    std::size_t together = 0;
    for (const auto& [offset, one] : workspace.collaborations.all()) {
      if (!one.is_open()) continue;
      ++together;
      const Help* const help = workspace.help.find(one.purpose);
      if (!help || help->over()) defect(number, offset, "a collaboration is open, and what it is about is over");
      if (help && (!one.has(help->asker) || !one.has(help->helper())))
        defect(number, offset, "who asks for help, or helps, takes no part in their collaboration");
    }
    if (together != workspace.collaborations.open()) defect(number, {}, "another number of collaborations is open");
  }

  void approvals(WorkspaceNumber number, const Workspace& workspace) {
    std::size_t waiting = 0;
    for (const auto& [offset, approval] : workspace.approvals.all()) {
      if (approval.waits())
        timers_wanted_.insert({approval.look_at(), TimerKind::approval_times_out, number, {}, offset});
      if (approval.waits()) ++waiting;
    }
    if (waiting != workspace.approvals.waiting()) defect(number, workspace.head, "waiting approvals are miscounted");
  }

  void tasks(WorkspaceNumber number, const Workspace& workspace) {
    std::size_t open_tasks = 0;
    std::map<Offset, std::uint8_t> needed;
    Scopes scopes;
    for (const auto& [offset, task] : workspace.tasks.all()) {
      const bool over = machine::task::is_over(task->state);
      const bool worked_on = !over && !is_set_aside(task->state);
      if (!over) ++open_tasks;
      if (worked_on) scopes.add(offset, task->terms.scope);
      if (over != (task->over_at != Offset{}))
        defect(number, offset, "a task is over and is not, or the other way round");
      if (worked_on != workspace.tasks.of(task->assignee).contains(offset))
        defect(number, offset, "a task is not its assignee's");
      if (workspace.tasks.find(task->id.view()) != offset) defect(number, offset, "a task is not found by its id");
      if (task->epoch != task->assignments.size()) defect(number, offset, "a task's epoch is not its assignments");
      if (workspace.tasks.of_assignment(task->assignment()) != offset) defect(number, offset, "an assignment is lost");
      const bool awaits_human = task->state == TaskState::held || task->state == TaskState::escalated;
      if (awaits_human != (task->held != Offset{}))
        defect(number, offset, "a task is held by no message, or held and is not");
      const Approval* const approval = workspace.approvals.find(task->held);
      if (task->held != Offset{} &&
          !(approval && approval->holds == (task->state == TaskState::held) && approval->waits()))
        defect(number, offset, "a task is held for no decision");
      if (is_kept_back(task->state)) kept_back(number, workspace, *task, offset);
      if (over && task->due != Instant{}) defect(number, offset, "a task that is over is watched");
      if (task->due != Instant{}) timers_wanted_.insert({task->due, TimerKind::task_due, number, {}, offset});
      for (const Offset wanted : {task->needed().order, task->needed().offer, task->needed().split})
        if (wanted != Offset{}) ++needed[wanted];
      const Agent& assignee = workspace.registry.agent(task->assignee);
      if (worked_on && assignee.removed && !state_.unfinished.leaving.contains({number, task->assignee}))
        defect(number, offset, "a task of an agent that was removed is open");
      const AgentNumber target = task->offer ? task->offer->target : AgentNumber{};
      if (target != AgentNumber{} && workspace.registry.agent(target).removed &&
          !state_.unfinished.leaving.contains({number, target}))
        defect(number, offset, "a task is offered to an agent that was removed");
    }
    if (scopes != workspace.tasks.scopes()) defect(number, workspace.head, "scopes are not those of the tasks");
    reviews(number, workspace);
    for (const auto& [offset, help] : workspace.help.all())
      if (!help.over()) ++needed[offset];
    workspace.messages.visit_after(Offset{}, [&](Offset offset, const Message& message) {
      const auto at = needed.find(offset);
      if (message.needed != (at == needed.end() ? 0 : at->second)) defect(number, offset, "is needed by others");
      if (at != needed.end()) needed.erase(at);
      return true;
    });
    for (const auto& [offset, count] : needed) defect(number, offset, "is needed and was forgotten");
    if (open_tasks != workspace.tasks.open()) defect(number, workspace.head, "open tasks are miscounted");
  }

  // COL-10.
  void kept_back(WorkspaceNumber number, const Workspace& workspace, const Task& task, Offset offset) {
    const Message* const order = workspace.messages.find(task.assignment());
    const Receipt* const receipt = order ? order->receipt_of(task.assignee) : nullptr;
    if (!receipt || receipt->state != ReceiptState::held) defect(number, offset, "a task waits and its order does not");
    if (stands_otherwise(workspace, task) && (task.due == Instant{} || task.due > state_.now))
      defect(number, offset, "a task waits for what is over, and nobody looks");
    const TaskDependencies* const all = workspace.dependencies.find(task.id.view());
    if (!all) return;
    for (const Dependency& on : all->on) {
      const auto known = workspace.tasks.find(on.id.view());
      if (known && workspace.tasks.at(*known).state != on.state)
        defect(number, offset, "a dependency is remembered otherwise than it stands");
    }
  }

  void reviews(WorkspaceNumber number, const Workspace& workspace) {
    for (const auto& [offset, task] : workspace.tasks.all()) {
      const auto waiting = workspace.reviews.waiting(offset);
      if (waiting.has_value() != (task->state == TaskState::in_review))
        defect(number, offset, "a task is in review and is not, or the other way round");
      const bool judged = waiting && workspace.reviews.at(*waiting).state == ReviewState::requested;
      const AgentNumber asked = judged ? workspace.reviews.at(*waiting).reviewer : AgentNumber{};
      if (task->reviewer != asked) defect(number, offset, "a task is reviewed by another than was asked");
      if (task->due != Instant{} && waiting) defect(number, offset, "a task in review is watched");
    }
    for (const auto& [offset, review] : workspace.reviews.all()) {
      if (!workspace.tasks.all().contains(review.task)) defect(number, offset, "a review is kept without its task");
      if (workspace.reviews.find(review.id.view()) != offset) defect(number, offset, "a review is not found by its id");
      const bool asked = review.state == ReviewState::requested;
      if (asked != workspace.reviews.of(review.reviewer).contains(offset))
        defect(number, offset, "a review is not its reviewer's");
      if ((review.state == ReviewState::escalated) != (workspace.reviews.of_approval(review.ended_by) == offset))
        defect(number, offset, "a review is not its approval's");
      if (asked) timers_wanted_.insert({review.due, TimerKind::review_times_out, number, {}, offset});
      const bool leaves = state_.unfinished.leaving.contains({number, review.reviewer});
      if (asked && workspace.registry.agent(review.reviewer).removed && !leaves)
        defect(number, offset, "a review waits for an agent that was removed");
    }
  }

  void take_in(WorkspaceNumber number, Offset offset, const Message& message, const Receipt& receipt, Expected& at) {
    if (receipt.state == ReceiptState::held) {
      ++at.held;
      at.held_bytes += message.length;
      const Approval* const approval = state_.workspace(number).approvals.find(offset);
      const auto of_task = state_.workspace(number).tasks.of_assignment(offset);
      const Task* const task = of_task ? &state_.workspace(number).tasks.at(*of_task) : nullptr;
      const bool kept_back = task && is_kept_back(task->state) && task->assignment() == offset;
      if (!kept_back && (!approval || !approval->holds || !approval->waits()))
        defect(number, offset, "is held for no decision");
    }
    if (receipt.state == ReceiptState::dead && at.dead.insert(offset).second) at.dead_bytes += message.length;
    if (!open(receipt.state)) return;
    at.open.push_back(offset);
    at.bytes += message.length;
    const Timer expiry{message.expires_at, TimerKind::message_expires, number, {}, offset};
    // A leased one may outlive its time: it ends when the lease does.
    if (message.expires()) (receipt.state == ReceiptState::leased ? timers_allowed_ : timers_wanted_).insert(expiry);
    if (receipt.state == ReceiptState::leased) at.leased.insert({receipt.session, offset});
    if (receipt.state != ReceiptState::queued) {
      const auto kind = receipt.state == ReceiptState::leased ? TimerKind::lease_ends : TimerKind::backoff_ends;
      timers_wanted_.insert({receipt.until, kind, number, receipt.agent, offset});
    }
  }

  // HND-12: what agents are given is what their open tasks may still use, and all together the workspace's.
  void resources(WorkspaceNumber number) {
    const Workspace& workspace = state_.workspace(number);
    BudgetTotal total;
    for (std::uint32_t i = 1; i <= workspace.registry.agents.size(); ++i) {
      const AgentNumber agent_number(i);
      const Agent& agent = workspace.registry.agent(agent_number);
      Resources wanted = agent.resources ? *agent.resources.get() : Resources{};
      for (Allocation& allocation : wanted.allocations) allocation.outstanding = {};
      wanted.overdrawn = 0;
      for (const auto& [offset, task] : workspace.tasks.all()) {
        if (!is_at_work(*task) || !task->shares || task->assignee != agent_number) continue;
        const Shares& shares = *task->shares.get();
        for (const Resource resource : spendable) wanted.of(resource).outstanding.add(shares.of(resource).left());
        total.outstanding.add(shares.budget.left());
        if (shares.tokens.overdrawn() || shares.budget.overdrawn()) ++wanted.overdrawn;
      }
      total.consumed.add(wanted.of(Resource::budget).consumed);
      const Resources there = agent.resources ? *agent.resources.get() : Resources{};
      if (there.allocations != wanted.allocations || there.overdrawn != wanted.overdrawn)
        defects.push_back("agent '" + agent.id + "': what its tasks may use is miscounted");
    }
    if (total != workspace.budget) defects.push_back("the budget of '" + workspace.name + "' is miscounted");
  }

  void agent(WorkspaceNumber number, AgentNumber agent_number, const Expected& expected) {
    const Agent& agent = state_.workspace(number).registry.agent(agent_number);
    const auto of_agent = [&](const std::string& what) {
      defects.push_back("agent '" + agent.id + "' of workspace " + std::to_string(number.value) + ": " + what);
    };
    if (agent.mailbox.open() != expected.open) of_agent("the mailbox holds other messages than are open");
    if (agent.open_messages != expected.open.size()) of_agent("open messages are miscounted");
    if (agent.held_messages != expected.held || agent.held_bytes != expected.held_bytes)
      of_agent("held messages are miscounted");
    if (agent.open_bytes != expected.bytes) of_agent("open bytes are miscounted");
    const bool leaving = state_.unfinished.leaving.contains({number, agent_number});
    if (const Health* health = agent.health.get()) {
      if (health->look_at != Instant{})
        timers_wanted_.insert({health->look_at, TimerKind::health_is_looked_at, number, agent_number, {}});
      if (agent.removed) of_agent("was removed and has a health");
      if (health->silent && health->look_at != Instant{}) of_agent("is silent and still listened for");
    }
    if (agent.removed && !leaving && !expected.open.empty()) of_agent("was removed and has mail");
    if (!agent.removed && leaving) of_agent("leaves and was not removed");
    if (agent.removed && state_.unfinished.offline.contains({number, agent_number}))
      of_agent("was removed and its work goes back by two ways");
    std::set<std::pair<SessionId, Offset>> leased;
    for (const SessionId session : agent.mailbox.sessions()) {
      const auto offsets = agent.mailbox.leased_to(session);
      if (offsets.size() != agent.mailbox.leased_count(session)) of_agent("leases are miscounted");
      for (const Offset offset : offsets) leased.insert({session, offset});
    }
    if (leased != expected.leased) of_agent("other messages are leased than the receipts say");
    std::set<Offset> dead;
    for (const auto& [offset, letter] : agent.dead_letters) dead.insert(offset);
    if (dead != expected.dead) of_agent("dead letters and receipts differ");
    if (agent.dead_bytes != expected.dead_bytes) of_agent("bytes of dead letters are miscounted");
    std::size_t tokens = 0;
    for (const auto& [hash, credential] : state_.credentials)
      if (credential.workspace == number && credential.agent == state_.workspace(number).registry.find_agent(agent.id))
        ++tokens;
    if (!agent.removed && tokens != agent.tokens.size()) of_agent("tokens are miscounted");
    for (const auto& [offset, attempts] : agent.attempts)
      if (!std::binary_search(expected.open.begin(), expected.open.end(), offset))
        of_agent("attempts of a closed message are kept");
    for (const auto& [id, lane] : agent.mailbox.lanes()) check_lane(lane, of_agent);
  }

  template <class Report>
  static void check_lane(const Lane& lane, const Report& report) {
    Lane::Counts unleased{};
    std::size_t leased = 0;
    Offset last;
    for (const Lane::Item& item : lane) {
      if (item.offset <= last) report("a lane is out of order");
      last = item.offset;
      if (item.state == Lane::State::leased)
        ++leased;
      else
        ++unleased[static_cast<std::size_t>(item.priority)];
    }
    if (unleased != lane.unleased() || lane.leased() != (leased > 0)) report("a lane is miscounted");
    const auto head = std::find_if(lane.begin(), lane.end(),
                                   [](const Lane::Item& item) { return item.state != Lane::State::leased; });
    if (head != lane.head()) report("a lane's head is another");
    if (lane.empty()) report("an empty lane is kept");
  }

  const State& state_;
  std::set<Timer> timers_wanted_, timers_allowed_;
};

inline std::vector<std::string> inconsistencies(const State& state) {
  return Consistency(state).defects;
}

}  // namespace parley::engine
