// What agents might say of a task, and how it stood before.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "engine/state.hpp"
#include "machine/task.hpp"

namespace parley::models::task_model {

using base::AgentNumber;
using base::Instant;
using base::Offset;
using engine::TaskState;
using envelope::Kind;

// A message that an agent might send.
struct Said {
  Kind kind{};
  AgentNumber sender;
  std::string task;
  std::string to;
  std::uint32_t answers = 0;                     // an acknowledgment's assignment, from 1
  std::optional<bool> accepts{};                 // an acknowledgment's answer, and an offer's
  std::optional<engine::ReviewState> verdict{};  // a result's
  Offset offer{};                                // that is answered
  bool looser = false;                           // with looser constraints than it was made with
};

// A task as it stood before a step.
struct View {
  TaskState state = TaskState::none;
  std::uint32_t epoch = 0;
  AgentNumber assigner, assignee;
  bool late = false;
  Instant heard_at, deadline;
  Offset assignment;
  AgentNumber reviewer;
  Offset offer;  // the open one
  AgentNumber target;

  bool open() const { return state != TaskState::none && !machine::task::is_over(state); }
  bool same_but_for_time(const View& other) const {
    return state == other.state && epoch == other.epoch && assigner == other.assigner && assignee == other.assignee &&
           late == other.late && deadline == other.deadline && assignment == other.assignment && offer == other.offer;
  }
};
using Views = std::map<std::string, View>;

}  // namespace parley::models::task_model
