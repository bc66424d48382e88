#include "broker/registry_shapes.hpp"

#include <utility>

#include "broker/settings.hpp"
#include "broker/shapes.hpp"
#include "engine/resources/allot.hpp"

namespace parley::broker {
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

void write_budget(json::Writer& writer, const engine::BudgetTotal& budget) {
  const engine::Amount consumed = budget.consumed.amount();
  writer.key("budget").begin_object();
  write_amount(writer, "allocated", engine::plus(consumed, budget.outstanding.amount()));
  write_amount(writer, "consumed", consumed);
  writer.end_object();
}

}  // namespace

void write_workspace(json::Writer& writer, const engine::Workspace& workspace) {
  writer.begin_object().member("name", workspace.name);
  write_settings(writer, workspace.settings);
  write_blocked(writer, workspace);
  if (workspace.settings.policy.budget) write_budget(writer, workspace.budget);
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

}  // namespace parley::broker
