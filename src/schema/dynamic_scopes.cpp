#include "schema/dynamic_scopes.hpp"

namespace parley::schema {
namespace {

const auto& anchors_of(const Place& scope) {
  return scope.source->resources[scope.resource].dynamic_anchors;
}

}  // namespace

std::uint32_t DynamicScopes::id_of(const Place& place) {
  const auto [known, added] =
      ids_.emplace(std::pair(place.source, place.resource), static_cast<std::uint32_t>(scopes_.size()));
  if (added) scopes_.push_back(place);
  return known->second;
}

base::Result<> DynamicScopes::reach_anchors(Nodes& nodes) const {
  for (const Place& scope : scopes_)
    for (const auto& [name, at] : anchors_of(scope))
      if (anchors_.contains(name)) PARLEY_CHECK(nodes.reach({scope.source, at, scope.resource}));
  return {};
}

void DynamicScopes::bind_references(Code& code, const Nodes& nodes) const {
  for (DynamicRule& rule : code.dynamic_references) {
    rule.by_scope.assign(scopes_.size(), none);
    for (std::size_t i = 0; i < scopes_.size(); ++i) {
      const auto found = anchors_of(scopes_[i]).find(rule.anchor);
      if (found != anchors_of(scopes_[i]).end()) rule.by_scope[i] = nodes.at(scopes_[i].source, found->second);
    }
  }
  code.is_dynamic = !code.dynamic_references.empty();
}

}  // namespace parley::schema
