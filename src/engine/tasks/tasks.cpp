#include "engine/tasks/tasks.hpp"

namespace parley::engine {

const Task& Tasks::at(Offset offset) const {
  if (!last_ || offset != last_offset_) {
    last_ = tasks_.at(offset).get();
    last_offset_ = offset;
  }
  return *last_;
}

Task& Tasks::at(Offset offset) {
  return const_cast<Task&>(std::as_const(*this).at(offset));
}

std::optional<Offset> Tasks::find(std::string_view id, const IdKey& key) const {
  return by_id_.find(key_of(id, key), [&](Offset offset) { return at(offset).id.view() == id; });
}

std::optional<Offset> Tasks::of_assignment(Offset message) const {
  if (tasks_.contains(message)) return message;
  const auto at = assigned_again_.find(message);
  return at == assigned_again_.end() ? std::nullopt : std::optional(at->second);
}

std::uint32_t Tasks::epoch_of(Offset message) const {
  auto task = tasks_.find(message);
  if (task == tasks_.end()) {
    const auto again = assigned_again_.find(message);
    if (again == assigned_again_.end()) return 0;
    task = tasks_.find(again->second);
  }
  // The newest, where it was given again.
  const auto& assignments = task->second->assignments;
  const auto place = std::upper_bound(assignments.begin(), assignments.end(), message);
  return static_cast<std::uint32_t>(place - assignments.begin());
}

std::optional<Offset> Tasks::of_offer(Offset request) const {
  const auto at = offered_.find(request);
  return at == offered_.end() ? std::nullopt : std::optional(at->second);
}

void Tasks::offer(Offset offset, TaskOffer offer) {
  Task& task = at(offset);
  end_offer(task);  // to somebody who was removed since
  task.offer = std::make_unique<TaskOffer>(std::move(offer));
  index_offer(offset, *task.offer);
}

void Tasks::end_offer(Task& task) {
  if (!task.offer) return;
  offered_.erase(task.offer->request);
  offers_to_.remove(task.offer->target, task.offer->request);
  task.offer = nullptr;
}

std::optional<Offset> Tasks::of_split(Offset request) const {
  const auto at = splits_.find(request);
  return at == splits_.end() ? std::nullopt : std::optional(at->second);
}

Task& Tasks::add(Offset offset, std::string_view id) {
  auto& task = tasks_.try_emplace(tasks_.end(), offset, std::make_unique<Task>())->second;
  task->id = base::PackedText(id);
  by_id_.insert(key_of(id), offset);
  return *task;
}

void Tasks::assign(Offset offset, Task& task, Offset message, AgentNumber assigner, AgentNumber assignee) {
  leave(offset, task);
  task.assignments.push_back(message);
  if (message != offset) assigned_again_.emplace(message, offset);
  task.assigner = assigner;
  task.assignee = assignee;
  by_assigner_.add(assigner);
  by_assignee_.add(assignee, offset);
  scopes_.add(offset, task.terms.scope);
}

void Tasks::set_terms(Offset offset, Task& task, TaskTerms terms) {
  scopes_.remove(offset, task.terms.scope);
  task.terms = std::move(terms);
  scopes_.add(offset, task.terms.scope);
}

void Tasks::end(Offset offset, Task& task, Offset by) {
  leave(offset, task);
  end_offer(task);
  task.terms = {};
  task.over_at = by;
  splits_.erase(std::exchange(task.split_by, {}));
  over_.insert({by, offset});
}

void Tasks::set_aside(Offset offset, Task& task) {
  leave(offset, task);
  by_assigner_.add(task.assigner);
}

void Tasks::split(Offset offset, Task& task, Offset request) {
  task.split_by = request;
  splits_.emplace(request, offset);
  set_aside(offset, task);
}

void Tasks::pause(base::Duration downtime) {
  for (const auto& [assignee, open] : by_assignee_.all())
    for (const Offset offset : open) {
      Task& task = at(offset);
      // A held one's times stand still, and go on when it does.
      if (task.state == TaskState::held || task.state == TaskState::escalated || task.watch.asked_since != Instant{})
        continue;
      task.watch.assigned_at += downtime;
      task.watch.heard_at += downtime;
      if (task.watch.began_at != Instant{}) task.watch.began_at += downtime;
    }
  for (const auto& [request, offset] : splits_)
    if (Instant& again_at = at(offset).watch.again_at; again_at != Instant{}) again_at += downtime;
}

const IdKey& Tasks::key_of(std::string_view id, const IdKey& made) const {
  if (id != newest_id_) {
    newest_id_ = id;
    newest_key_ = made == IdKey{} ? id_key_of(id) : made;
  }
  return newest_key_;
}

void Tasks::leave(Offset offset, Task& task) {
  scopes_.remove(offset, task.terms.scope);
  if (task.over_at != Offset{}) {
    over_.erase({std::exchange(task.over_at, {}), offset});
    return;
  }
  by_assigner_.remove(task.assigner);
  by_assignee_.remove(task.assignee, offset);
}

void Tasks::index_offer(Offset offset, const TaskOffer& offer) {
  offered_.emplace(offer.request, offset);
  offers_to_.add(offer.target, offer.request);
}

void Tasks::index(Offset offset, const Task& task) {
  by_id_.insert(id_key_of(task.id.view()), offset);
  for (const Offset message : task.assignments)
    if (message != offset) assigned_again_.emplace(message, offset);
  if (task.offer) index_offer(offset, *task.offer);
  if (task.over_at != Offset{})
    over_.insert({task.over_at, offset});
  else
    by_assigner_.add(task.assigner);
  if (task.split_by != Offset{}) splits_.emplace(task.split_by, offset);
  if (task.over_at != Offset{} || is_set_aside(task.state)) return;
  by_assignee_.add(task.assignee, offset);
  scopes_.add(offset, task.terms.scope);
}

}  // namespace parley::engine
