#include "engine/tasks/follow.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/approvals/held.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/health/availability.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/messages/fields.hpp"
#include "engine/policy/policy.hpp"
#include "engine/resources/allot.hpp"
#include "engine/reviews/revision.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/evidence.hpp"
#include "engine/tasks/handoff.hpp"
#include "engine/tasks/moves.hpp"
#include "engine/tasks/overlap.hpp"
#include "engine/tasks/parts.hpp"
#include "engine/tasks/refusal.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

using envelope::field;
using envelope::Kind;
using envelope::unquoted;
using machine::task::Move;

constexpr std::size_t superseded_max = 10'000;  // messages of an aborted one

bool is_about_a_task(Kind kind) {
  switch (kind) {
    case Kind::task_assign:
    case Kind::task_ack:
    case Kind::task_progress:
    case Kind::task_complete:
    case Kind::task_fail:
    case Kind::task_abort:
    case Kind::task_handoff:
    case Kind::task_handoff_reply:
      return true;
    default:
      return false;
  }
}

// One message at the task's table.
class Follow {
 public:
  Follow(const AcceptMessage& command, const Workspace& workspace, const std::vector<AgentNumber>& to, Holding holding,
         const Context& context, Decided& decided, std::vector<base::Problem>& warnings)
      : command_(command),
        workspace_(workspace),
        to_(to),
        context_(context),
        decided_(decided),
        warnings_(warnings),
        policy_(policy_of(*command.ruleset.tasks, workspace.settings.task_times)),
        facts_{policy_.needs_ack, false, {}, holding.hold, {}},
        released_(holding.message) {}

  using Moved = base::Result<TaskMove>;

  Moved assign() {
    if (to_.size() != 1) return nullptr;  // work for several is several tasks
    const auto known = task_named(command_, workspace_);
    if (known) {
      const Task& task = workspace_.tasks.at(*known);
      PARLEY_CHECK(check_newest(task));
      facts_.supersedes = supersedes_order(command_, task);
      PARLEY_CHECK(move_of(task));
      PARLEY_CHECK(check_revision(command_, workspace_, *known));
      PARLEY_CHECK(check_times(task));
    }
    PARLEY_CHECK(check_task_room(workspace_, command_.sender, goes_on(known)));
    PARLEY_TRY(const auto on, dependencies_of(command_, workspace_));
    facts_.readiness = readiness_of(on);
    if (known) PARLEY_CHECK(move_of(workspace_.tasks.at(*known)));  // what went out is not replaced by what must wait
    const TaskState from = known ? workspace_.tasks.at(*known).state : TaskState::none;
    const std::uint32_t epoch = known ? workspace_.tasks.at(*known).epoch : 0;
    return assigned(known.value_or(Offset{}), epoch + 1, *move_on(Kind::task_assign, from, facts_)->to, on);
  }

  Moved answer() {  // an acknowledgment, of whatever message
    const std::string_view id = unquoted(field(command_.envelope, "message"));
    const auto message = workspace_.message_of(id_key_of(id));
    if (!message) warn_of_nothing(id);
    const auto known = message ? workspace_.tasks.of_assignment(*message) : std::nullopt;
    if (!known) return nullptr;
    const Task& task = workspace_.tasks.at(*known);
    if (*message != task.assignment()) return std::unexpected(stale_order(command_, workspace_, task));
    const std::string_view accepted = field(command_.envelope, "accepted");
    if (accepted != "true" && accepted != "false") return nullptr;  // of a lenient workspace: it says neither
    facts_.accepted = accepted == "true";
    if (*facts_.accepted) warn_of_unread(task);
    return moved(*known, task, task.assigner);
  }

  Moved report(bool must_arrive) {
    PARLEY_TRY(const Offset known, known_task());
    const Task& task = workspace_.tasks.at(known);
    if (answers_an_older_order(task)) return std::unexpected(stale_order(command_, workspace_, task));
    if (command_.envelope.kind == Kind::task_complete) PARLEY_CHECK(check_decided(task));
    // R5: of a lenient workspace, and the task never was held by it.
    if (facts_.hold == Hold::released && task.held != released_) facts_.hold = Hold::none;
    // What held it is taken back by this very message: as if it had never come (BEY-03).
    facts_.in_part = is_in_part(command_);
    const bool resumed =
        task.state == TaskState::held && command_.supersedes && command_.supersedes->message == task.held;
    const TaskState from = resumed ? TaskState::active : task.state;
    auto move = moved(known, task, must_arrive ? task.assigner : AgentNumber{}, from);
    if (move && must_arrive) PARLEY_CHECK(check_evidence(command_, task));
    return move;
  }

  Moved offer() {
    PARLEY_TRY(const Offset known, known_task());
    const Task& task = workspace_.tasks.at(known);
    facts_.offered = task.offer && !workspace_.registry.agent(task.offer->target).removed;
    PARLEY_TRY(auto move, moved(known, task, AgentNumber{}));
    if (to_.size() != 1 || to_.front() == task.assignee)
      return std::unexpected(offered_to_itself(command_, workspace_, task));
    PARLEY_CHECK(check_times(task));
    PARLEY_CHECK(
        write_offer(command_.envelope, workspace_, to_.front(), context_.now, *move->mutable_offer(), warnings_));
    event::TaskMoved as_taken;  // it must be there to be offered, too
    PARLEY_CHECK(allot(workspace_, {to_.front(), &task, true, wanted_in(command_)}, as_taken));
    const TaskOffer offer = read_offer(Offset(1), move->offer());
    come_to(task.state, heard(task), *move, &offer);
    return move;
  }

  Moved answer_offer() {
    const auto request = workspace_.message_of(id_key_of(command_.envelope.correlation));
    const auto known = request ? workspace_.tasks.of_offer(*request) : std::nullopt;
    if (!known) return std::unexpected(no_offer(command_));
    const Task& task = workspace_.tasks.at(*known);
    if (task.offer->due != Instant{} && task.offer->due <= context_.now)
      return std::unexpected(no_offer(command_));  // its timer comes late
    facts_.accepted = field(command_.envelope, "accepted") == "true";
    PARLEY_TRY(auto move, moved(*known, task, task.assignee));
    if (*facts_.accepted) {
      PARLEY_CHECK(may_take_over(*request));
      PARLEY_CHECK(check_kept(command_.envelope, *task.offer, warnings_));
      PARLEY_CHECK(afford(task, *move));
      move->set_epoch(task.epoch + 1);
      move->set_assignee(command_.sender.value);
    }
    auto& offer = *move->mutable_offer();
    offer.set_state(*facts_.accepted ? event::TaskOffer::ACCEPTED : event::TaskOffer::DECLINED);
    TaskWatch watch = *facts_.accepted ? heard(task) : task.watch;
    come_to(static_cast<TaskState>(move->state()), watch, *move, nullptr,
            *facts_.accepted ? context_.now : spoke_at(task));
    return move;
  }

  Moved abort() {
    if (unquoted(field(command_.envelope, "scope")) != "task") return nullptr;  // of a session (session.hpp)
    PARLEY_TRY(const Offset known, known_task());
    const Task& task = workspace_.tasks.at(known);
    return moved(known, task, task.assignee);
  }

 private:
  base::Result<Offset> known_task() const {
    if (const auto known = task_named(command_, workspace_)) return *known;
    return std::unexpected(task_unknown(command_, workspace_, command_.envelope.task));
  }

  // HND-12: what was offered may be more than its target still has.
  base::Result<> afford(const Task& task, event::TaskMoved& move) const {
    auto allotted = allot(workspace_, {command_.sender, &task, true, agreed(*task.offer)}, move);
    if (!allotted) allotted.error().hint = "Accept the offer with constraints that ask for less; or decline it.";
    return allotted;
  }

  // HND-05, HND-13: who would be given nothing new takes nothing over either.
  base::Result<> may_take_over(Offset offer) const {
    const Agent& agent = workspace_.registry.agent(command_.sender);
    auto checked = check_takes_over(workspace_.settings, agent, offer, context_.now);
    if (!checked) checked.error().hint = "Accept the offer once you take new work again; or decline it.";
    return checked;
  }

  // SUP-05: who has asked a human about a task does not end it well before the answer.
  base::Result<> check_decided(const Task& task) const {
    if (workspace_.approvals.waiting(command_.sender) == 0) return {};
    const auto taken_back = superseded_by(command_);  // and their questions with them
    for (const auto& [offset, approval] : workspace_.approvals.all())
      if (approval.waits() && !approval.holds && approval.asker == command_.sender && approval.task == task.id.view() &&
          std::ranges::find(taken_back, offset) == taken_back.end())
        return std::unexpected(undecided(command_, workspace_, task, approval, facts_.hold == Hold::released));
    return {};
  }

  // The task that it is given anew for, or whose order it takes the place of; null: none.
  const Task* goes_on(std::optional<Offset> known) const {
    const TakeBack* const before = in_force(command_);
    if (known) return &workspace_.tasks.at(*known);
    const auto of_order = before ? workspace_.tasks.of_assignment(before->message) : std::nullopt;
    if (!of_order) return nullptr;
    const Task& task = workspace_.tasks.at(*of_order);
    const bool stands = task.assignment() == before->message || task.ordered == before->message;
    return stands ? &task : nullptr;  // else it was given anew since, and stays
  }

  // COL-17: what reports on an order that was replaced since is no report on the newest.
  bool answers_an_older_order(const Task& task) const {
    const std::string& id = command_.envelope.reply_to;
    if (id.empty() || task.assignments.size() < 2) return false;
    const auto answered = workspace_.message_of(id_key_of(id));
    return answered && *answered != task.assignment() &&
           std::ranges::find(task.assignments, *answered) != task.assignments.end();
  }

  // An order that was held is none any more where another was given meanwhile: assignments rise (BEY-03).
  base::Result<> check_newest(const Task& task) const {
    if (facts_.hold != Hold::released || task.assignment() < released_) return {};
    return std::unexpected(stale_order(command_, workspace_, task));
  }

  static base::Result<> check_times(const Task& task) {
    if (task.assignments.size() < assignments_max) return {};
    return base::fail(base::ErrorCode::TASKS_FULL,
                      "task '" + base::excerpt(task.id.view(), 128) + "' was given to somebody " +
                          std::to_string(task.assignments.size()) + " times, which is the limit",
                      "task", "Assign the work as a new task.");
  }

  base::Result<const Move*> move_of(const Task& task) const { return move_of(task, task.state); }
  base::Result<const Move*> move_of(const Task& task, TaskState from) const {
    const Move* const move = move_on(command_.envelope.kind, from, facts_);
    const bool assigner_removed = workspace_.registry.agent(task.assigner).removed;
    if (!move || !is_party(move->by, task, command_.sender, assigner_removed))
      return std::unexpected(no_move(command_, workspace_, task));
    return move;
  }

  Moved assigned(Offset offset, std::uint32_t epoch, TaskState to, const std::vector<Dependency>& on) const {
    const TaskWatch watch{.assigned_at = context_.now,
                          .began_at = {},
                          .heard_at = context_.now,
                          .deadline = instant_in(command_.envelope, "deadline").value_or(Instant{}),
                          .timeout = wait_in(command_.envelope, "timeout_seconds", std::chrono::seconds(1),
                                             policy_.timeout, longest_timeout)};
    auto move = decided_.task_moved();
    event::TaskMoved& moved = *move;
    moved.set_task(offset.value);
    moved.set_epoch(epoch);
    moved.set_assigner(command_.sender.value);
    moved.set_assignee(to_.front().value);
    if (watch.deadline != Instant{}) {
      warn_if_over(watch.deadline, context_.now, warnings_);
      moved.set_deadline(base::unix_us(watch.deadline));
    }
    moved.set_timeout(watch.timeout.count());
    PARLEY_CHECK(write_terms(command_.envelope, moved));
    moved.set_max_iterations(iterations_in(command_.envelope));
    write_policy(command_, workspace_, moved, warnings_);
    const Task* const before = offset == Offset{} ? nullptr : &workspace_.tasks.at(offset);
    PARLEY_CHECK(allot(workspace_, {to_.front(), before, false, wanted_in(command_)}, moved));
    come_to(to, watch, moved, nullptr);
    for (const std::string& id : texts_in(command_.envelope, "dependencies")) moved.add_depends_on(id);
    PARLEY_TRY(const auto whole, split_answered(command_, workspace_, released_));
    if (whole) moved.set_part_of(whole->value);
    if (to == TaskState::waiting) moved.set_why("it waits for " + pending(on, false));
    if (to == TaskState::blocked) moved.set_why("it cannot begin: " + why_blocked(workspace_, on));
    if (const std::string shared = overlaps(workspace_, command_.envelope.task, moved.scope(), on); !shared.empty())
      warnings_.push_back({"", "SCOPE_OVERLAP", "Its scope overlaps " + shared + ": both may change the same files."});
    if (const std::string results = pending(on, true); !results.empty())
      warnings_.push_back({"", "RESULTS_PENDING", "Results that it may need are pending: of " + results + "."});
    return move;
  }

  // Who has mistaken the id would believe that the task has begun.
  void warn_of_nothing(std::string_view id) const {
    warnings_.push_back(
        {"", "ANSWERS_NOTHING",
         "It is delivered, and no message '" + base::excerpt(id, 128) + "' is known here that it could acknowledge."});
  }

  void warn_of_unread(const Task& task) const {
    const auto unread = unread_files(command_.envelope, task);
    if (unread.empty()) return;
    std::string names;
    for (const std::string& path : unread) {
      names += (names.empty() ? "'" : ", '") + base::excerpt(path, 128) + "'";
      if (names.size() > 512) break;
    }
    warnings_.push_back({"", "REFERENCE_UNREAD",
                         "Of the task's reference files, files_read lacks " + names + ": read them before you begin."});
  }

  // `must_reach`: 0 for nobody.
  Moved moved(Offset offset, const Task& known, AgentNumber must_reach) const {
    return moved(offset, known, must_reach, known.state);
  }
  Moved moved(Offset offset, const Task& known, AgentNumber must_reach, TaskState from) const {
    PARLEY_TRY(const Move* const move, move_of(known, from));
    const bool reaches = must_reach == AgentNumber{} || workspace_.registry.agent(must_reach).removed ||
                         std::binary_search(to_.begin(), to_.end(), must_reach);
    if (!reaches) return std::unexpected(goes_past(command_, workspace_, known, must_reach));
    auto moved = decided_.task_moved();
    moved->set_task(offset.value);
    moved->set_epoch(known.epoch);
    come_to(move->to.value_or(from), heard(known), *moved, known.offer.get());
    return moved;
  }

  // What the acceptance states, else what was offered.
  WantedAmounts agreed(const TaskOffer& offer) const {
    WantedAmounts wanted = wanted_in(command_);
    if (!wanted.tokens && offer.max_tokens) wanted.tokens = amount_of(*offer.max_tokens);
    if (!wanted.budget && offer.budget) wanted.budget = amount_of(*offer.budget);
    return wanted;
  }

  TaskWatch heard(const Task& task) const {
    TaskWatch watch = task.watch;
    watch.heard_at = context_.now;
    if (watch.began_at == Instant{}) watch.began_at = context_.now;
    return watch;
  }

  Instant spoke_at(const Task& task) const { return workspace_.registry.agent(task.assignee).spoke_at; }

  void come_to(TaskState state, const TaskWatch& watch, event::TaskMoved& moved, const TaskOffer* offer,
               Instant spoke_at = {}) const {
    moved.set_state(static_cast<std::uint32_t>(state));
    moved.set_late(watch.late);
    moved.clear_due();
    const Instant due = is_kept_back(state)
                            ? due_while_kept_back(watch, command_.envelope.expires_at.value_or(Instant{}))
                            : due_of(state, watch, policy_, offer, spoke_at);
    if (due != Instant{}) moved.set_due(base::unix_us(due));
  }

  const AcceptMessage& command_;
  const Workspace& workspace_;
  const std::vector<AgentNumber>& to_;
  const Context& context_;
  Decided& decided_;
  std::vector<base::Problem>& warnings_;
  const profile::TaskPolicy policy_;
  TaskFacts facts_;
  const Offset released_;
};

Follow::Moved moved_by(const AcceptMessage& command, const Workspace& workspace, const std::vector<AgentNumber>& to,
                       Holding holding, const Context& context, Decided& decided,
                       std::vector<base::Problem>& warnings) {
  const Kind kind = command.envelope.kind;
  Follow follow(command, workspace, to, holding, context, decided, warnings);
  if (kind == Kind::task_ack) return follow.answer();
  if (kind == Kind::task_handoff_reply) return follow.answer_offer();
  if (command.envelope.task.empty()) return nullptr;
  if (kind == Kind::task_assign) return follow.assign();
  if (kind == Kind::task_abort) return follow.abort();
  if (kind == Kind::task_handoff) return follow.offer();
  return follow.report(kind != Kind::task_progress);
}

}  // namespace

base::Result<> check_task_room(const Workspace& workspace, AgentNumber assigner, const Task* goes_on) {
  const bool counts = goes_on && !machine::task::is_over(goes_on->state);
  if (counts && goes_on->assigner == assigner) return {};
  const std::size_t own = workspace.tasks.assigned_by(assigner);
  const std::size_t most = std::max<std::size_t>(10, workspace.settings.tasks / 10);  // a tenth for each (D11)
  if (own >= most)
    return base::fail(base::ErrorCode::TASKS_FULL,
                      "'" + workspace.registry.agent(assigner).id + "' has assigned " + std::to_string(own) +
                          " tasks that are open; the limit is " + std::to_string(most),
                      "task");
  if (counts || workspace.tasks.open() < workspace.settings.tasks) return {};
  return base::fail(base::ErrorCode::TASKS_FULL,
                    "'" + workspace.name + "' has " + std::to_string(workspace.tasks.open()) +
                        " open tasks; the limit is " + std::to_string(workspace.settings.tasks),
                    "task");
}

namespace {

// By what it answers, an order or an offer; else by the task's own id.
std::optional<Offset> named_by(const AcceptMessage& command, const Workspace& workspace) {
  const bool acknowledges = command.envelope.kind == Kind::task_ack;
  if (acknowledges || command.envelope.kind == Kind::task_handoff_reply) {
    const auto answered = workspace.message_of(
        id_key_of(acknowledges ? unquoted(field(command.envelope, "message")) : command.envelope.correlation));
    const auto of = !answered      ? std::nullopt
                    : acknowledges ? workspace.tasks.of_assignment(*answered)
                                   : workspace.tasks.of_offer(*answered);
    if (of) return of;
  }
  return task_named(command, workspace);
}

}  // namespace

base::Result<TaskMove> task_move(const AcceptMessage& command, const Workspace& workspace,
                                 const std::vector<AgentNumber>& to, Holding holding, const Context& context,
                                 Decided& decided, std::vector<base::Problem>& warnings) {
  if (!is_about_a_task(command.envelope.kind) || !command.ruleset.tasks) return nullptr;
  return moved_by(command, workspace, to, holding, context, decided, warnings);
}

void name_legal_moves(base::Error& error, const AcceptMessage& command, const Workspace& workspace) {
  if (!error.legal_next.empty() || !command.ruleset.tasks) return;
  if (const auto known = named_by(command, workspace))
    error.legal_next = legal_next(workspace, workspace.tasks.at(*known), command.ruleset, command.sender);
  else if (command.envelope.kind == Kind::task_assign)
    error.legal_next = types_of(command.ruleset, {Kind::task_assign}, workspace.registry.agent(command.sender));
}

void decide_order_over(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message,
                       const Task& task) {
  decide_taken_back(decided, workspace, number, task.assignment(), task.assignee, message, is_kept_back(task.state));
}

void decide_offer_ended(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset by,
                        const Task& task) {
  if (task.offer) decide_taken_back(decided, workspace, number, task.offer->request, task.offer->target, by);
}

void decide_orders_over(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message,
                        const event::TaskMoved& moved, LaneId lane) {
  if (moved.task() != 0 && machine::task::is_over(static_cast<TaskState>(moved.state())))
    decide_offer_ended(decided, workspace, number, message, workspace.tasks.at(Offset(moved.task())));
  if (moved.assignee() != 0 && moved.task() != 0)
    return decide_order_over(decided, workspace, number, message, workspace.tasks.at(Offset(moved.task())));
  if (static_cast<TaskState>(moved.state()) != TaskState::aborted) return;
  if (const Offset held = workspace.tasks.at(Offset(moved.task())).held; held != Offset{})
    decide_withdrawn(decided, workspace, number, held);
  if (is_kept_back(workspace.tasks.at(Offset(moved.task())).state))
    return decide_order_over(decided, workspace, number, message, workspace.tasks.at(Offset(moved.task())));
  if (lane == LaneId{}) return;
  std::size_t left = superseded_max;
  for (std::uint32_t i = 1; i <= workspace.registry.agents.size() && left > 0; ++i) {
    const Lanes& lanes = workspace.registry.agent(AgentNumber(i)).mailbox.lanes();
    const auto at = lanes.find(lane);
    if (at == lanes.end()) continue;
    event::MessagesSuperseded& event = *decided.add(number).mutable_messages_superseded();
    event.set_agent(i);
    event.set_by(message.value);
    for (auto item = at->second.begin(); item != at->second.end() && left > 0; ++item, --left) {
      event.add_offsets(item->offset.value);
      decided.leaves(number, AgentNumber(i), item->offset, workspace.messages.at(item->offset).length);
    }
  }
}

}  // namespace parley::engine
