#include "engine/tasks/dependencies.hpp"

namespace parley::engine {

const TaskDependencies* Dependencies::find(std::string_view task) const {
  return by_task_.empty() ? nullptr : find(key(task));
}

const TaskDependencies* Dependencies::find(const IdKey& task) const {
  const auto at = by_task_.find(task);
  return at == by_task_.end() ? nullptr : &at->second;
}

std::vector<IdKey> Dependencies::dependents(std::string_view task) const {
  std::vector<IdKey> keys;
  if (dependents_.empty()) return keys;
  const IdKey on = key(task);
  for (auto at = dependents_.lower_bound({on, {}}); at != dependents_.end() && at->first == on; ++at)
    keys.push_back(at->second);
  return keys;
}

void Dependencies::set(TaskDependencies dependencies) {
  const IdKey task = key(dependencies.task.view());
  drop(task);
  if (dependencies.on.empty()) return;
  index(task, dependencies);
  by_task_.emplace(task, std::move(dependencies));
}

void Dependencies::drop(std::string_view task) {
  if (!by_task_.empty()) drop(key(task));
}

void Dependencies::note(const IdKey& dependent, std::string_view on, machine::task::State state, bool given_up) {
  const auto at = by_task_.find(dependent);
  if (at == by_task_.end()) return;
  for (Dependency& dependency : at->second.on)
    if (dependency.id.view() == on) {
      dependency.state = state;
      dependency.given_up = given_up;
    }
}

IdKey Dependencies::key(std::string_view id) {
  return id_key_of(id);
}

void Dependencies::index(const IdKey& task, const TaskDependencies& dependencies) {
  for (const Dependency& on : dependencies.on) dependents_.insert({key(on.id.view()), task});
  by_agent_.add(dependencies.by, dependencies.on.size());
}

void Dependencies::drop(const IdKey& task) {
  const auto at = by_task_.find(task);
  if (at == by_task_.end()) return;
  for (const Dependency& on : at->second.on) dependents_.erase({key(on.id.view()), task});
  by_agent_.remove(at->second.by, at->second.on.size());
  by_task_.erase(at);
}

}  // namespace parley::engine
