#include "engine/health/availability.hpp"

#include <algorithm>
#include <array>

#include "base/quoted.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/resources/allot.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t looks_max = 1'000;  // agents a refusal looks at (D11)
constexpr std::size_t named_max = 5;

enum class Obstacle : std::uint8_t { none, state, not_yet, breaker, spent };

constexpr bool gets_nothing_new(HealthState state) {
  return state == HealthState::maintenance || state == HealthState::error || state == HealthState::offline;
}

Obstacle obstacle(const Settings& settings, const Agent& agent, Instant now) {
  const Health* health = agent.health.get();
  if (agent.resources && !spent_by(settings, agent, now).empty()) return Obstacle::spent;
  if (!health) return Obstacle::none;
  if (gets_nothing_new(health->state)) return Obstacle::state;
  if (health->next_available > now) return Obstacle::not_yet;
  const bool shut = health->breaker.state != BreakerState::closed && health->breaker.until > now;
  return settings.health.breaker && shut ? Obstacle::breaker : Obstacle::none;
}

std::string what_is_so(const Settings& settings, const Agent& agent, Obstacle obstacle, Instant now) {
  const std::string who = base::quoted(agent.id);
  if (obstacle == Obstacle::spent) return who + " gets nothing new: " + spent_by(settings, agent, now);
  const Health& health = *agent.health.get();
  if (obstacle == Obstacle::not_yet) return who + " takes new work again at " + base::to_rfc3339(health.next_available);
  if (obstacle == Obstacle::breaker)
    return "the circuit breaker of " + who + " is " + std::string(name(health.breaker.state)) + " after " +
           std::to_string(health.breaker.errors.size()) + " errors; it may be tried again at " +
           base::to_rfc3339(health.breaker.until);
  const std::string state = who + " is " + (health.state == HealthState::offline ? "" : "in ") +
                            std::string(name(health.state)) + " since " + base::to_rfc3339(health.since);
  return health.silent ? state + ": it fell silent, its newest message is of " + base::to_rfc3339(health.heard) : state;
}

base::Error unavailable(const Settings& settings, const Agent& agent, Obstacle found, std::string_view where,
                        Instant now) {
  base::Error error;
  error.code = base::ErrorCode::AGENT_UNAVAILABLE;
  error.message = what_is_so(settings, agent, found, now);
  error.where = where;
  if (found != Obstacle::not_yet && found != Obstacle::breaker) return error;
  const Health& health = *agent.health.get();
  const Instant back = found == Obstacle::not_yet ? health.next_available : health.breaker.until;
  error.retry_after = std::chrono::ceil<std::chrono::milliseconds>(back - now);
  return error;
}

bool is_its_attempt(const Agent& agent, Offset message) {
  const Breaker& breaker = agent.health.get()->breaker;
  return breaker.state == BreakerState::half_open && breaker.attempt == message;
}

struct Others {
  std::string well, degraded;  // SUP-07: who is degraded is named only where nobody else is
  std::size_t well_count = 0, degraded_count = 0;

  void add(const Agent& agent) {
    const bool worse = is_degraded(agent);
    std::size_t& count = worse ? degraded_count : well_count;
    if (count++ < named_max) (worse ? degraded : well).append(count > 1 ? ", '" : "'").append(agent.id).append("'");
  }
};

// Agents of the same profile that may get this type and take new work: of the same agent_type first.
std::array<std::string, 4> others(const AcceptMessage& command, const Workspace& workspace, const Agent& instead_of,
                                  Instant now) {
  Others alike, any;
  std::size_t looks = looks_max;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {
    if (looks-- == 0) break;
    const Agent& agent = workspace.registry.agent(number);
    if (number == command.sender || agent.properties.profile != command.ruleset.name) continue;
    const auto role = command.ruleset.role_of_agent(id, agent.properties.agent_type);
    if (!command.ruleset.may_receive(command.type, role) || !takes_new_work(workspace.settings, agent, now)) continue;
    (agent.properties.agent_type == instead_of.properties.agent_type ? alike : any).add(agent);
  }
  return {alike.well, any.well, alike.degraded, any.degraded};
}

std::string first_of(std::span<const std::string> names) {
  const auto at = std::ranges::find_if(names, [](const std::string& some) { return !some.empty(); });
  return at == names.end() ? std::string() : *at;
}

constexpr bool is_had(TaskState state) {
  return state == TaskState::assigned || state == TaskState::active || state == TaskState::stalled;
}

// The order that the agent has, given anew (BEY-03). Who is offline has none where its work is returned (HND-05).
bool corrects_its_order(const AcceptMessage& command, const Workspace& workspace, const Agent& recipient) {
  const TakeBack* const before = in_force(command);
  if (!before || command.envelope.kind != envelope::Kind::task_assign) return false;
  const auto& tasks = command.ruleset.tasks;
  if (is_offline(recipient) && tasks && tasks->returned) return false;
  const auto known = workspace.tasks.of_assignment(before->message);
  if (!known) return false;
  const Task& task = workspace.tasks.at(*known);
  // Where the message's id is its task's too, an order given anew is another task (R38).
  const bool each_its_own =
      command.envelope.task == command.envelope.message_id && task.id.view() == before->was.message_id();
  const bool same = (task.id.view() == command.envelope.task || each_its_own) && supersedes_order(command, task);
  return same && is_had(task.state) && &workspace.registry.agent(task.assignee) == &recipient;
}

}  // namespace

bool is_offline(const Agent& agent) {
  return agent.health && agent.health.get()->state == HealthState::offline;
}

bool is_degraded(const Agent& agent) {
  return agent.health && agent.health.get()->state == HealthState::degraded;
}

base::Result<> check_takes_over(const Settings& settings, const Agent& agent, Offset offer, Instant now) {
  const Obstacle found = obstacle(settings, agent, now);
  if (found == Obstacle::none || (found == Obstacle::breaker && is_its_attempt(agent, offer))) return {};
  return std::unexpected(unavailable(settings, agent, found, "sender", now));
}

bool takes_new_work(const Settings& settings, const Agent& agent, Instant now) {
  return obstacle(settings, agent, now) == Obstacle::none;
}

bool is_new_work(const AcceptMessage& command, const Workspace& workspace, const Agent& recipient) {
  return (work_kinds & bit(command.envelope.kind)) != 0 && !corrects_its_order(command, workspace, recipient);
}

base::Result<> check_available(const AcceptMessage& command, const Workspace& workspace, const Agent& recipient,
                               Instant now) {
  if (!is_new_work(command, workspace, recipient)) return {};
  const Obstacle found = obstacle(workspace.settings, recipient, now);
  if (found == Obstacle::none) return {};
  base::Error error = unavailable(workspace.settings, recipient, found, "recipients", now);
  const std::string names = first_of(others(command, workspace, recipient, now));
  error.hint = names.empty() ? "Nobody else here takes it now; send it again with the same id when " +
                                   base::quoted(recipient.id) + " is back."
                             : "Give it to one who takes new work: " + names + "; or send it again when " +
                                   base::quoted(recipient.id) + " is back.";
  return std::unexpected(std::move(error));
}

void warn_of_degraded(const AcceptMessage& command, const Workspace& workspace, std::span<const AgentNumber> recipients,
                      Instant now, std::vector<base::Problem>& warnings) {
  const auto degraded = [&](AgentNumber number) {
    const Agent& agent = workspace.registry.agent(number);
    return is_new_work(command, workspace, agent) && is_degraded(agent);
  };
  const auto first = std::ranges::find_if(recipients, degraded);
  if (first == recipients.end()) return;
  const Agent& agent = workspace.registry.agent(*first);
  const auto names = others(command, workspace, agent, now);  // once a message: it looks at many (D11)
  const std::string well = first_of(std::span(names).first(2));
  if (well.empty()) return;
  const auto more = std::count_if(first + 1, recipients.end(), degraded);
  const std::string besides = more > 0 ? " (and " + std::to_string(more) + " more of its recipients)" : "";
  warnings.push_back(
      {"", "AGENT_DEGRADED", base::quoted(agent.id) + " is degraded" + besides + "; who is well: " + well + "."});
}

}  // namespace parley::engine
