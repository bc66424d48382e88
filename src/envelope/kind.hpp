// What a message means across profiles (ruling R2): 000's task_assignment and 002's TASK_ASSIGNMENT are both
// task.assign.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/named.hpp"

namespace parley::envelope {

enum class Kind : std::uint8_t {
  task_assign,
  task_ack,
  task_progress,
  task_complete,
  task_fail,
  task_handoff,
  task_handoff_reply,
  task_abort,
  review_request,
  review_result,
  help_request,
  help_reply,
  request,
  response,
  notify,
  data_update,
  feedback,
  status_query,
  status_report,
  heartbeat,
  health_check,
  error_report,
  approval_request,
  approval_decision,
  conduct_flag,
  event,
};

inline constexpr std::array<std::string_view, 26> kind_names{
    "task.assign",  "task.ack",           "task.progress",    "task.complete",     "task.fail",
    "task.handoff", "task.handoff.reply", "task.abort",       "review.request",    "review.result",
    "help.request", "help.reply",         "request",          "response",          "notify",
    "data.update",  "feedback",           "status.query",     "status.report",     "heartbeat",
    "health.check", "error.report",       "approval.request", "approval.decision", "conduct.flag",
    "event"};

constexpr std::string_view name(Kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

constexpr std::optional<Kind> kind_named(std::string_view text) {
  return base::named<Kind>(kind_names, text);
}

}  // namespace parley::envelope
