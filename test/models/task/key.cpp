// What makes two states one.
#include "task/model.hpp"

#include <algorithm>
#include <set>

namespace parley::models::task_model {

Arrival TaskModel::arrival(const std::string& step, bool by_time) const {
  const bool any_open = world_.workspace().tasks.open() > 0;
  return {step, key(), by_time, !any_open && !world_.waits(), !any_open};
}

std::string TaskModel::key() const {
  Key key;
  key.add(world_.agents());
  for (std::uint32_t i = 1; i <= world_.agents(); ++i) {
    const engine::Agent& agent = world_.agent(AgentNumber(i));
    const bool leaving = world_.state().unfinished.leaving.contains({team, AgentNumber(i)});
    key.add(agent.removed).add(leaving).add(leaving ? std::min(agent.open_messages, 1u) : 0);
  }
  for (const auto& [offset, approval] : world_.workspace().approvals.all())
    if (approval.waits()) key.add(static_cast<int>(approval.state)).left(approval.due, world_.now);
  for (const std::string& id : scope_.ids) {
    const Task* const task = find(id);
    key.add(task ? static_cast<int>(task->state) : 0);
    if (!task) continue;
    key.add(task->epoch);
    if (scope_.reviews > 0) add_reviews(*task, key);
    if (task->state == TaskState::aborted || (task->state == TaskState::completed && scope_.reviews == 0)) continue;
    key.add(task->assigner.value).add(task->assignee.value);
    if (!machine::task::is_over(task->state)) add_watch(*task, key);
    if (task->offer) add_offer(*task, key);
  }
  return key.take();
}

// And whether its target was made another, which it may take for this one.
void TaskModel::add_offer(const Task& task, Key& key) const {
  const engine::TaskOffer& offer = *task.offer;
  key.add(offer.target.value).left(offer.due, world_.now);
  const auto made = offers_of(std::string(task.id.view()));
  key.add(std::ranges::count_if(made, [&](Offset one) { return receiver_of(one) == offer.target; }) > 1);
}

// Who may not judge it, what a revision must carry, and how long the verdict may take.
void TaskModel::add_reviews(const Task& task, Key& key) const {
  const engine::Reviews& reviews = world_.workspace().reviews;
  const Offset offset = offset_of(std::string(task.id.view()));
  const engine::ReviewedTask* const reviewed = reviews.of_task(offset);
  key.add(reviewed ? static_cast<std::int64_t>(reviewed->reviews.size()) : 0).add(task.reviewer.value);
  if (!reviewed) return;
  std::set<std::uint32_t> authors;
  for (const AgentNumber author : reviewed->authors) authors.insert(author.value);
  for (const std::uint32_t author : authors) key.add(author);
  key.add(0).add(reviewed->sent_back).add(static_cast<std::int64_t>(reviewed->changes.size()));
  for (const engine::Finding& finding : reviewed->findings) key.add(finding.fixed_in == 0);
  const auto waiting = reviews.waiting(offset);
  if (!waiting) return;
  const engine::Review& review = reviews.at(*waiting);
  key.add(static_cast<int>(review.state));
  if (review.state == engine::ReviewState::requested) key.left(review.due, world_.now);
}

void TaskModel::add_watch(const Task& task, Key& key) const {
  const Instant now = world_.now;
  const engine::TaskWatch& watch = task.watch;
  const auto past = [&](Instant at, base::Duration most) { return std::min(now - at, most).count(); };
  key.add(watch.late).add(watch.timeouts).add(watch.exceptions);
  const engine::Message* const order = world_.state().workspace(team).messages.find(task.assignment());
  const engine::Receipt* const receipt = order ? order->receipt_of(task.assignee) : nullptr;
  key.add(receipt ? static_cast<int>(receipt->state) : -1);  // whether it can be given again
  if (watch.timeout > 0us) key.left(watch.assigned_at + watch.timeout, now);
  const Instant spoke_at = world_.state().workspace(team).registry.agent(task.assignee).spoke_at;
  if (scope_.times.silence) key.left(std::max(watch.heard_at, spoke_at) + *scope_.times.silence, now);
  if (scope_.times.progress_after)
    key.add(watch.began_at == Instant{} ? -1 : past(watch.began_at, *scope_.times.progress_after));
  if (watch.deadline != Instant{}) key.left(watch.deadline, now);
  key.add(task.due == Instant{}).left(task.due, now);
}

}  // namespace parley::models::task_model
