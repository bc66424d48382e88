#include "broker/settings.hpp"

#include "base/named.hpp"
#include "broker/bodies.hpp"
#include "broker/bounds.hpp"
#include "broker/shapes.hpp"

namespace parley::broker {
namespace {

template <class T>
void read_count(json::Value object, std::string_view key, T& into) {
  if (const auto value = object.find(key).if_uint()) into = static_cast<T>(*value);
}

base::Result<> read_duration(json::Value object, std::string_view key, base::Duration& into) {
  const auto written = object.find(key).if_string();
  if (!written) return {};
  PARLEY_TRY(into, base::parse_duration(*written));
  return {};
}

// null: none.
base::Result<> read_optional(json::Value object, std::string_view key, std::optional<base::Duration>& into) {
  const json::Value value = object.find(key);
  if (!value) return {};
  into.reset();
  if (value.is_null()) return {};
  return read_duration(object, key, into.emplace());
}

void read_optional(json::Value object, std::string_view key, std::optional<std::uint32_t>& into) {
  if (object.find(key).is_null()) into.reset();
  if (const auto value = object.find(key).if_uint()) into = static_cast<std::uint32_t>(*value);
}

template <class Enumeration, std::size_t n>
void read_word(json::Value object, std::string_view key, const std::array<std::string_view, n>& words,
               Enumeration& into) {
  if (const auto word = object.find(key).if_string()) into = base::named<Enumeration>(words, *word).value_or(into);
}

// null: as each profile says; no breaker.
base::Result<> read_health(json::Value more, engine::HealthSettings& health) {
  PARLEY_CHECK(read_optional(more, "heartbeat_every", health.heartbeat_every));
  read_optional(more, "heartbeats_missed", health.heartbeats_missed);
  const json::Value breaker = more.find("breaker");
  if (breaker.is_null()) health.breaker.reset();
  if (!breaker.is_object()) return {};
  engine::BreakerPolicy& policy = health.breaker.emplace();
  const auto milliseconds = [&](std::string_view key) {
    return std::chrono::milliseconds(breaker.find(key).if_uint().value_or(0));
  };
  read_count(breaker, "error_threshold", policy.error_threshold);
  policy.timeout = milliseconds("timeout_ms");
  policy.reset_timeout = milliseconds("reset_timeout_ms");
  return {};
}

// null: any chain; no risk is minded.
void read_policy(json::Value more, engine::PolicySettings& policy) {
  const json::Value chains = more.find("enabled_chains");
  if (chains.is_null()) policy.chains.reset();
  if (chains.is_array()) read_texts(chains, policy.chains.emplace());
  const json::Value risk = more.find("risk_thresholds");
  if (risk.is_null()) policy.risk.reset();
  if (risk.is_object())
    policy.risk = {risk.find("low").if_double().value_or(0), risk.find("high").if_double().value_or(0)};
  const json::Value budget = more.find("budget_limits");
  if (budget.is_null()) policy.budget.reset();
  if (budget.is_object())
    policy.budget = {read_amount(budget.find("per_task")), read_amount(budget.find("per_agent")),
                     read_amount(budget.find("total"))};
}

void write_optional(json::Writer& writer, std::string_view name, const std::optional<base::Duration>& value) {
  writer.key(name);
  if (value)
    writer.string(base::to_text(*value));
  else
    writer.null();
}

void write_optional(json::Writer& writer, std::string_view name, const std::optional<std::uint32_t>& value) {
  writer.key(name);
  if (value)
    writer.unsigned_integer(*value);
  else
    writer.null();
}

void write_health(json::Writer& writer, const engine::HealthSettings& health) {
  write_optional(writer, "heartbeat_every", health.heartbeat_every);
  write_optional(writer, "heartbeats_missed", health.heartbeats_missed);
  writer.key("breaker");
  if (!health.breaker) return static_cast<void>(writer.null());
  const auto milliseconds = [](base::Duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  writer.begin_object().member("error_threshold", health.breaker->error_threshold);
  writer.member("timeout_ms", milliseconds(health.breaker->timeout));
  writer.member("reset_timeout_ms", milliseconds(health.breaker->reset_timeout)).end_object();
}

void write_risk(json::Writer& writer, const std::optional<engine::RiskThresholds>& risk) {
  writer.key("risk_thresholds");
  if (!risk) return static_cast<void>(writer.null());
  writer.begin_object().member("low", risk->low).member("high", risk->high).end_object();
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

void write_policy(json::Writer& writer, const engine::PolicySettings& policy) {
  if (policy.chains)
    write_strings(writer, "enabled_chains", *policy.chains);
  else
    writer.key("enabled_chains").null();
  write_risk(writer, policy.risk);
  write_budget_limits(writer, policy.budget);
}

}  // namespace

base::Result<engine::Settings> read_settings(json::Value body, engine::Settings settings) {
  if (const auto validation = body.find("validation").if_string()) settings.lenient = *validation == "lenient";
  read_texts(body.find("profiles"), settings.profiles);
  const json::Value more = body.find("settings");
  read_count(more, "mailbox_messages", settings.mailbox_messages);
  read_count(more, "mailbox_bytes", settings.mailbox_bytes);
  read_count(more, "recipients", settings.recipients);
  read_count(more, "remembered_ids", settings.remembered_ids);
  PARLEY_CHECK(read_duration(more, "remembered_for", settings.remembered_for));
  PARLEY_CHECK(read_duration(more, "lease", settings.lease));
  PARLEY_CHECK(check_lease(settings.lease, "/settings/lease"));
  if (const auto word = more.find("sequence_back").if_string()) settings.refuse_sequence_back = *word == "refuse";
  read_count(more, "kept_records", settings.kept_records);
  read_count(more, "open_requests", settings.open_requests);
  read_count(more, "tasks", settings.tasks);
  engine::TaskTimes& times = settings.task_times;
  PARLEY_CHECK(read_optional(more, "task_progress_after", times.progress_after));
  PARLEY_CHECK(read_optional(more, "task_progress_every", times.progress_every));
  PARLEY_CHECK(read_optional(more, "task_silence", times.silence));
  PARLEY_CHECK(read_optional(more, "review_timeout", settings.reviews.timeout));
  read_word(more, "review_escalation", engine::escalation_names, settings.reviews.escalation);
  read_word(more, "unsigned_checks", engine::unsigned_checks_names, settings.reviews.unsigned_checks);
  if (const auto wanted = more.find("auto_revision").if_bool()) settings.reviews.auto_revision = *wanted;
  read_count(more, "approvals", settings.approvals);
  PARLEY_CHECK(read_health(more, settings.health));
  read_count(more, "loop_hops", settings.loops.hops);
  read_count(more, "loop_rounds", settings.loops.rounds);
  read_count(more, "loop_messages", settings.loops.messages);
  read_policy(more, settings.policy);
  read_optional(more, "rate_messages", settings.rate_messages);
  PARLEY_CHECK(read_duration(more, "rate_window", settings.rate_window));
  if (settings.rate_window <= base::Duration{})
    return base::fail(base::ErrorCode::BAD_REQUEST, "rate_window is no time", "/settings/rate_window");
  return settings;
}

void write_settings(json::Writer& writer, const engine::Settings& settings) {
  writer.member("validation", std::string_view(settings.lenient ? "lenient" : "strict"));
  write_strings(writer, "profiles", settings.profiles);
  writer.key("settings").begin_object().member("mailbox_messages", settings.mailbox_messages);
  writer.member("mailbox_bytes", settings.mailbox_bytes).member("recipients", settings.recipients);
  writer.member("remembered_ids", settings.remembered_ids);
  writer.member("remembered_for", base::to_text(settings.remembered_for));
  writer.member("lease", base::to_text(settings.lease));
  writer.member("sequence_back", std::string_view(settings.refuse_sequence_back ? "refuse" : "warn"));
  write_optional(writer, "rate_messages", settings.rate_messages);
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
  write_health(writer, settings.health);
  writer.member("loop_hops", settings.loops.hops).member("loop_rounds", settings.loops.rounds);
  writer.member("loop_messages", settings.loops.messages);
  write_policy(writer, settings.policy);
  writer.end_object();
}

}  // namespace parley::broker
