// The subschemas in use: reached by keywords and references, each once, and waiting from then on to be compiled.
// Internal to schema/.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schema/code.hpp"
#include "schema/endless.hpp"
#include "schema/source.hpp"

namespace parley::schema {

class Nodes {
 public:
  Nodes(Code& code, std::uint32_t nodes_max) : code_(code), nodes_max_(nodes_max) {}

  base::Result<NodeId> reach(const Place& place);
  // Likewise, what is applied to the same instance as a node.
  base::Result<NodeId> reach_in_place(NodeId from, const Place& place);

  bool any_waiting() const { return !waiting_.empty(); }
  NodeId take_waiting();

  const Place& place(NodeId id) const { return places_[id]; }
  NodeId at(const Source* source, std::uint32_t at) const { return ids_.at({source, at}); }  // which was reached
  const InPlace& in_place() const { return in_place_; }
  std::set<const Source*> sources() const;

 private:
  Code& code_;
  const std::uint32_t nodes_max_;
  std::map<std::pair<const Source*, std::uint32_t>, NodeId> ids_;
  std::vector<Place> places_;  // beside Code::nodes
  InPlace in_place_;           // likewise
  std::deque<NodeId> waiting_;
};

}  // namespace parley::schema
