#include "engine/reviews/follow.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/messages/fields.hpp"
#include "engine/reviews/limit.hpp"
#include "engine/reviews/moves.hpp"
#include "engine/reviews/verdict.hpp"
#include "engine/runners/evidence.hpp"
#include "engine/steps.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/moves.hpp"
#include "engine/tasks/refusal.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using base::quoted;
using envelope::Kind;

constexpr std::size_t id_bytes_max = 512;

Timer timer_of(WorkspaceNumber number, Offset offset, Instant due) {
  return {due, TimerKind::review_times_out, number, {}, offset};
}

base::Duration timeout_of(const profile::ReviewPolicy& policy, const Settings& settings) {
  return settings.reviews.timeout.value_or(policy.timeout);
}

// One message at the review's table.
class Follow {
 public:
  Follow(const AcceptMessage& command, const Workspace& workspace, const std::vector<AgentNumber>& to,
         const Context& context)
      : command_(command), workspace_(workspace), to_(to), context_(context) {}

  using Step = base::Result<std::optional<ReviewStep>>;

  Step request(const std::string& id) const {
    const std::string& of_task = command_.envelope.task;
    const auto known = workspace_.tasks.find(of_task);
    if (!known) return std::unexpected(task_unknown(command_, workspace_, of_task));
    const Task& task = workspace_.tasks.at(*known);
    PARLEY_TRY(const TaskState state, state_after(task, {}));
    if (to_.size() != 1)
      return std::unexpected(
          refusal(ErrorCode::NOT_PARTY, command_, workspace_, task, "a review is asked of one agent"));
    const ReviewedTask* const reviewed = workspace_.reviews.of_task(*known);
    PARLEY_CHECK(check_reviewer(task, reviewed));
    PARLEY_CHECK(check_id(id));
    const std::size_t before = reviewed ? reviewed->reviews.size() : 0;
    if (before >= reviews_max)
      return base::fail(ErrorCode::REVIEWS_FULL,
                        "task " + quoted(of_task) + " was reviewed " + std::to_string(before) + " times", "task");
    PARLEY_CHECK(check_task_room(workspace_, task.assigner, &task));

    ReviewStep step{{}, moved_task(*known, task, state)};
    const Instant due = context_.now + timeout_of(*command_.ruleset.reviews, workspace_.settings);
    step.review.set_state(static_cast<std::uint32_t>(*review_move_on(command_.envelope.kind, {}, {})->to));
    step.review.set_task(known->value);
    step.review.set_asker(command_.sender.value);
    step.review.set_reviewer(to_.front().value);
    step.review.set_id(id);
    step.review.set_iteration(static_cast<std::uint32_t>(before + 1));
    step.review.set_author(task.assignee.value);
    step.review.set_due(base::unix_us(due));
    PARLEY_CHECK(write_criteria(command_, step.review));
    return step;
  }

  Step result(const std::string& id, std::vector<base::Problem>& warnings) const {
    const auto known = workspace_.reviews.find(id);
    if (!known) return std::unexpected(unknown("no review " + quoted(id) + " was asked for here"));
    const Review& review = workspace_.reviews.at(*known);
    const Task& task = workspace_.tasks.at(review.task);
    if (command_.envelope.task != task.id.view())
      return std::unexpected(unknown("review " + quoted(id) + " is of task " + quoted(task.id.view()) + ", not of " +
                                     quoted(command_.envelope.task)));
    if (review.reviewer != command_.sender) return std::unexpected(asked_of_another(review, task));
    const ReviewState verdict = verdict_of();
    const ReviewState outcome =
        outcome_of(verdict, review.iteration, iterations_of(command_, task), workspace_.settings.reviews.escalation);
    const machine::review::Move* const move = review_move_on(command_.envelope.kind, review.state, outcome);
    if (!move && review.state == ReviewState::requested)
      return base::fail(ErrorCode::VERDICT_UNFOUNDED, "a result has one of the profile's verdicts", "verdict");
    if (!move)
      return std::unexpected(
          refusal(ErrorCode::OUT_OF_SEQUENCE, command_, workspace_, task,
                  about(review) + ": '" + command_.envelope.native_type + "' makes no move from there"));
    const bool reaches =
        workspace_.registry.agent(review.asker).removed || std::binary_search(to_.begin(), to_.end(), review.asker);
    if (!reaches) return std::unexpected(goes_past(command_, workspace_, task, review.asker));

    ReviewStep step;
    step.review.set_review(known->value);
    step.review.set_state(static_cast<std::uint32_t>(*move->to));
    PARLEY_TRY(const auto evidence, read_evidence(command_, workspace_, review, context_.now));
    const Given given{evidence ? &*evidence : nullptr, workspace_.settings.reviews.unsigned_checks};
    PARLEY_CHECK(write_verdict(command_, review, *workspace_.reviews.of_task(review.task), verdict, given, step.review,
                               warnings));
    PARLEY_TRY(const TaskState state, state_after(task, move->to));
    step.task = moved_task(review.task, task, state);
    return step;
  }

 private:
  std::string name_of(AgentNumber agent) const { return quoted(workspace_.registry.agent(agent).id); }
  static std::string about(const Review& review) {
    return "review " + quoted(review.id.view()) + " is " + std::string(machine::review::name(review.state));
  }

  // Who registered anew under a name is another.
  base::Error asked_of_another(const Review& review, const Task& task) const {
    const std::string name = name_of(review.reviewer);
    const std::string whom =
        name == name_of(command_.sender) ? "the " + name + " that was removed, not of the one registered since" : name;
    auto error = refusal(ErrorCode::NOT_PARTY, command_, workspace_, task, about(review) + ": it was asked of " + whom);
    error.where = "review";
    return error;
  }

  // Where the task's table leads.
  base::Result<TaskState> state_after(const Task& task, std::optional<ReviewState> review) const {
    const TaskFacts facts{.needs_ack = command_.ruleset.tasks->needs_ack, .accepted = {}, .review = review};
    const auto* const move = move_on(command_.envelope.kind, task.state, facts);
    const bool assigner_removed = workspace_.registry.agent(task.assigner).removed;
    if (!move || !is_party(move->by, task, command_.sender, assigner_removed))
      return std::unexpected(no_move(command_, workspace_, task));
    return move->to.value_or(task.state);
  }
  static TaskMove moved_task(Offset offset, const Task& task, TaskState to) {
    auto moved = std::make_unique<event::TaskMoved>();
    moved->set_task(offset.value);
    moved->set_state(static_cast<std::uint32_t>(to));
    moved->set_given_up(to == TaskState::aborted);
    moved->set_epoch(task.epoch);
    moved->set_late(task.watch.late);
    return moved;
  }

  // BEY-05: nobody judges work of its own.
  base::Result<> check_reviewer(const Task& task, const ReviewedTask* reviewed) const {
    const AgentNumber reviewer = to_.front();
    const bool author = reviewer == task.assignee ||
                        (reviewed && std::find(reviewed->authors.begin(), reviewed->authors.end(), reviewer) !=
                                         reviewed->authors.end());
    if (!author) return {};
    return base::fail(ErrorCode::REVIEWER_IS_AUTHOR,
                      name_of(reviewer) + " has worked on task " + quoted(task.id.view()), "recipients");
  }
  base::Result<> check_id(const std::string& id) const {
    if (id.size() > id_bytes_max)
      return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                        "the id of a review has at most " + std::to_string(id_bytes_max) + " bytes", "review");
    if (!workspace_.reviews.find(id)) return {};
    return base::fail(ErrorCode::ID_CONFLICT, "a review " + quoted(id) + " was asked for before", "review",
                      "Each review has an id of its own, also that of another iteration (R37).");
  }
  ReviewState verdict_of() const {
    return command_.ruleset.reviews->state_of(envelope::unquoted(field(command_.envelope, "verdict")));
  }
  // With the reviews that wait for this agent.
  base::Error unknown(std::string message) const {
    base::Error error;
    error.code = ErrorCode::REVIEW_UNKNOWN;
    error.message = std::move(message);
    error.where = "review";
    constexpr std::size_t named_max = 5;
    std::size_t named = 0;
    for (const Offset offset : workspace_.reviews.of(command_.sender)) {
      const Review& review = workspace_.reviews.at(offset);
      if (named++ == named_max) break;
      error.hint += (error.hint.empty() ? "Of " + name_of(command_.sender) + " are asked: " : ", ") +
                    quoted(review.id.view()) + " of task " + quoted(workspace_.tasks.at(review.task).id.view());
    }
    return error;
  }

  const AcceptMessage& command_;
  const Workspace& workspace_;
  const std::vector<AgentNumber>& to_;
  const Context& context_;
};

void open(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, const event::ReviewMoved& event,
          const Placed& placed) {
  Review review;
  review.id = base::PackedText(event.id());
  review.task = Offset(event.task());
  review.asker = AgentNumber(event.asker());
  review.reviewer = AgentNumber(event.reviewer());
  review.state = static_cast<ReviewState>(event.state());
  review.iteration = event.iteration();
  review.required = {event.required().begin(), event.required().end()};
  review.checks = {event.checks().begin(), event.checks().end()};
  review.asked = {event.asked().begin(), event.asked().end()};
  review.asked_at = placed.at;
  review.due = base::instant_of(event.due());
  review.request = placed.position;
  state.timers.insert(timer_of(number, offset, review.due));
  workspace.tasks.at(review.task).reviewer = review.reviewer;
  ReviewedTask& task = workspace.reviews.task(review.task);
  if (const AgentNumber author(event.author());
      std::find(task.authors.begin(), task.authors.end(), author) == task.authors.end())
    task.authors.push_back(author);
  workspace.reviews.add(offset, std::move(review));
}

SignedBy signed_by(const event::Attested& event) {
  SignedBy by;
  by.runner = base::PackedText(event.runner());
  by.at = base::instant_of(event.at());
  by.changed = event.changed();
  if (event.tree().size() == by.tree.size()) std::copy(event.tree().begin(), event.tree().end(), by.tree.begin());
  return by;
}

void take(ReviewedTask& task, const event::ReviewMoved& event) {
  for (const event::ReviewFinding& written : event.findings()) {
    Finding one{written.id(), written.blocks(), written.found_in(), written.fixed_in()};
    const auto known =
        std::find_if(task.findings.begin(), task.findings.end(), [&](const Finding& f) { return f.id == one.id; });
    if (known == task.findings.end())
      task.findings.push_back(std::move(one));
    else
      *known = std::move(one);
  }
  task.changes = {event.changes().begin(), event.changes().end()};
}

// `by`: the event's offset.
void end(State& state, Workspace& workspace, WorkspaceNumber number, Offset by, const event::ReviewMoved& event,
         Instant at) {
  const Offset offset(event.review());
  Review& review = workspace.reviews.at(offset);
  state.timers.erase(timer_of(number, offset, review.due));
  workspace.reviews.leave(offset);
  workspace.tasks.at(review.task).reviewer = {};
  review.state = static_cast<ReviewState>(event.state());
  review.ended_at = at;
  review.ended_by = by;
  review.required = {};
  review.checks = {};
  review.asked = {};
  if (review.state == ReviewState::escalated) workspace.reviews.escalate(offset);
  if (review.state == ReviewState::changes_requested) ++workspace.reviews.task(review.task).sent_back;
  const AgentNumber reviewer = review.reviewer;
  if (workspace.registry.agent(reviewer).removed && has_left(workspace, reviewer))
    state.unfinished.leaving.erase({number, reviewer});
}

}  // namespace

base::Result<std::optional<ReviewStep>> review_move(const AcceptMessage& command, const Workspace& workspace,
                                                    const std::vector<AgentNumber>& to, const Context& context,
                                                    std::vector<base::Problem>& warnings) {
  const Kind kind = command.envelope.kind;
  if ((kind != Kind::review_request && kind != Kind::review_result) || !command.ruleset.reviews) return std::nullopt;
  const std::string id = text_in(command.envelope, "review");
  if (id.empty() || command.envelope.task.empty()) return std::nullopt;  // of a lenient workspace
  const Follow follow(command, workspace, to, context);
  auto step = kind == Kind::review_request ? follow.request(id) : follow.result(id, warnings);
  if (step || !step.error().legal_next.empty()) return step;
  const auto review = workspace.reviews.find(id);  // BEY-02: of the review's own task, whichever the message names
  const auto task = review ? workspace.reviews.at(*review).task : task_named(command, workspace);
  if (task) step.error().legal_next = legal_next(workspace, workspace.tasks.at(*task), command.ruleset, command.sender);
  return step;
}

void apply_to_reviews(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                      const event::MessageAccepted& event, const Placed& placed) {
  if (!event.has_review_moved()) return;
  const event::ReviewMoved& moved = event.review_moved();
  if (moved.review() == 0) return open(state, workspace, number, offset, moved, placed);
  Review& review = workspace.reviews.at(Offset(moved.review()));
  review.result = placed.position;
  if (moved.has_attested()) review.signed_by = signed_by(moved.attested());
  take(workspace.reviews.task(review.task), moved);
  end(state, workspace, number, offset, moved, placed.at);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, const event::ReviewMoved& event,
           Instant at) {
  end(state, workspace, number, offset, event, at);
}

}  // namespace parley::engine
