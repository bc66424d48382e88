// What tasks wait for (000 §3.4, COL-10), by the ids of the tasks: both ends may be set before either is assigned.
// Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/packed_text.hpp"
#include "engine/messages/message.hpp"
#include "machine/task.hpp"

namespace parley::engine {

struct Dependency {
  base::PackedText id;
  bool soft = false;                                        // it need not wait, and is told what is pending
  machine::task::State state = machine::task::State::none;  // none: it was not assigned yet
  bool part = false;                                        // of it (parts.hpp)
  bool given_up = false;                                    // aborted, and by nobody's word

  template <class Archive>
  void archive(Archive& a) {
    a(id, soft, state, part, given_up);
  }
};

// Of one task.
struct TaskDependencies {
  base::PackedText task;
  AgentNumber by;              // who set them; 0: who manages the workspace
  std::vector<Dependency> on;  // never empty

  template <class Archive>
  void archive(Archive& a) {
    a(task, by, on);
  }
};

class Dependencies {
 public:
  bool empty() const { return by_task_.empty(); }
  std::size_t size() const { return dependents_.size(); }  // pairs of tasks
  std::size_t set_by(AgentNumber agent) const {            // of them
    const auto at = by_agent_.find(agent);
    return at == by_agent_.end() ? 0 : at->second;
  }
  const absl::btree_map<IdKey, TaskDependencies>& all() const { return by_task_; }

  const TaskDependencies* find(std::string_view task) const { return by_task_.empty() ? nullptr : find(key(task)); }
  const TaskDependencies* find(const IdKey& task) const {
    const auto at = by_task_.find(task);
    return at == by_task_.end() ? nullptr : &at->second;
  }
  // Of tasks that depend on this one, assigned or not.
  std::vector<IdKey> dependents(std::string_view task) const {
    std::vector<IdKey> keys;
    if (dependents_.empty()) return keys;
    const IdKey on = key(task);
    for (auto at = dependents_.lower_bound({on, {}}); at != dependents_.end() && at->first == on; ++at)
      keys.push_back(at->second);
    return keys;
  }

  // In place of what it depended on; none: on nothing.
  void set(TaskDependencies dependencies) {
    const IdKey task = key(dependencies.task.view());
    drop(task);
    if (dependencies.on.empty()) return;
    index(task, dependencies);
    by_task_.emplace(task, std::move(dependencies));
  }
  void drop(std::string_view task) {
    if (!by_task_.empty()) drop(key(task));
  }
  // Where the tasks that depend on it remember how it stands.
  void note(const IdKey& dependent, std::string_view on, machine::task::State state, bool given_up) {
    const auto at = by_task_.find(dependent);
    if (at == by_task_.end()) return;
    for (Dependency& dependency : at->second.on)
      if (dependency.id.view() == on) {
        dependency.state = state;
        dependency.given_up = given_up;
      }
  }

  template <class Archive>
  void archive(Archive& a) {
    a(by_task_);
    if constexpr (Archive::loads)
      for (const auto& [task, dependencies] : by_task_) index(task, dependencies);
  }

 private:
  static IdKey key(std::string_view id) { return id_key_of(id); }
  void index(const IdKey& task, const TaskDependencies& dependencies) {
    for (const Dependency& on : dependencies.on) dependents_.insert({key(on.id.view()), task});
    by_agent_[dependencies.by] += dependencies.on.size();
  }
  void drop(const IdKey& task) {
    const auto at = by_task_.find(task);
    if (at == by_task_.end()) return;
    for (const Dependency& on : at->second.on) dependents_.erase({key(on.id.view()), task});
    const auto count = by_agent_.find(at->second.by);
    if ((count->second -= at->second.on.size()) == 0) by_agent_.erase(count);
    by_task_.erase(at);
  }

  absl::btree_map<IdKey, TaskDependencies> by_task_;
  absl::btree_set<std::pair<IdKey, IdKey>> dependents_;  // what is depended on, and by what
  absl::btree_map<AgentNumber, std::size_t> by_agent_;   // how many each has set
};

}  // namespace parley::engine
