// What a native message says of a task, in each profile's words.
#include "sim/tasks.hpp"
#include "sim/texts.hpp"

namespace parley::sim {
namespace {

using envelope::Kind;

std::optional<TaskWord> collab_word(json::Value root) {
  const std::string type = text_at(root, "/message_type");
  TaskWord word;
  word.to = {text_at(root, "/to_agent/agent_id")};
  word.task = text_at(root, "/payload/task_id");
  if (type == "task_assignment") {
    word.kind = Kind::task_assign;
    word.task = text_at(root, "/payload/task/task_id");
  } else if (type == "acknowledgment") {
    word.kind = Kind::task_ack;
    word.message = text_at(root, "/payload/acknowledged_message_id");
    word.accepts = root.find("payload").find("accepted").if_bool().value_or(false);
  } else if (type == "task_progress") {
    word.kind = Kind::task_progress;
  } else if (type == "task_completion") {
    word.kind = text_at(root, "/payload/status") == "failed" ? Kind::task_fail : Kind::task_complete;
    word.in_part = text_at(root, "/payload/status") == "partial";
  } else if (type == "abort") {
    word.kind = Kind::task_abort;
    word.task = text_at(root, "/payload/target_id");
    word.of_session = text_at(root, "/payload/scope") != "task";
  } else if (type == "review_request" || type == "review_result") {
    word.kind = type == "review_request" ? Kind::review_request : Kind::review_result;
    word.review = text_at(root, "/payload/review_id");
    word.verdict = text_at(root, "/payload/verdict");
  } else {
    return std::nullopt;
  }
  return word;
}

std::optional<TaskWord> handoff_word(json::Value root) {
  const std::string type = text_at(root, "/type");
  TaskWord word;
  word.to = {text_at(root, "/to")};
  word.task = text_at(root, "/payload/task_id");
  if (type == "TASK_ASSIGNMENT")
    word.kind = Kind::task_assign;
  else if (type == "TASK_UPDATE")
    word.kind = Kind::task_progress;
  else if (type == "TASK_COMPLETE")
    word.kind = Kind::task_complete;
  else if (type == "TASK_FAILED")
    word.kind = Kind::task_fail;
  else if (type == "TASK_HANDOFF" && root.find("payload").find("accepted"))  // R34
    word.kind = Kind::task_handoff_reply;
  else if (type == "TASK_HANDOFF")
    word.kind = Kind::task_handoff;
  else
    return std::nullopt;
  if (word.kind == Kind::task_assign)
    for (const json::Value on : json::Pointer::parse("/payload/context/dependencies").value().resolve(root).elements())
      word.depends_on.emplace_back(on.as_string());
  if (word.kind == Kind::task_handoff_reply) {
    word.message = text_at(root, "/metadata/correlation_id");
    word.accepts = root.find("payload").find("accepted").if_bool().value_or(false);
  }
  return word;
}

std::optional<TaskWord> supervisor_word(json::Value root) {
  const std::string type = text_at(root, "/message_type");
  TaskWord word;
  word.to = {text_at(root, "/to_agent")};
  if (type == "task_delegation") {  // R38
    word.kind = Kind::task_assign;
    word.task = text_at(root, "/message_id");
  } else if (type == "task_completion") {
    word.kind = text_at(root, "/status") == "failure" ? Kind::task_fail : Kind::task_complete;
    word.task = text_at(root, "/task_id");
  } else {
    return std::nullopt;
  }
  return word;
}

}  // namespace

std::optional<TaskWord> task_word(std::string_view profile, json::Value message) {
  if (profile == "collab") return collab_word(message);
  if (profile == "handoff") return handoff_word(message);
  if (profile == "supervisor") return supervisor_word(message);
  return std::nullopt;
}

}  // namespace parley::sim
