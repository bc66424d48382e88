#include "engine/tasks/handoff.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/messages/fields.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

constexpr std::size_t capabilities_max = 256;  // of an offer (D11)
constexpr std::size_t candidates_max = 5;      // named in a refusal
constexpr std::size_t looks_max = 1'000;       // agents, in the search for them

std::string lacking(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  std::string names;
  for (const std::string& one : wanted)
    if (std::find(there.begin(), there.end(), one) == there.end())
      names += (names.empty() ? "'" : ", '") + base::excerpt(one, 64) + "'";
  return names;
}

// Who else could take it.
std::string candidates(const Workspace& workspace, const Agent& target, const std::vector<std::string>& wanted) {
  std::string names;
  std::size_t found = 0, looks = 0;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {
    if (++looks > looks_max || found == candidates_max) break;
    const AgentProperties& properties = workspace.registry.agent(number).properties;
    if (properties.profile != target.properties.profile || !lacking(wanted, properties.capabilities).empty()) continue;
    names += (found++ > 0 ? ", '" : "'") + id + "'";
  }
  return names.empty() ? "Nobody registered here has all of them." : "Those who have all of them: " + names + ".";
}

base::Result<> looser(std::string_view what) {
  return base::fail(ErrorCode::CONSTRAINTS_LOOSER, "the " + std::string(what) + " is looser than what was offered with",
                    "constraints", "Keep what the offer asks for or stricter, or decline it.");
}

}  // namespace

base::Result<> write_offer(const envelope::Envelope& envelope, const Workspace& workspace, AgentNumber target,
                           Instant now, event::TaskOffer& offer) {
  const Agent& agent = workspace.registry.agent(target);
  const auto capabilities = texts_in(envelope, "capabilities");
  if (capabilities.size() > capabilities_max)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "the offer asks for " + std::to_string(capabilities.size()) + " capabilities; the limit is " +
                          std::to_string(capabilities_max),
                      "capabilities");
  if (const std::string lacks = lacking(capabilities, agent.properties.capabilities); !lacks.empty())
    return base::fail(ErrorCode::CAPABILITY_MISSING, "'" + agent.id + "' is not registered with " + lacks, "recipients",
                      candidates(workspace, agent, capabilities));
  offer.set_state(event::TaskOffer::OFFERED);
  offer.set_target(target.value);
  for (const std::string& capability : capabilities) offer.add_capabilities(capability);
  if (const auto tokens = number_in(envelope, "max_tokens")) offer.set_max_tokens(*tokens);
  if (const auto budget = number_in(envelope, "budget")) offer.set_budget(*budget);
  if (const auto quality = number_in(envelope, "quality")) offer.set_quality(*quality);
  Instant due = instant_in(envelope, "deadline").value_or(Instant{});
  if (envelope.expires_at && (due == Instant{} || *envelope.expires_at < due)) due = *envelope.expires_at;
  if (due != Instant{}) offer.set_due(base::unix_us(std::max(due, now)));
  return {};
}

base::Result<> check_kept(const envelope::Envelope& envelope, const TaskOffer& offer) {
  const auto exceeds = [&](std::string_view name, const std::optional<double>& bound) {
    const auto stated = number_in(envelope, name);
    return stated && bound && *stated > *bound;
  };
  if (exceeds("max_tokens", offer.max_tokens)) return looser("limit of tokens");
  if (exceeds("budget", offer.budget)) return looser("budget");
  const auto quality = number_in(envelope, "quality");
  if (quality && offer.quality && *quality < *offer.quality) return looser("quality");
  if (!envelope::field(envelope, "capabilities").empty() &&
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
  return kept;
}

}  // namespace parley::engine
