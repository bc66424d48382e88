// What an agent may use, as who manages the workspace says (HND-12).
#include "engine/appliers.hpp"

namespace parley::engine {

base::Result<> Engine::decide(const AllocateResource& command, const Context& context, Decided& decided) const {
  const Agent& agent = state_.workspace(command.workspace).registry.agent(command.agent);
  if (command.expires_at != Instant{} && command.expires_at <= context.now)
    return base::fail(base::ErrorCode::BAD_REQUEST, "expires_at " + base::to_rfc3339(command.expires_at) + " is over",
                      "/expires_at", "Name a time that is to come, or null.");
  const Allocation before = agent.resources ? agent.resources.get()->of(command.resource) : Allocation{};
  const bool same = before.limit == command.limit && before.expires_at == command.expires_at;
  if (same && !(command.renewed && before.consumed > Amount{})) return {};
  event::ResourceAllocated& event = *decided.add(command.workspace).mutable_resource_allocated();
  event.set_agent(command.agent.value);
  event.set_resource(static_cast<std::uint32_t>(command.resource));
  if (command.limit) event.set_limit(command.limit->millionths);
  if (command.expires_at != Instant{}) event.set_expires_at(base::unix_us(command.expires_at));
  event.set_renewed(command.renewed);
  return {};
}

void apply(Workspace& workspace, const event::ResourceAllocated& event) {
  const auto resource = static_cast<Resource>(event.resource());
  Allocation& allocation = workspace.registry.agent(AgentNumber(event.agent())).resources.made().of(resource);
  allocation.limit = event.has_limit() ? std::optional(Amount{event.limit()}) : std::nullopt;
  allocation.expires_at = event.expires_at() != 0 ? base::instant_of(event.expires_at()) : Instant{};
  if (!event.renewed()) return;
  if (resource == Resource::budget) workspace.budget.consumed.take(allocation.consumed);
  allocation.consumed = {};
}

}  // namespace parley::engine
