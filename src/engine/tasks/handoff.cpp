#include "engine/tasks/handoff.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"
#include "engine/tasks/watch.hpp"
#include "json/parser.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

constexpr std::size_t capabilities_max = 256;   // of an offer (D11)
constexpr std::size_t candidates_max = 5;       // named in a refusal
constexpr std::size_t candidate_looks = 1'000;  // agents, in the search for them
constexpr std::size_t reports_max = 100;        // read, likewise

std::string lacking(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  std::string names;
  for (const std::string& one : wanted)
    if (std::find(there.begin(), there.end(), one) == there.end())
      names += (names.empty() ? "'" : ", '") + base::excerpt(one, 64) + "'";
  return names;
}

// As it reports itself; none: it has not.
std::optional<double> success_rate_of(const Agent& agent) {
  if (!agent.health || agent.health.get()->report.empty()) return std::nullopt;
  const auto report = json::Document::parse(agent.health.get()->report);
  return report ? report->root().find("success_rate").if_double() : std::nullopt;
}

// Who else could take it.
std::string candidates(const Workspace& workspace, const Agent& target, const std::vector<std::string>& wanted,
                       double quality) {
  std::string names;
  std::size_t found = 0, looks = 0, reports = 0;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {
    if (++looks > candidate_looks || found == candidates_max) break;
    const Agent& agent = workspace.registry.agent(number);
    const AgentProperties& properties = agent.properties;
    if (properties.profile != target.properties.profile || !lacking(wanted, properties.capabilities).empty()) continue;
    if (quality > 0 && ++reports > reports_max) break;
    if (quality > 0 && success_rate_of(agent).value_or(quality) < quality) continue;
    names += (found++ > 0 ? ", '" : "'") + id + "'";
  }
  return names.empty() ? "Nobody registered here has all of it." : "Those who have all of it: " + names + ".";
}

// HND-03: held against what the target reports; of who reports nothing nobody knows.
base::Result<> check_quality(const Workspace& workspace, const Agent& target, const std::vector<std::string>& wanted,
                             double quality) {
  const auto rate = success_rate_of(target);
  if (!rate || *rate >= quality) return {};
  return base::fail(ErrorCode::QUALITY_MISSING,
                    base::quoted(target.id) + " reports a success rate of " + text_of(*rate) + ", the offer asks for " +
                        text_of(quality),
                    "recipients", candidates(workspace, target, wanted, quality));
}

base::Result<> looser(std::string_view what) {
  return base::fail(ErrorCode::CONSTRAINTS_LOOSER, "the " + std::string(what) + " is looser than what was offered with",
                    "constraints", "Keep what the offer asks for or stricter, or decline it.");
}

}  // namespace

base::Result<> write_offer(const envelope::Envelope& envelope, const Workspace& workspace, AgentNumber target,
                           Instant now, event::TaskOffer& offer, std::vector<base::Problem>& warnings) {
  const Agent& agent = workspace.registry.agent(target);
  const auto capabilities = texts_in(envelope, "capabilities");
  if (capabilities.size() > capabilities_max)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "the offer asks for " + std::to_string(capabilities.size()) + " capabilities; the limit is " +
                          std::to_string(capabilities_max),
                      "capabilities");
  if (const std::string lacks = lacking(capabilities, agent.properties.capabilities); !lacks.empty())
    return base::fail(ErrorCode::CAPABILITY_MISSING, base::quoted(agent.id) + " is not registered with " + lacks,
                      "recipients",
                      candidates(workspace, agent, capabilities, number_in(envelope, "quality").value_or(0)));
  offer.set_state(event::TaskOffer::OFFERED);
  offer.set_target(target.value);
  for (const std::string& capability : capabilities) offer.add_capabilities(capability);
  if (const auto tokens = number_in(envelope, "max_tokens")) offer.set_max_tokens(*tokens);
  if (const auto budget = number_in(envelope, "budget")) offer.set_budget(*budget);
  if (const auto quality = number_in(envelope, "quality")) {
    PARLEY_CHECK(check_quality(workspace, agent, capabilities, *quality));
    offer.set_quality(*quality);
  }
  if (const auto deadline = instant_in(envelope, "work_deadline")) {
    warn_if_over(*deadline, now, warnings);
    offer.set_deadline(base::unix_us(*deadline));
  }
  Instant due = instant_in(envelope, "deadline").value_or(Instant{});
  if (envelope.expires_at && (due == Instant{} || *envelope.expires_at < due)) due = *envelope.expires_at;
  if (due != Instant{}) offer.set_due(base::unix_us(std::max(due, now)));
  return {};
}

base::Result<> check_kept(const envelope::Envelope& envelope, const TaskOffer& offer,
                          std::vector<base::Problem>& warnings) {
  const auto exceeds = [&](std::string_view name, const std::optional<double>& bound) {
    const auto stated = number_in(envelope, name);
    return stated && bound && *stated > *bound;
  };
  if (exceeds("max_tokens", offer.max_tokens)) return looser("limit of tokens");
  if (exceeds("budget", offer.budget)) return looser("budget");
  const auto quality = number_in(envelope, "quality");
  if (quality && offer.quality && *quality < *offer.quality) return looser("quality");
  const auto deadline = instant_in(envelope, "work_deadline");
  if (deadline && offer.deadline != Instant{} && *deadline > offer.deadline) return looser("deadline");
  const auto estimate = instant_in(envelope, "estimated_completion");
  if (estimate && offer.deadline != Instant{} && *estimate > offer.deadline)
    warnings.push_back({"", "ESTIMATE_LATE",
                        "It is expected to be done at " + base::to_rfc3339(*estimate) + ", and was wanted by " +
                            base::to_rfc3339(offer.deadline) + "."});
  if (envelope::value(envelope, "capabilities") &&
      !lacking(offer.capabilities, texts_in(envelope, "capabilities")).empty())
    return looser("list of capabilities");
  return {};
}

TaskOffer read_offer(Offset request, const event::TaskOffer& offer) {
  TaskOffer kept{.request = request,
                 .target = AgentNumber(offer.target()),
                 .due = offer.due() != 0 ? base::instant_of(offer.due()) : Instant{},
                 .capabilities = {offer.capabilities().begin(), offer.capabilities().end()}};
  if (offer.has_max_tokens()) kept.max_tokens = offer.max_tokens();
  if (offer.has_budget()) kept.budget = offer.budget();
  if (offer.has_quality()) kept.quality = offer.quality();
  if (offer.deadline() != 0) kept.deadline = base::instant_of(offer.deadline());
  return kept;
}

}  // namespace parley::engine
