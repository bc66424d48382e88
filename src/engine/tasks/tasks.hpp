// Tasks: who assigned what to whom, and how it stands (COL-04, COL-17; spec/machines/task.json). Open ones, and the
// newest of those that are over. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/made.hpp"
#include "base/packed_text.hpp"
#include "engine/by_agent.hpp"
#include "engine/messages/message.hpp"
#include "engine/resources/resources.hpp"
#include "engine/tasks/scopes.hpp"
#include "machine/task.hpp"

namespace parley::engine {

using TaskState = machine::task::State;

// Not over, and nobody's work.
constexpr bool is_set_aside(TaskState state) {
  return state == TaskState::in_review || state == TaskState::in_parts;
}

// What the server looks at a task by (watch.hpp).
struct TaskWatch {
  Instant assigned_at;                        // newest; as the next two, moved on by the time the server was down
  Instant began_at;                           // when it first was active since; 0: not yet
  Instant heard_at;                           // the newest word of its assignee
  Instant deadline;                           // 0: none
  base::Duration timeout{};                   // 0: none
  Instant lost_at{};                          // its assignment ended without reaching its assignee; 0: it did not
  Instant again_at{};                         // while it is postponed: when its order is given again
  bool late = false;                          // its assigner was told that the deadline is over
  std::uint8_t timeouts = 0, exceptions = 0;  // attempts of this assignment that ended so
  Instant asked_since{};  // its assignee waits for a human's answer (SUP-05), and its times stand still; 0: it does not
  Instant answered_at{};  // what was decided at that moment did not know of the answer: looked at again; 0: nothing

  template <class Archive>
  void archive(Archive& a) {
    a(assigned_at, began_at, heard_at, deadline, timeout, late, lost_at, again_at, timeouts, exceptions);
    a(asked_since, answered_at);
  }
};

// 000 §5.2, TaskExecutionError; what an assignee reports, or the server.
enum class TaskErrorType : std::uint8_t { none, timeout, exception, scope_violation, resource_limit };
enum class SuggestedAction : std::uint8_t { none, retry, reassign, abort, manual };
inline constexpr std::array<std::string_view, 5> task_error_names{"", "timeout", "exception", "scope_violation",
                                                                  "resource_limit"};
inline constexpr std::array<std::string_view, 5> suggested_action_names{"", "retry", "reassign", "abort", "manual"};

struct TaskError {
  TaskErrorType type = TaskErrorType::none;
  std::string message;
  bool recoverable = false;
  SuggestedAction suggested = SuggestedAction::none;
  AgentNumber reporter;  // 0: the server
  Instant at;

  template <class Archive>
  void archive(Archive& a) {
    a(type, message, recoverable, suggested, reporter, at);
  }
};

// What an assignment asks for, as far as a completion can be held against it (evidence.hpp).
struct TaskTerms {
  base::PackedTexts scope;  // globs; empty: any file
  base::PackedTexts reference_files;
  base::PackedText chain;           // it belongs to (R39); empty: none
  std::optional<double> risk;       // held against the workspace's thresholds
  double confidence_threshold = 0;  // below it a human decides (SUP-04)
  bool needs_approval = false;      // a human decides in any case
  bool testing_required = false;
  bool flagged = false;  // by its risk

  template <class Archive>
  void archive(Archive& a) {
    a(scope, reference_files, testing_required, confidence_threshold, needs_approval, chain, risk, flagged);
  }
};

// An offer that is not answered yet (HND-02).
struct TaskOffer {
  Offset request;  // its message; 0: the task is offered to nobody
  AgentNumber target;
  Instant due;  // 0: it stands as long as the task
  std::vector<std::string> capabilities;
  std::optional<double> max_tokens = {}, budget = {}, quality = {};
  Instant deadline = {};     // of the work; 0: none
  bool target_left = false;  // it went offline since, and the offer is over

  bool open() const { return request != Offset{}; }
  template <class Archive>
  void archive(Archive& a) {
    a(request, target, due, capabilities, max_tokens, budget, quality, deadline, target_left);
  }
};

// An event that changed a task: what it was stands in its record.
struct TaskNote {
  Position position;
  Instant at;

  template <class Archive>
  void archive(Archive& a) {
    a(position, at);
  }
};
inline constexpr std::size_t task_notes_kept = 32;  // of each task (D11)

// The messages that the server still has to know for a task: its order, its open offer, and what asks for the parts
// that it is to be done in; 0: none.
struct Needed {
  Offset order, offer, split;
  friend bool operator==(const Needed&, const Needed&) = default;
};

struct Task {
  base::PackedText id;
  TaskState state = TaskState::none;
  std::uint32_t epoch = 0;  // how often it was assigned (BEY-03)
  AgentNumber assigner, assignee;
  absl::InlinedVector<Offset, 1> assignments;  // the messages, rising
  Offset ordered;    // the newest order of them; what came after it are offers that were taken
  Offset given_at;   // when the newest became its assignee's work: the event that made it so
  Instant moved_at;  // when it came to this state
  TaskWatch watch;
  TaskTerms terms;
  std::unique_ptr<TaskOffer> offer;          // null: to nobody
  std::unique_ptr<TaskError> error;          // the newest; null: none
  Instant due;                               // when the server looks again; 0: never
  Offset over_at;                            // of the event that ended it; 0: it is not over
  AgentNumber reviewer;                      // who is asked to judge it; 0: nobody
  std::uint32_t max_iterations = 0;          // of its reviews; 0: no assignment states any (R37)
  base::Made<Shares> shares;                 // what it may use, and has used (HND-12); none: nobody counts
  absl::InlinedVector<TaskNote, 1> history;  // the newest (HND-02, TaskEvent)
  Offset held;            // whose approval it waits for: of the message that ends it, or of its failure; 0: none
  Offset split_by;        // the message that asks for its parts (parts.hpp); 0: it has none
  bool in_part = false;   // its newest completion was one in part, also while that is judged
  bool given_up = false;  // aborted by its last error or review, and by nobody's word (R36, R37)
  Position taken;  // of the record with its assignee's word that it takes the newest assignment on; 0: it has not

  Offset assignment() const { return assignments.back(); }
  Needed needed() const {
    if (assignments.empty() || machine::task::is_over(state) || state == TaskState::in_review) return {};
    return {assignment(), offer ? offer->request : Offset{}, split_by};
  }

  template <class Archive>
  void archive(Archive& a) {
    a(id, state, epoch, assigner, assignee, assignments, ordered, given_at, moved_at, watch, terms, due, over_at, held);
    a(reviewer, max_iterations, split_by, taken, in_part, given_up, shares, history);
    archive_made(a, offer);
    archive_made(a, error);
    if constexpr (Archive::loads) {
      if (!offer->open()) offer.reset();
      if (error->type == TaskErrorType::none) error.reset();
    }
  }

 private:
  // None is written as an empty one. Saving makes none: what is saved is the state in use.
  template <class Archive, class Value>
  static void archive_made(Archive& a, std::unique_ptr<Value>& value) {
    if constexpr (Archive::loads) {
      a(value);
    } else {
      Value empty;
      a(value ? *value : empty);
    }
  }
};

// Somebody has it, and may use what it was given.
inline bool is_at_work(const Task& task) {
  return task.assignee != AgentNumber{} && !machine::task::is_over(task.state) && !is_set_aside(task.state);
}

// By the offset of the message that first assigned them.
class Tasks {
 public:
  using ByOffset = absl::btree_map<Offset, std::unique_ptr<Task>>;

  const ByOffset& all() const { return tasks_; }
  std::size_t open() const { return tasks_.size() - over_.size(); }
  std::size_t assigned_by(AgentNumber assigner) const { return by_assigner_.of(assigner); }  // those that are open

  const Task& at(Offset offset) const;
  Task& at(Offset offset);
  std::optional<Offset> find(std::string_view id, const IdKey& key = {}) const;  // all 0: not made yet
  void prefetch(const IdKey& key) const { by_id_.prefetch(key); }                // of an id that is looked for soon
  std::optional<Offset> of_assignment(Offset message) const;
  // Which assignment of its task a message is, from 1; 0: it is none (BEY-03).
  std::uint32_t epoch_of(Offset message) const;
  // Offered by this message, and not answered.
  std::optional<Offset> of_offer(Offset request) const;
  // The messages that offer something to this agent, and are not answered.
  const OffsetsByAgent::Offsets& offers_to(AgentNumber target) const { return offers_to_.of(target); }
  void offer(Offset offset, TaskOffer offer);
  void end_offer(Task& task);
  // In parts, asked for by this message.
  std::optional<Offset> of_split(Offset request) const;
  // Those not over, and neither in review nor in parts.
  const absl::btree_set<Offset>& of(AgentNumber assignee) const { return by_assignee_.of(assignee); }

  // Of those of all.
  const Scopes& scopes() const { return scopes_; }

  Task& add(Offset offset, std::string_view id);
  // `task` is the one at `offset`, here and below.
  void assign(Offset offset, Task& task, Offset message, AgentNumber assigner, AgentNumber assignee);
  // Of one that is somebody's.
  void set_terms(Offset offset, Task& task, TaskTerms terms);
  void end(Offset offset, Task& task, Offset by);
  // Nobody's work while it is judged, or done in parts; it counts among its assigner's until then.
  void set_aside(Offset offset, Task& task);
  void split(Offset offset, Task& task, Offset request);
  // What waits on assignees moves by the time the server was down; deadlines stay (D2).
  void pause(base::Duration downtime);
  // The oldest of those that are over go, each after `forget(offset, task)`.
  template <class Forget>
  void keep(std::size_t most, Forget forget) {
    while (over_.size() > most) {
      const Offset offset = over_.begin()->second;
      over_.erase(over_.begin());
      forget(offset, at(offset));
      for (const Offset message : at(offset).assignments) assigned_again_.erase(message);
      by_id_.erase(id_key_of(at(offset).id.view()), offset);
      last_ = nullptr;
      tasks_.erase(offset);
    }
  }

  template <class Archive>
  void archive(Archive& a) {
    a(tasks_);
    if constexpr (Archive::loads) {
      last_ = nullptr;
      for (const auto& [offset, task] : tasks_) index(offset, *task);
    }
  }

 private:
  // A task is looked for before it is added: its id is hashed once, or was before it came here.
  const IdKey& key_of(std::string_view id, const IdKey& made = {}) const;
  // Its assignee's, those in review, or those that are over.
  void leave(Offset offset, Task& task);
  void index_offer(Offset offset, const TaskOffer& offer);
  void index(Offset offset, const Task& task);

  ByOffset tasks_;
  // What at() gave last, for a message looks into its task many times; null once it may be gone.
  mutable const Task* last_ = nullptr;
  mutable Offset last_offset_;
  IdIndex by_id_;
  mutable std::string newest_id_;  // that was looked for,
  mutable IdKey newest_key_ = id_key_of("");
  absl::btree_map<Offset, Offset> assigned_again_;  // by the message that did
  absl::btree_map<Offset, Offset> offered_;         // by the message that offers
  OffsetsByAgent offers_to_;                        // the keys of offered_
  absl::btree_map<Offset, Offset> splits_;          // by the message that asks for parts
  CountsByAgent by_assigner_;                       // how many are open
  OffsetsByAgent by_assignee_;
  Scopes scopes_;                                    // of those in by_assignee_
  absl::btree_set<std::pair<Offset, Offset>> over_;  // by the event that ended them
};

}  // namespace parley::engine
