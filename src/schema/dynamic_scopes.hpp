// What `$dynamicRef` may lead to: the anchors of every resource in use, any of which may be the outermost one on the
// way to it. Internal to schema/.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schema/code.hpp"
#include "schema/nodes.hpp"
#include "schema/source.hpp"

namespace parley::schema {

class DynamicScopes {
 public:
  std::uint32_t id_of(const Place& place);  // of the resource it stands in
  void use(const std::string& anchor) { anchors_.insert(anchor); }

  base::Result<> reach_anchors(Nodes& nodes) const;
  void bind_references(Code& code, const Nodes& nodes) const;  // once nothing is reached any more

 private:
  std::map<std::pair<const Source*, std::uint32_t>, std::uint32_t> ids_;
  std::vector<Place> scopes_;  // by id; of each the place that was met first
  std::set<std::string, std::less<>> anchors_;
};

}  // namespace parley::schema
