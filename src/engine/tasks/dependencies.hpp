// What tasks wait for (000 §3.4, COL-10), by the ids of the tasks: both ends may be set before either is assigned.
// Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/packed_text.hpp"
#include "engine/by_agent.hpp"
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
  std::size_t size() const { return dependents_.size(); }                      // pairs of tasks
  std::size_t set_by(AgentNumber agent) const { return by_agent_.of(agent); }  // of them
  const absl::btree_map<IdKey, TaskDependencies>& all() const { return by_task_; }

  const TaskDependencies* find(std::string_view task) const;
  const TaskDependencies* find(const IdKey& task) const;
  // Of tasks that depend on this one, assigned or not.
  std::vector<IdKey> dependents(std::string_view task) const;

  // In place of what it depended on; none: on nothing.
  void set(TaskDependencies dependencies);
  void drop(std::string_view task);
  // Where the tasks that depend on it remember how it stands.
  void note(const IdKey& dependent, std::string_view on, machine::task::State state, bool given_up);

  template <class Archive>
  void archive(Archive& a) {
    a(by_task_);
    if constexpr (Archive::loads)
      for (const auto& [task, dependencies] : by_task_) index(task, dependencies);
  }

 private:
  static IdKey key(std::string_view id);
  void index(const IdKey& task, const TaskDependencies& dependencies);
  void drop(const IdKey& task);

  absl::btree_map<IdKey, TaskDependencies> by_task_;
  absl::btree_set<std::pair<IdKey, IdKey>> dependents_;  // what is depended on, and by what
  CountsByAgent by_agent_;                               // how many each has set
};

}  // namespace parley::engine
