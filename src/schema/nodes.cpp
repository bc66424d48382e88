#include "schema/nodes.hpp"

#include <string>

namespace parley::schema {

base::Result<NodeId> Nodes::reach(const Place& place) {
  const auto [known, added] = ids_.emplace(std::pair(place.source, place.at), static_cast<NodeId>(places_.size()));
  if (!added) return known->second;
  if (places_.size() >= nodes_max_) {
    return base::fail(base::ErrorCode::SCHEMA_TOO_COMPLEX,
                      "The schema has more than " + std::to_string(nodes_max_) + " subschemas in use.",
                      pointer_to(place));
  }
  places_.push_back(place);
  code_.nodes.emplace_back();
  in_place_.emplace_back();
  waiting_.push_back(known->second);
  return known->second;
}

base::Result<NodeId> Nodes::reach_in_place(NodeId from, const Place& place) {
  PARLEY_TRY(const NodeId id, reach(place));
  in_place_[from].push_back(id);
  return id;
}

NodeId Nodes::take_waiting() {
  const NodeId next = waiting_.front();
  waiting_.pop_front();
  return next;
}

std::set<const Source*> Nodes::sources() const {
  std::set<const Source*> used;
  for (const Place& place : places_) used.insert(place.source);
  return used;
}

}  // namespace parley::schema
