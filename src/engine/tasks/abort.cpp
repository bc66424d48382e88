#include "engine/tasks/abort.hpp"

#include <algorithm>

#include "engine/approvals/held.hpp"
#include "engine/messages/said.hpp"
#include "engine/reviews/end.hpp"
#include "engine/tasks/moves.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t facts_max = 2'000;  // of a decision (D11): parts of parts beyond it go on

void end_parts(const TaskScene& scene, const Cancelling& why) {
  const Task& whole = scene.task();
  const TaskDependencies* const all = scene.workspace().dependencies.find(whole.id.view());
  if (!all || whole.state != TaskState::in_parts) return;
  for (const Dependency& part : all->on) {
    const auto known = part.part ? scene.workspace().tasks.find(part.id.view()) : std::nullopt;
    if (!known || !can_be_aborted(scene.workspace().tasks.at(*known).state)) continue;
    if (scene.decided.facts().size() > facts_max) return;
    decide_cancelled(scene, *known, scene.rules, why);
  }
}

// What a human is asked about would come to a task that is over (SUP-05).
void withdraw_held(const TaskScene& scene) {
  for (const auto& [offset, approval] : scene.workspace().approvals.all())
    if (approval.waits() && approval.task == scene.task().id.view())
      decide_withdrawn(scene.decided, scene.workspace(), scene.number, offset);
}

}  // namespace

bool is_ended(const TaskScene& scene) {
  return std::ranges::any_of(scene.decided.facts(), [&scene](const Fact& fact) {
    return fact.event.has_task_moved() && fact.event.workspace() == scene.number.value &&
           fact.event.task_moved().task() == scene.offset.value &&
           machine::task::is_over(static_cast<TaskState>(fact.event.task_moved().state()));
  });
}

void tell_of_abort(const TaskScene& scene, AgentNumber to, const Cancelling& why) {
  const Task& task = scene.task();
  if (!scene.rules) return;
  Saying saying;
  saying.task = task.id.view();
  saying.text = why.reason.empty() ? opening(scene.workspace(), task) + " was aborted." : why.reason;
  saying.cleanup = why.cleanup;
  saying.from = to == task.assigner ? task.assignee : task.assigner;
  say_of_task(scene, to, profile::Occasion::task_aborted, saying);
}

void end_with_it(const TaskScene& scene, const Cancelling& why) {
  const Reviews& reviews = scene.workspace().reviews;
  if (const auto waiting = reviews.waiting(scene.offset)) tell_of_abort(scene, reviews.at(*waiting).reviewer, why);
  decide_review_withdrawn(scene, scene.offset);
  if (machine::task::is_over(scene.task().state)) withdraw_held(scene);
  end_parts(scene, why);
}

}  // namespace parley::engine
