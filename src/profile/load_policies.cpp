#include <charconv>

#include "profile/loading.hpp"

namespace parley::profile {
namespace {

std::uint32_t major_of(std::string_view version) {
  std::uint32_t major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

void read_identity(Loading& loading) {
  Ruleset& rules = *loading.rules;
  Reading& reading = *loading.reading;
  rules.name = text_of(loading.root.find("name"));
  rules.version = text_of(loading.root.find("version"));
  rules.title = text_of(loading.root.find("title"));
  rules.broadcast_words = texts_of(loading.root.find("broadcast"));
  rules.automatic_words = texts_of(loading.root.find("auto"));
  rules.message_bytes_max = loading.root.find("limits").find("message_bytes").if_uint().value_or(0);
  if (loading.root.find("idempotency").if_string() == "message_and_recipient")
    rules.idempotency_key = IdempotencyKey::message_and_recipient;
  reading.type_pointer = text_of(loading.root.find("type_at"));
  reading.type_at = *json::Pointer::parse(reading.type_pointer);  // the schema of profiles has checked its form
  if (const auto at = loading.root.find("compressed_at").if_string())
    reading.compressed_at = *json::Pointer::parse(*at);
  reading.version = text_of(loading.root.find("envelope").find("version").find("speaks"));
  reading.version_major = major_of(reading.version);
}

void read_roles(Loading& loading) {
  Ruleset& rules = *loading.rules;
  rules.roles = texts_of(loading.root.find("roles"));
  for (const std::string_view role : {human_role, server_role})
    if (rules.role_named(role))
      loading.problem("/roles", "reserved_role", "'" + std::string(role) + "' is a reserved role and is not listed");
  rules.roles_open = loading.root.find("roles_open").if_bool().value_or(false);
  if (loading.root.find("role_of").if_string() == "agent_id") rules.role_of = RoleOf::agent_id;
}

base::Duration duration_at(Loading& loading, json::Value value, const std::string& pointer) {
  const auto duration = base::parse_duration(value.as_string());
  if (!duration) loading.problem(pointer, "duration", duration.error().message);
  return duration.value_or(base::Duration{});
}

void read_retry(Loading& loading) {
  Ruleset& rules = *loading.rules;
  const json::Value retry = loading.root.find("retry");
  RetryPolicy& policy = rules.retry;
  policy.attempts = static_cast<std::uint32_t>(retry.find("attempts").if_uint().value_or(1));
  policy.multiplier = retry.find("multiplier").if_double().value_or(1);
  policy.full_jitter = retry.find("jitter").if_string() == "full";
  policy.base_delay = duration_at(loading, retry.find("base_delay"), "/retry/base_delay");
  policy.max_delay = duration_at(loading, retry.find("max_delay"), "/retry/max_delay");
  policy.codes = texts_of(retry.find("codes"));
  if (policy.max_delay < policy.base_delay)
    loading.problem("/retry/max_delay", "retry", "max_delay is shorter than base_delay");
}

void read_rate(Loading& loading) {
  const json::Value rate = loading.root.find("limits").find("rate");
  if (!rate) return;
  RateLimit& limit = loading.rules->rate;
  limit.messages = static_cast<std::uint32_t>(rate.find("messages").if_uint().value_or(0));
  limit.window = duration_at(loading, rate.find("window"), "/limits/rate/window");
  if (limit.window <= base::Duration{}) loading.problem("/limits/rate/window", "rate", "a window takes time");
}

void read_requests(Loading& loading) {
  const json::Value requests = loading.root.find("requests");
  if (!requests) return;
  RequestPolicy& policy = loading.rules->requests.emplace();
  policy.every = requests.find("await").if_string() == "every";
  policy.timeout = duration_at(loading, requests.find("timeout"), "/requests/timeout");
  policy.progress_extends = requests.find("progress_extends").if_bool().value_or(false);
  policy.retries_errors = requests.find("on_error").if_string() == "retry";
  policy.retries_timeouts = requests.find("on_timeout").if_string() == "retry";
  policy.escalates_to = text_of(requests.find("escalates_to"));
  if (policy.timeout <= base::Duration{}) loading.problem("/requests/timeout", "requests", "an answer takes time");
}

void read_recovery(Loading& loading, json::Value recovery, const std::string& at, Recovery& into) {
  if (!recovery) return;
  into.times = static_cast<std::uint32_t>(recovery.find("times").if_uint().value_or(1));
  into.longer = static_cast<std::uint32_t>(recovery.find("longer").if_uint().value_or(1));
  const auto then = recovery.find("then").if_string();
  into.then_human = then == "human";
  into.then_abort = then == "abort";
  for (const json::Value wait : recovery.find("waits").elements())
    into.waits.push_back(duration_at(loading, wait, at + "/waits"));
}

void read_tasks(Loading& loading) {
  const json::Value tasks = loading.root.find("tasks");
  if (!tasks) return;
  TaskPolicy& policy = loading.rules->tasks.emplace();
  policy.needs_ack = tasks.find("acknowledgment").if_string() == "required";
  const auto read = [&](json::Value value, const std::string& name, base::Duration& into) {
    if (value) into = duration_at(loading, value, "/tasks/" + name);
  };
  read(tasks.find("progress").find("after"), "progress/after", policy.progress_after);
  read(tasks.find("progress").find("every"), "progress/every", policy.progress_every);
  read(tasks.find("silence"), "silence", policy.silence);
  read(tasks.find("timeout"), "timeout", policy.timeout);
  const json::Value recovery = tasks.find("recovery");
  read_recovery(loading, recovery.find("timeout"), "/tasks/recovery/timeout", policy.after_timeout);
  read_recovery(loading, recovery.find("exception"), "/tasks/recovery/exception", policy.after_exception);
  read(recovery.find("resource_limit").find("parts_within"), "recovery/resource_limit/parts_within",
       policy.parts_within);
  loading.rules->partial_words = texts_of(tasks.find("partial"));
  policy.returned = tasks.find("offline").if_string() == "returned";
}

// One of these of a machine; none where it is called otherwise.
template <class State>
State state_named(std::string_view word, std::initializer_list<State> states) {
  for (const State state : states)
    if (name(state) == word) return state;
  return State::none;
}

machine::review::State verdict_named(std::string_view word) {
  using enum machine::review::State;
  return state_named(word, {approved, changes_requested, rejected});
}

void read_reviews(Loading& loading) {
  const json::Value reviews = loading.root.find("reviews");
  if (!reviews) return;
  ReviewPolicy& policy = loading.rules->reviews.emplace();
  for (const auto [word, verdict] : reviews.find("verdicts").members())
    policy.verdicts.emplace_back(word, verdict_named(verdict.as_string()));
  policy.blocking = texts_of(reviews.find("blocking"));
  for (const auto [criterion, verification] : reviews.find("criteria").members())
    policy.criteria.emplace_back(criterion, verification.as_string());
  policy.iterations = static_cast<std::uint32_t>(reviews.find("iterations").if_uint().value_or(3));
  policy.custom = text_of(reviews.find("custom"));
  policy.timeout = duration_at(loading, reviews.find("timeout"), "/reviews/timeout");
  if (policy.timeout <= base::Duration{}) loading.problem("/reviews/timeout", "reviews", "a review takes time");
  if (!loading.rules->tasks) loading.problem("/reviews", "reviews", "What is reviewed are tasks: say `tasks`");
}

machine::error_case::State decision_named(std::string_view word) {
  using enum machine::error_case::State;
  return state_named(word, {retried, skipped, aborted});
}

void read_errors(Loading& loading) {
  const json::Value errors = loading.root.find("errors");
  if (!errors) return;
  ErrorPolicy& policy = loading.rules->errors.emplace();
  policy.decided_by = text_of(errors.find("decided_by"));
  for (const auto [word, outcome] : errors.find("decisions").members())
    policy.words.emplace_back(word, decision_named(outcome.as_string()));
  policy.failed = text_of(errors.find("statuses").find("failed"));
  policy.blocked = text_of(errors.find("statuses").find("blocked"));
  policy.workspace = text_of(errors.find("statuses").find("workspace"));
  if (!loading.rules->role_named(policy.decided_by)) loading.no_such_role("/errors/decided_by", policy.decided_by);
}

void read_approvals(Loading& loading) {
  const json::Value approvals = loading.root.find("approvals");
  if (!approvals) return;
  ApprovalPolicy& policy = loading.rules->approvals.emplace();
  policy.timeout = duration_at(loading, approvals.find("timeout"), "/approvals/timeout");
  policy.escalates = approvals.find("escalates").if_bool().value_or(true);
  if (const json::Value holds = approvals.find("holds_completions")) {
    policy.holds_completions = true;
    policy.held_words = texts_of(holds.find("status"));
  }
  if (policy.timeout <= base::Duration{}) loading.problem("/approvals/timeout", "approvals", "a decision takes time");
}

void read_help(Loading& loading) {
  const json::Value help = loading.root.find("help");
  if (help) loading.rules->help = {texts_of(help.find("passes")), texts_of(help.find("together"))};
}

machine::health::State health_state_named(std::string_view name) {
  for (unsigned state = 1; state <= static_cast<unsigned>(machine::health::State::offline); ++state)
    if (machine::health::name(machine::health::State(state)) == name) return machine::health::State(state);
  return machine::health::State::none;
}

void read_health(Loading& loading) {
  const json::Value health = loading.root.find("health");
  if (!health) return;
  HealthPolicy& policy = loading.rules->health.emplace();
  for (const auto [word, state] : health.find("words").members())
    policy.words.emplace_back(word, health_state_named(state.as_string()));
  policy.tells = text_of(health.find("tells"));
  if (!policy.tells.empty() && !loading.rules->role_named(policy.tells))
    loading.no_such_role("/health/tells", policy.tells);
  const json::Value stated = health.find("heartbeat");
  if (!stated) return;
  Heartbeat& heartbeat = policy.heartbeat.emplace();
  heartbeat.every = duration_at(loading, stated.find("every"), "/health/heartbeat/every");
  heartbeat.missed = static_cast<std::uint32_t>(stated.find("missed").if_uint().value_or(1));
  heartbeat.then = health_state_named(stated.find("then").as_string());
  heartbeat.any = stated.find("any_message").if_bool().value_or(false);
  if (heartbeat.every <= base::Duration{})
    loading.problem("/health/heartbeat/every", "health", "between two heartbeats lies time");
}

void read_priorities(Loading& loading) {
  Reading& reading = *loading.reading;
  const json::Value stated = loading.root.find("priorities");
  for (const auto [word, level] : stated.find("read").members())
    reading.priority_words.emplace_back(word, certain(envelope::priority_named(level.as_string())));
  for (std::size_t i = 0; i < envelope::priority_count; ++i)
    reading.priority_written[i] = text_of(stated.find("write").find(name(static_cast<envelope::Priority>(i))));
  reading.priority_default = certain(envelope::priority_named(stated.find("default").as_string()));
}

}  // namespace

void load_policies(Loading& loading) {
  read_identity(loading);
  read_roles(loading);
  read_retry(loading);
  read_rate(loading);
  read_requests(loading);
  read_tasks(loading);
  read_reviews(loading);
  read_errors(loading);
  read_approvals(loading);
  read_help(loading);
  read_health(loading);
  read_priorities(loading);
}

}  // namespace parley::profile
