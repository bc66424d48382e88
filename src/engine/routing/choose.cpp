#include "engine/routing/choose.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/quoted.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/health/availability.hpp"
#include "engine/messages/fields.hpp"
#include "engine/requests/deadlock.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t looks_max = 10'000;       // agents a choice (D11)
constexpr std::size_t rings_max = 16;           // that would be closed, a choice: then nobody is left
constexpr std::size_t wanted_max = 256;         // capabilities: an agent registers no more (D11)
constexpr std::uint64_t size_of_unstated = 10;  // tasks at once, of who registered no max_load

bool has_all(const Agent& agent, const std::vector<std::string>& wanted) {
  const auto& there = agent.properties.capabilities;
  return std::ranges::all_of(wanted,
                             [&](const std::string& one) { return std::ranges::find(there, one) != there.end(); });
}

bool may_be(const Workspace& workspace, const Wanted& wanted, AgentNumber number) {
  const Agent& agent = workspace.registry.agent(number);
  if (agent.properties.profile != wanted.rules.name || std::ranges::find(wanted.but, number) != wanted.but.end())
    return false;
  const auto role = wanted.rules.role_of_agent(agent.id, agent.properties.agent_type);
  return wanted.rules.may_receive(wanted.type, role) && has_all(agent, wanted.capabilities);
}

// Lower is better.
struct Fitness {
  bool degraded = false;  // SUP-07
  std::uint64_t load = 0, size = 1;
  std::int64_t priority = 0;

  friend bool operator<(const Fitness& a, const Fitness& b) {
    const std::uint64_t of_a = a.load * b.size, of_b = b.load * a.size;  // a.load / a.size against the other's
    return std::tie(a.degraded, of_a, a.priority) < std::tie(b.degraded, of_b, b.priority);
  }
};

// Each once. Empty: the message does not say what it takes.
std::vector<std::string> capabilities_of(const AcceptMessage& command) {
  const envelope::Envelope& envelope = command.envelope;
  if (envelope.kind != envelope::Kind::help_request) {
    std::vector<std::string> names = texts_in(envelope, "capabilities");
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    return names;
  }
  std::string subject = command.ruleset.help ? text_in(envelope, "subject") : std::string();
  return subject.empty() ? std::vector<std::string>() : std::vector{std::move(subject)};
}

std::optional<AgentNumber> best_of(const Workspace& workspace, const Wanted& wanted, Instant now) {
  std::optional<AgentNumber> best;
  Fitness of_best;
  std::size_t looks = looks_max;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {  // by id: the first of equals stays
    if (looks-- == 0) break;
    const Agent& agent = workspace.registry.agent(number);
    if (!may_be(workspace, wanted, number) || !takes_new_work(workspace.settings, agent, now)) continue;
    const Load leaving = leaving_load(wanted.leave, workspace, number);
    if (!has_room(workspace.settings, agent, wanted.length, {}, leaving)) continue;
    const Fitness fitness{.degraded = is_degraded(agent),
                          .load = work_of(workspace, number),
                          .size = std::max<std::uint64_t>(1, agent.properties.max_load.value_or(size_of_unstated)),
                          .priority = agent.properties.priority.value_or(std::numeric_limits<std::int32_t>::max())};
    const bool full = agent.properties.max_load && fitness.load >= *agent.properties.max_load;
    if (full || (best && !(fitness < of_best))) continue;
    best = number;
    of_best = fitness;
  }
  return best;
}

}  // namespace

base::Result<AgentNumber> choose_for(const AcceptMessage& command, const Workspace& workspace, Instant now) {
  const auto leave = superseded_by(command);
  const Wanted wanted{.capabilities = capabilities_of(command),
                      .but = {command.sender},
                      .rules = command.ruleset,
                      .type = command.type,
                      .length = command.length,
                      .leave = leave};
  if (wanted.capabilities.empty())
    return base::fail(base::ErrorCode::RECIPIENT_UNKNOWN,
                      "'auto' is nobody's name, and the message does not say what it takes to do it", "recipients",
                      "Name the recipient: `parley agent list`, or GET …/agents, tells who is here with which "
                      "capabilities.");
  if (wanted.capabilities.size() > wanted_max)
    return base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE,
                      "the message names " + std::to_string(wanted.capabilities.size()) +
                          " capabilities; the limit where routing chooses is " + std::to_string(wanted_max),
                      "recipients");
  const auto closes = [&](AgentNumber chosen) { return closes_ring(command, workspace, chosen); };
  if (const auto chosen = choose(workspace, wanted, now, closes)) return *chosen;
  if (const auto chosen = best_of(workspace, wanted, now)) return *chosen;  // refused, with its ring named
  const std::string capabilities = base::listed(wanted.capabilities);
  if (anybody_has(workspace, wanted))
    return base::fail(base::ErrorCode::AGENT_UNAVAILABLE,
                      "everybody here with " + capabilities + " is full or takes no new work now", "recipients",
                      "Send it again with the same id later, or name somebody else.");
  return base::fail(base::ErrorCode::RECIPIENT_UNKNOWN, "nobody else here is registered with " + capabilities,
                    "recipients", "Name the recipient, or register an agent with what it takes.");
}

std::size_t work_of(const Workspace& workspace, AgentNumber agent) {
  return workspace.tasks.of(agent).size() + workspace.help.at_helper(agent).size();
}

bool anybody_has(const Workspace& workspace, const Wanted& wanted) {
  std::size_t looks = looks_max;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {
    if (looks-- == 0) return false;
    if (may_be(workspace, wanted, number)) return true;
  }
  return false;
}

std::optional<AgentNumber> choose(const Workspace& workspace, Wanted wanted, Instant now, const Closes& closes) {
  for (std::size_t rings = 0; rings < rings_max; ++rings) {
    const auto chosen = best_of(workspace, wanted, now);
    if (!chosen || !closes(*chosen)) return chosen;
    wanted.but.push_back(*chosen);
  }
  return std::nullopt;
}

}  // namespace parley::engine
