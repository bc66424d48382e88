#include "engine/registry/registry.hpp"

namespace parley::engine {

std::optional<AgentNumber> Registry::find_agent(std::string_view id) const {
  const auto at = agents_by_id.find(id);
  return at == agents_by_id.end() ? std::nullopt : std::optional(at->second);
}

std::optional<PersonNumber> Registry::find_person(std::string_view id) const {
  const auto at = people_by_id.find(id);
  return at == people_by_id.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace parley::engine
