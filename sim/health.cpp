#include "sim/health.hpp"

#include <set>

#include "base/time.hpp"
#include "envelope/kind.hpp"
#include "sim/fields.hpp"
#include "sim/time_missed.hpp"

namespace parley::sim {
namespace {

using envelope::Kind;
using namespace std::chrono_literals;

base::Duration silence_of(const std::string& of) {
  return of == "supervisor" ? base::Duration(15min) : base::Duration(90s);
}

bool works_not(const std::string& word) {
  static const std::set<std::string> words{"silent", "ERROR", "MAINTENANCE", "OFFLINE", "error", "inactive"};
  return words.contains(word);
}

}  // namespace

void HealthChronicle::require(bool holds, const Who& who, const std::string& what) {
  if (!holds)
    findings_.wrong(what + " (workspace " + std::to_string(who.first) + ", agent " + std::to_string(who.second) + ")");
}

void HealthChronicle::check_work(std::uint32_t workspace, const event::MessageAccepted& message, base::Instant at) {
  const Kind kind{static_cast<std::uint8_t>(message.kind())};
  if (kind != Kind::task_assign && kind != Kind::task_handoff && kind != Kind::help_request) return;
  for (const std::uint32_t to : message.recipients()) {
    if (tasks_before_.corrects_its_order(workspace, message, to)) continue;
    const Agent& agent = agents_[{workspace, to}];
    require(!works_not(agent.word), {workspace, to}, "HND-05: new work to who says '" + agent.word + "'");
    require(agent.available <= at, {workspace, to}, "HND-05: new work before next_available");
  }
}

void HealthChronicle::fold(std::uint32_t workspace, const event::MessageAccepted& message, base::Instant at) {
  if (message.sender() == 0) return;  // what the server tells of work is none
  check_work(workspace, message, at);
  Agent& sender = agents_[{workspace, message.sender()}];
  const Kind kind{static_cast<std::uint8_t>(message.kind())};
  const bool report = kind == Kind::heartbeat || kind == Kind::status_report || kind == Kind::health_check;
  const bool heard = sender.profile == "pipeline" || report;
  if (sender.profile == "collab" || sender.profile == "mesh" || !heard) return;
  sender.beat = at;
  if (sender.word == "silent") sender.word.clear();
  if (!report) return;
  if (const std::string word(unquoted(field(message, "status"))); !word.empty()) sender.word = word;
  if (kind != Kind::status_report) return;
  const auto available = base::parse_rfc3339(unquoted(field(message, "available_at")));
  sender.available = available ? *available : base::Instant{};
}

void HealthChronicle::fold(const Who& who, const event::AgentHealthChanged& changed, base::Instant at) {
  Agent& agent = agents_[who];
  if (changed.look_at() > 0) {  // it asked for mail
    require(agent.word == "silent", who, "R40: heard of again, and was not silent");
    agent.word.clear();
    agent.beat = at;
    return;
  }
  require(agent.beat + silence_of(agent.profile) <= at, who, "HND-05: silent before its time");
  agent.word = "silent";
  sightings_.saw(Sighting::agent_silent);
}

void HealthChronicle::fold(const event::Event& event, base::Instant at) {
  using event::Event;
  switch (event.fact_case()) {
    case Event::kAgentRegistered:
      agents_[{event.workspace(), event.agent_registered().number()}].profile =
          event.agent_registered().properties().profile();
      return;
    case Event::kMessageAccepted:
      return fold(event.workspace(), event.message_accepted(), at);
    case Event::kMessageReleased:
      return check_work(event.workspace(), event.message_released().as(), at);
    case Event::kAgentHealthChanged:
      return fold({event.workspace(), event.agent_health_changed().agent()}, event.agent_health_changed(), at);
    case Event::kServerStarted:
    case Event::kTimeSkipped:
      for (auto& [who, agent] : agents_) agent.beat += time_missed(event);
      return;
    default:
      return;
  }
}

}  // namespace parley::sim
