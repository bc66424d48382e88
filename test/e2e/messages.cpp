#include "messages.hpp"

#include <charconv>

#include "base/clock.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

std::string agent(std::string_view id, std::string_view profile, std::string_view type) {
  std::string text;
  json::Writer(text)
      .begin_object()
      .member("agent_id", id)
      .member("profile", profile)
      .member("agent_type", type)
      .end_object();
  return text;
}

std::string now() {
  base::SystemClock clock;
  return base::to_rfc3339(clock.wall());
}

std::string filler(std::uint64_t number, std::size_t bytes) {
  std::string text = "message " + std::to_string(number) + ": ";
  while (text.size() < bytes) text += "what was found, where, and what is to be done about it; ";
  return text;
}

// Feedback in one of a few lanes.
Message collab(const AgentRole& sender, std::uint64_t number, std::mt19937_64& random, std::size_t text_bytes) {
  Message message{number, sender.workspace, sender.agent_id, {"developer-01"}, {}, false, false, {}};
  message.lane = "task-" + std::to_string(random() % 64);
  json::Writer out(message.native);
  out.begin_object().member("message_id", id_of(number)).member("timestamp", now());
  out.member("sequence_number", number);
  out.key("from_agent").begin_object().member("agent_id", sender.agent_id).member("agent_type", "architect");
  out.end_object();
  out.key("to_agent").begin_object().member("agent_id", "developer-01").member("agent_type", "developer").end_object();
  out.member("message_type", "feedback").key("payload").begin_object();
  out.member("feedback_type", "guidance")
      .member("subject", "Wording of refusals")
      .member("content", filler(number, text_bytes));
  out.member("action_required", false).member("related_task_id", message.lane).end_object().end_object();
  return message;
}

// Status at most once; errors at least once, those of a task in its lane (R20): a kind that leaves no open record
// behind, of which a sender may have only so many.
Message handoff(const AgentRole& sender, std::uint64_t number, std::mt19937_64& random, std::size_t text_bytes) {
  Message message{number, sender.workspace, sender.agent_id, {"dispatcher"}, {}, random() % 2 == 0, false, {}};
  json::Writer out(message.native);
  out.begin_object().member("id", id_of(number)).member("timestamp", now()).member("from", sender.agent_id);
  out.member("to", "dispatcher").member("type", message.at_most_once ? "STATUS_UPDATE" : "ERROR_REPORT");
  out.key("payload").begin_object();
  if (message.at_most_once) {
    out.member("agent_id", sender.agent_id).key("status").begin_object().member("state", "BUSY");
    out.member("capability_level", 72).member("error_rate", 0.04).member("avg_response_time_ms", 2140.5);
    out.member("last_heartbeat", now()).end_object();
    out.key("current_tasks").begin_array();
    for (std::size_t bytes = 0; bytes < text_bytes; bytes += 200) out.string(filler(number, 200).substr(0, 200));
    out.end_array();
    out.key("resource_usage").begin_object().member("tokens_used", number).member("tokens_remaining", 71790);
    out.member("cost_usd", 0.62).member("cpu_usage", 34.5).member("memory_usage", 58).end_object();
    out.key("health_metrics").begin_object().member("uptime_seconds", number).member("success_rate", 0.96);
    out.member("avg_latency_ms", 310.2).member("error_count", 3).end_object();
  } else {
    message.lane = "task-" + std::to_string(random() % 64);
    out.member("error_id", "error-" + std::to_string(number)).member("agent_id", sender.agent_id);
    out.member("task_id", message.lane).member("error_type", "EXTERNAL_SERVICE_ERROR").member("severity", "high");
    out.member("message", filler(number, text_bytes)).member("stack_trace", "ocr.client.read");
    out.key("context").begin_object().key("input_data").begin_object().end_object();
    out.key("configuration").begin_object().end_object().key("environment").begin_object().end_object().end_object();
    out.key("recovery_attempts").begin_array().end_array().key("suggested_actions").begin_array().end_array();
  }
  out.end_object().key("metadata").begin_object().member("priority", "normal");
  out.member("retry_count", 0).member("max_retries", 5).end_object().end_object();
  return message;
}

// Notifications to one, to a list, to all; some with so short a life that they expire in the mailbox.
Message mesh(const AgentRole& sender, std::uint64_t number, std::mt19937_64& random, std::size_t text_bytes) {
  Message message{number, sender.workspace, sender.agent_id, {}, {}, false, random() % 8 == 0, {}};
  const auto kind = random() % 16;
  json::Writer out(message.native);
  out.begin_object().member("id", id_of(number)).member("timestamp", now()).member("from", sender.agent_id).key("to");
  if (kind == 0) {
    for (const AgentRole& other : cast())
      if (other.workspace == sender.workspace && other.agent_id != sender.agent_id)
        message.recipients.push_back(other.agent_id);
    out.string("broadcast");
  } else {
    message.recipients = kind < 4   ? std::vector<std::string>{"reader-shared", "reader-stream"}
                         : kind < 9 ? std::vector<std::string>{"reader-shared"}
                                    : std::vector<std::string>{"reader-stream"};
    out.begin_array();
    for (const std::string& recipient : message.recipients) out.string(recipient);
    out.end_array();
  }
  out.member("messageType", "notification").member("priority", random() % 4 == 0 ? "high" : "normal");
  if (message.may_expire) out.key("ttl").raw("0.25");
  out.key("content").begin_object().key("status").begin_object().member("state", "ready").end_object();
  out.member("text", filler(number, text_bytes)).end_object().end_object();
  return message;
}

}  // namespace

const std::vector<AgentRole>& cast() {
  static const std::vector<AgentRole> agents = {
      {"collab", "architect-1", agent("architect-1", "collab", "architect")},
      {"collab", "architect-2", agent("architect-2", "collab", "architect")},
      {"collab", "architect-3", agent("architect-3", "collab", "architect")},
      {"collab", "developer-01", agent("developer-01", "collab", "developer")},
      {"handoff", "worker-1", agent("worker-1", "handoff", "worker")},
      {"handoff", "worker-2", agent("worker-2", "handoff", "worker")},
      {"handoff", "worker-3", agent("worker-3", "handoff", "worker")},
      {"handoff", "dispatcher", agent("dispatcher", "handoff", "dispatcher")},
      {"mesh", "writer-1", agent("writer-1", "mesh", "developer-agent")},
      {"mesh", "writer-2", agent("writer-2", "mesh", "github-agent")},
      {"mesh", "reader-shared", agent("reader-shared", "mesh", "relationship-agent")},
      {"mesh", "reader-stream", agent("reader-stream", "mesh", "relationship-agent")},
  };
  return agents;
}

std::string id_of(std::uint64_t number) {
  char digits[13];
  std::snprintf(digits, sizeof digits, "%012llx", static_cast<unsigned long long>(number));
  return std::string("e2e00000-0000-4000-8000-") + digits;
}

std::optional<std::uint64_t> number_of(std::string_view id) {
  std::uint64_t number = 0;
  if (id.size() != 36) return std::nullopt;
  const auto [end, error] = std::from_chars(id.data() + 24, id.data() + 36, number, 16);
  if (error != std::errc() || end != id.data() + 36) return std::nullopt;
  return number;
}

std::string_view id_member(std::string_view workspace) {
  return workspace == "collab" ? "message_id" : "id";
}

Message make_message(const AgentRole& sender, std::uint64_t number, std::mt19937_64& random, std::size_t text_bytes) {
  if (sender.workspace == "collab") return collab(sender, number, random, text_bytes);
  if (sender.workspace == "handoff") return handoff(sender, number, random, text_bytes);
  return mesh(sender, number, random, text_bytes);
}

std::string altered(const Message& message) {
  std::string text = message.native;
  const std::string word = "message " + std::to_string(message.number) + ": ";
  text.replace(text.find(word), word.size(), "another content: ");
  return text;
}

}  // namespace parley::e2e
