#include "broker/shapes.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/excerpt.hpp"
#include "engine/engine.hpp"
#include "engine/mailboxes/delivery_error.hpp"
#include "engine/resources/allot.hpp"
#include "envelope/kind.hpp"

namespace parley::broker {
namespace {

std::string_view profile_of(const engine::Workspace& workspace, base::AgentNumber agent) {
  return workspace.registry.agent(agent).properties.profile;
}

void write_optional(json::Writer& writer, std::string_view name, const std::optional<base::Duration>& value) {
  writer.key(name);
  if (value)
    writer.string(base::to_text(*value));
  else
    writer.null();
}

}  // namespace

void write_strings(json::Writer& writer, std::string_view name, const std::vector<std::string>& texts) {
  writer.key(name).begin_array();
  for (const std::string& text : texts) writer.string(text);
  writer.end_array();
}

void write_amount(json::Writer& writer, std::string_view name, engine::Amount amount) {
  writer.key(name).raw(engine::text_of(amount));
}

namespace {

// What agents report of themselves, and what became of it (HND-05, HND-06, HND-13).
void write_health(json::Writer& writer, const engine::Workspace& workspace, const engine::Health& health,
                  const Seen& seen) {
  writer.key("health").begin_object().member("state", name(health.state));
  writer.member("since", base::to_rfc3339(health.since));
  const base::Instant heard = health.by_any ? std::max(health.heard, seen.polled) : health.heard;
  writer.member("last_heard", base::to_rfc3339(heard));
  if (health.next_available != base::Instant{})
    writer.member("next_available", base::to_rfc3339(health.next_available));
  writer.key("errors").begin_object().member("total", health.errors);
  writer.member("last_hour", health.recent_errors.count(seen.now));
  if (!health.severity.empty()) writer.member("severity", health.severity);
  writer.end_object();
  if (workspace.settings.health.breaker) {
    writer.key("breaker").begin_object().member("state", name(health.breaker.state));
    writer.member("errors", health.breaker.errors.size());
    if (health.breaker.until != base::Instant{}) writer.member("until", base::to_rfc3339(health.breaker.until));
    writer.end_object();
  }
  if (!health.report.empty()) writer.key("report").raw(health.report);
  writer.end_object();
}

constexpr std::size_t errors_shown = 10;

// PIP-11: what the agent waits for.
void write_errors(json::Writer& writer, const engine::ErrorCases& errors, const absl::btree_set<base::Offset>& own) {
  writer.key("waits").begin_object().member("status", engine::foremost(errors, own).words().status);
  writer.member("since", base::to_rfc3339(errors.find(*own.begin())->at)).member("errors", own.size());
  writer.key("undecided").begin_array();
  std::size_t left = errors_shown;
  for (const base::Offset offset : own) {
    if (left-- == 0) break;
    const engine::ErrorCase& error = *errors.find(offset);
    writer.begin_object().member("offset", offset.value).member("message_id", error.id.view());
    if (!error.task.empty()) writer.member("task", error.task);
    writer.member("error_type", error.code);
    if (!error.severity.empty()) writer.member("severity", error.severity);
    if (!error.text.empty()) writer.member("text", error.text);
    writer.member("blocks", error.blocks()).member("reported_at", base::to_rfc3339(error.at)).end_object();
  }
  writer.end_array().end_object();
}

void write_blocked(json::Writer& writer, const engine::Workspace& workspace) {
  const engine::ErrorCases& errors = workspace.errors;
  if (errors.blocking().empty()) return;
  const engine::ErrorCase& first = *errors.find(*errors.blocking().begin());
  writer.key("blocked")
      .begin_object()
      .member("status", first.words().blocked)
      .member("since", base::to_rfc3339(first.at));
  writer.member("errors", errors.blocking().size()).key("by").begin_array();
  std::size_t left = errors_shown;
  for (const base::Offset offset : errors.blocking()) {
    if (left-- == 0) break;
    const engine::ErrorCase& error = *errors.find(offset);
    writer.begin_object().member("agent", workspace.registry.agent(error.agent).id);
    writer.member("message_id", error.id.view()).member("offset", offset.value);
    if (!error.task.empty()) writer.member("task", error.task);
    writer.end_object();
  }
  writer.end_array().end_object();
}

void write_health_settings(json::Writer& writer, const engine::HealthSettings& health) {
  write_optional(writer, "heartbeat_every", health.heartbeat_every);
  writer.key("heartbeats_missed");
  if (health.heartbeats_missed)
    writer.unsigned_integer(*health.heartbeats_missed);
  else
    writer.null();
  writer.key("breaker");
  if (!health.breaker) return static_cast<void>(writer.null());
  const auto milliseconds = [](base::Duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  writer.begin_object().member("error_threshold", health.breaker->error_threshold);
  writer.member("timeout_ms", milliseconds(health.breaker->timeout));
  writer.member("reset_timeout_ms", milliseconds(health.breaker->reset_timeout)).end_object();
}

void write_policy_settings(json::Writer& writer, const engine::PolicySettings& policy) {
  if (policy.chains)
    write_strings(writer, "enabled_chains", *policy.chains);
  else
    writer.key("enabled_chains").null();
  writer.key("risk_thresholds");
  if (!policy.risk) return static_cast<void>(writer.null());
  writer.begin_object().member("low", policy.risk->low).member("high", policy.risk->high).end_object();
}

void write_budget_limits(json::Writer& writer, const std::optional<engine::BudgetLimits>& limits) {
  writer.key("budget_limits");
  if (!limits) return static_cast<void>(writer.null());
  writer.begin_object();
  write_amount(writer, "per_task", limits->per_task);
  write_amount(writer, "per_agent", limits->per_agent);
  write_amount(writer, "total", limits->total);
  writer.end_object();
}

// 002, ResourceAllocation: those of which something is known.
void write_allocations(json::Writer& writer, const engine::Settings& settings, const engine::Agent& agent) {
  const engine::Resources none;
  const engine::Resources& resources = agent.resources ? *agent.resources.get() : none;
  bool any = false;
  for (const engine::Resource resource : engine::all_resources) {
    const engine::Allocation& allocation = resources.of(resource);
    const auto limit = engine::limit_of(settings, agent, resource);
    if (!limit && allocation == engine::Allocation{}) continue;
    if (!std::exchange(any, true)) writer.key("allocations").begin_array();
    writer.begin_object().member("agent_id", agent.id);
    writer.member("resource_type", engine::resource_names[static_cast<std::size_t>(resource)]);
    if (engine::is_spent(resource)) write_amount(writer, "allocated", allocation.allocated());
    write_amount(writer, "consumed", allocation.consumed);
    if (limit) write_amount(writer, "limit", *limit);
    if (allocation.expires_at != base::Instant{}) writer.member("expires_at", base::to_rfc3339(allocation.expires_at));
    writer.end_object();
  }
  if (any) writer.end_array();
}

}  // namespace

std::string_view name(engine::ReceiptState state) {
  using engine::ReceiptState;
  switch (state) {
    case ReceiptState::queued:
      return "queued";
    case ReceiptState::leased:
      return "offered";
    case ReceiptState::waiting:
      return "waiting";
    case ReceiptState::acked:
      return "acked";
    case ReceiptState::offered:
      return "offered";
    case ReceiptState::expired:
      return "expired";
    case ReceiptState::dead:
      return "dead";
    case ReceiptState::bounced:
      return "bounced";
    case ReceiptState::superseded:
      return "superseded";
    case ReceiptState::held:
      return "held";
    case ReceiptState::rejected:
      return "rejected";
    case ReceiptState::rescinded:
      return "rescinded";
    case ReceiptState::acted:
      return "acted";
    case ReceiptState::discarded:
      return "discarded";
  }
  return "";
}

std::string delivery_id(base::Offset offset, std::uint32_t epoch) {
  std::array<char, 32> text;  // 20 digits, the dash, 10 digits
  char* at = std::to_chars(text.begin(), text.end(), offset.value).ptr;
  *at++ = '-';
  return {text.begin(), std::to_chars(at, text.end(), epoch).ptr};
}

engine::DeliveryId parse_delivery(std::string_view text) {
  engine::DeliveryId id;
  const char* const end = text.data() + text.size();
  const auto offset = std::from_chars(text.data(), end, id.offset.value);
  if (offset.ec != std::errc() || offset.ptr == end || *offset.ptr != '-') return {};
  const auto epoch = std::from_chars(offset.ptr + 1, end, id.epoch);
  return epoch.ec == std::errc() && epoch.ptr == end ? id : engine::DeliveryId{};
}

void write_workspace(json::Writer& writer, const engine::Workspace& workspace) {
  const engine::Settings& settings = workspace.settings;
  writer.begin_object().member("name", workspace.name);
  writer.member("validation", std::string_view(settings.lenient ? "lenient" : "strict"));
  write_strings(writer, "profiles", settings.profiles);
  writer.key("settings").begin_object().member("mailbox_messages", settings.mailbox_messages);
  writer.member("mailbox_bytes", settings.mailbox_bytes).member("recipients", settings.recipients);
  writer.member("remembered_ids", settings.remembered_ids);
  writer.member("remembered_for", base::to_text(settings.remembered_for));
  writer.member("lease", base::to_text(settings.lease));
  writer.member("sequence_back", std::string_view(settings.refuse_sequence_back ? "refuse" : "warn"));
  writer.key("rate_messages");
  if (settings.rate_messages)
    writer.unsigned_integer(*settings.rate_messages);
  else
    writer.null();
  writer.member("rate_window", base::to_text(settings.rate_window));
  writer.member("kept_records", settings.kept_records).member("open_requests", settings.open_requests);
  const engine::TaskTimes& times = settings.task_times;
  writer.member("tasks", settings.tasks);
  write_optional(writer, "task_progress_after", times.progress_after);
  write_optional(writer, "task_progress_every", times.progress_every);
  write_optional(writer, "task_silence", times.silence);
  write_optional(writer, "review_timeout", settings.reviews.timeout);
  writer.member("review_escalation", engine::escalation_names[static_cast<std::size_t>(settings.reviews.escalation)]);
  writer.member("unsigned_checks",
                engine::unsigned_checks_names[static_cast<std::size_t>(settings.reviews.unsigned_checks)]);
  writer.member("auto_revision", settings.reviews.auto_revision);
  writer.member("approvals", settings.approvals);
  write_health_settings(writer, settings.health);
  writer.member("loop_hops", settings.loops.hops).member("loop_rounds", settings.loops.rounds);
  writer.member("loop_messages", settings.loops.messages);
  write_policy_settings(writer, settings.policy);
  write_budget_limits(writer, settings.policy.budget);
  writer.end_object();
  write_blocked(writer, workspace);
  if (settings.policy.budget) {
    writer.key("budget").begin_object();
    const engine::Amount consumed = workspace.budget.consumed.amount();
    write_amount(writer, "allocated", engine::plus(consumed, workspace.budget.outstanding.amount()));
    write_amount(writer, "consumed", consumed);
    writer.end_object();
  }
  writer.member("created_at", base::to_rfc3339(workspace.created_at)).member("head", workspace.head.value).end_object();
}

void write_agent(json::Writer& writer, const engine::Workspace& workspace, const engine::Agent& agent,
                 const Seen& seen) {
  const engine::AgentProperties& properties = agent.properties;
  writer.begin_object().member("agent_id", agent.id).member("profile", properties.profile);
  if (!properties.agent_type.empty()) writer.member("agent_type", properties.agent_type);
  if (!properties.instance_id.empty()) writer.member("instance_id", properties.instance_id);
  write_strings(writer, "capabilities", properties.capabilities);
  if (!properties.specialty.empty()) writer.member("specialty", properties.specialty);
  if (properties.max_load) writer.member("max_load", *properties.max_load);
  if (properties.priority) writer.member("priority", *properties.priority);
  writer.member("registered_at", base::to_rfc3339(agent.registered_at));
  writer.key("mailbox").begin_object().member("messages", agent.open_messages).member("bytes", agent.open_bytes);
  writer.member("dead_letters", agent.dead_letters.size()).end_object();
  if (agent.health) write_health(writer, workspace, *agent.health.get(), seen);
  if (const auto number = workspace.registry.find_agent(agent.id); number && !workspace.errors.of(*number).empty())
    write_errors(writer, workspace.errors, workspace.errors.of(*number));
  write_allocations(writer, workspace.settings, agent);
  writer.end_object();
}

void write_person(json::Writer& writer, const engine::Person& person) {
  writer.begin_object().member("person_id", person.id);
  write_strings(writer, "roles", person.roles);
  if (!person.public_key.empty()) writer.member("public_key", person.public_key);
  writer.member("registered_at", base::to_rfc3339(person.registered_at)).end_object();
}

std::vector<base::Problem> problems_of(std::initializer_list<const Problems*> lists) {
  std::vector<base::Problem> problems;
  for (const Problems* const list : lists)
    for (const event::Problem& problem : *list)
      problems.push_back({problem.instance(), problem.schema(), problem.message()});
  return problems;
}

void write_problems(json::Writer& writer, const Problems& problems) {
  writer.begin_array();
  for (const event::Problem& problem : problems)
    writer.begin_object()
        .member("instance", problem.instance())
        .member("schema", problem.schema())
        .member("message", problem.message())
        .end_object();
  writer.end_array();
}

const event::MessageAccepted& accepted_of(const event::Event& event) {
  return event.has_message_released() ? event.message_released().as() : event.message_accepted();
}

std::string_view recorded_field(const event::MessageAccepted& accepted, std::string_view name) {
  for (const event::Field& field : accepted.fields())
    if (field.name() == name) return field.json();
  return {};
}

void write_accepted(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset, base::Instant at,
                    const event::MessageAccepted& accepted) {
  const base::AgentNumber sender(accepted.sender());
  writer.member("offset", offset.value).member("message_id", accepted.message_id());
  writer.member("logged_at", base::to_rfc3339(at));
  writer.member("processing_duration_ms", static_cast<double>(accepted.processing_us()) / 1000.0);
  const bool by_server = sender == base::AgentNumber{};  // R31: to one recipient, in its profile
  writer.member("from", by_server ? profile::server_role : std::string_view(workspace.registry.agent(sender).id));
  writer.member("profile", profile_of(workspace, by_server ? base::AgentNumber(accepted.recipients(0)) : sender));
  writer.key("to").begin_array();
  if (accepted.broadcast())
    writer.string("*");
  else
    for (const std::uint32_t agent : accepted.recipients())
      writer.string(workspace.registry.agent(base::AgentNumber(agent)).id);
  writer.end_array().member("type", accepted.native_type());
  writer.member("kind", envelope::name(static_cast<envelope::Kind>(accepted.kind())));
  writer.member("priority", envelope::name(static_cast<envelope::Priority>(accepted.priority())));
  writer.member("delivery", std::string_view(accepted.at_most_once() ? "at_most_once" : "at_least_once"));
  if (accepted.has_expires_at()) writer.member("expires_at", base::to_rfc3339(base::instant_of(accepted.expires_at())));
  if (!accepted.task().empty()) writer.member("task", accepted.task());
  if (!accepted.correlation().empty()) writer.member("correlation_id", accepted.correlation());
  if (!accepted.reply_to().empty()) writer.member("reply_to", accepted.reply_to());
  if (!accepted.conversation().empty()) writer.member("conversation_id", accepted.conversation());
  if (accepted.supersedes() > 0)
    writer.key("supersedes")
        .begin_object()
        .member("message_id", accepted.superseded_id())
        .member("offset", accepted.supersedes())
        .end_object();
  if (accepted.reply_by())
    writer.member("reply_by", base::to_rfc3339(base::instant_of(accepted.answer_due())));
  else if (accepted.answer_due() > 0)
    writer.member("answer_due", base::to_rfc3339(base::instant_of(accepted.answer_due())));
  if (accepted.hops() > 0)
    writer.member("caused_by", accepted.cause()).member("root", accepted.root()).member("hops", accepted.hops());
  if (accepted.answers() > 0) writer.member("answers", accepted.answers());
  if (accepted.extends() > 0) writer.member("extends", accepted.extends());
  if (accepted.has_postpones()) {
    writer.member("asks_again", accepted.postpones().request());
    writer.member("again_at", base::to_rfc3339(base::instant_of(accepted.postpones().again_at())));
  }
  if (accepted.has_task_moved()) {
    const event::TaskMoved& moved = accepted.task_moved();
    writer.member("task_state", machine::task::name(static_cast<engine::TaskState>(moved.state())));
    writer.member("task_epoch", moved.epoch());
  }
  if (accepted.has_review_moved())
    writer.member("review_state",
                  machine::review::name(static_cast<engine::ReviewState>(accepted.review_moved().state())));
  if (accepted.has_error_moved()) {
    writer.member("error_state",
                  machine::error_case::name(static_cast<engine::ErrorState>(accepted.error_moved().state())));
    writer.key("errors").begin_array();
    for (const std::uint64_t error : accepted.error_moved().errors()) writer.unsigned_integer(error);
    writer.end_array();
  }
  if (!accepted.evidence().empty()) writer.member("evidence", accepted.evidence());
  if (accepted.approval_due() > 0)
    writer.member("approval_due", base::to_rfc3339(base::instant_of(accepted.approval_due())));
  if (accepted.automatic()) writer.member("automatic", true);
  if (accepted.has_help_moved())
    writer.member("help_state", name(static_cast<engine::HelpState>(accepted.help_moved().state())));
  if (accepted.has_collaboration_moved()) writer.member("collaboration_id", accepted.collaboration_moved().id());
  if (accepted.held()) writer.member("held", accepted.approval_why());
  if (accepted.told().state() > 0)
    writer.member("health", name(static_cast<engine::HealthState>(accepted.told().state())));
  if (accepted.told().breaker() > 0)
    writer.member("breaker", name(static_cast<engine::BreakerState>(accepted.told().breaker())));
  if (accepted.validation_errors_size() > 0) {
    writer.key("validation_errors");
    write_problems(writer, accepted.validation_errors());
  }
  if (accepted.warnings_size() > 0) {
    writer.key("warnings");
    write_problems(writer, accepted.warnings());
  }
}

void write_request(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset) {
  const engine::Request* const request = workspace.requests.find(offset);
  if (!request) return;
  writer.key("request").begin_object().member("due", base::to_rfc3339(request->due)).key("waiting_for").begin_array();
  for (const base::AgentNumber agent : request->waiting) writer.string(workspace.registry.agent(agent).id);
  writer.end_array().end_object();
}

void write_reference(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset) {
  writer.begin_object();
  if (const engine::Message* const message = workspace.messages.find(offset))
    writer.member("message_id", message->id.view());
  writer.member("offset", offset.value).end_object();
}

void write_replacement(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset) {
  if (const base::Offset* const after = workspace.replacements.after(offset)) {
    if (*after == base::Offset{}) {
      writer.member("rescinded", true);
    } else {
      writer.key("superseded_by");
      write_reference(writer, workspace, *after);
    }
  }
}

std::string delivery_error(const engine::Workspace& workspace, base::Offset offset, const engine::Message& message,
                           const engine::Receipt& receipt, const profile::RetryPolicy& policy) {
  const auto error = delivery_error_of(workspace, offset, receipt, policy);
  if (!error) return {};
  std::string text;
  json::Writer writer(text);
  writer.begin_object().member("original_message_id", message.id.view());
  writer.member("error_type", name(error->type));
  writer.member("retry_count", error->retries).member("max_retries", error->retries_max);
  if (error->next_retry_at) writer.member("next_retry_at", base::to_rfc3339(*error->next_retry_at));
  writer.end_object();
  return text;
}

void write_receipts(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset,
                    const engine::Message& message, const profile::RetryPolicy& policy) {
  writer.key("receipts").begin_array();
  for (const engine::Receipt& receipt : message.receipts) {
    writer.begin_object().member("recipient", workspace.registry.agent(receipt.agent).id);
    writer.member("state", name(receipt.state)).member("offers", receipt.epoch).member("attempts", receipt.attempts);
    if (receipt.state == engine::ReceiptState::bounced && receipt.bounce != engine::Bounce::none)
      writer.member("why", engine::bounce_names[static_cast<std::size_t>(receipt.bounce)]);
    if (receipt.state == engine::ReceiptState::leased) writer.member("lease_until", base::to_rfc3339(receipt.until));
    if (receipt.state == engine::ReceiptState::waiting) writer.member("retrying_at", base::to_rfc3339(receipt.until));
    if (const std::string error = delivery_error(workspace, offset, message, receipt, policy); !error.empty())
      writer.key("delivery_error").raw(error);
    writer.end_object();
  }
  writer.end_array();
}

std::string task_error_of(const event::MessageAccepted& accepted) {
  using engine::SuggestedAction;
  const event::TaskError& error = accepted.task_error();
  auto suggested = static_cast<SuggestedAction>(error.suggested());
  if (suggested == SuggestedAction::none)  // the server's own, whose shape wants one
    suggested = error.recoverable() ? SuggestedAction::retry : SuggestedAction::reassign;
  std::string text;
  json::Writer writer(text);
  writer.begin_object().member("task_id", accepted.task());
  writer.member("error_type", engine::task_error_names[error.type()])
      .member("error_message", base::excerpt(error.message(), 1'000));
  writer.member("recoverable", error.recoverable());
  writer.member("suggested_action", engine::suggested_action_names[static_cast<std::size_t>(suggested)]).end_object();
  return text;
}

}  // namespace parley::broker
