#include "schema/endless.hpp"

#include <algorithm>
#include <utility>

namespace parley::schema {
namespace {

using base::ErrorCode;

constexpr std::uint32_t in_place_depth_max = 128;

}  // namespace

// Depth-first over applicators in place: a cycle would never end, a very long chain would exhaust the stack.
base::Result<> refuse_endless(const InPlace& in_place, const std::function<std::string(NodeId)>& pointer_to) {
  enum : std::uint32_t { unseen = 0, open = UINT32_MAX };
  std::vector<std::uint32_t> height(in_place.size(), unseen);  // 1 + that of the highest child, once known
  std::vector<std::pair<NodeId, std::size_t>> path;
  for (NodeId start = 0; start < in_place.size(); ++start) {
    if (height[start] != unseen) continue;
    path.emplace_back(start, 0);
    height[start] = open;
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next < in_place[node].size()) {
        const NodeId below = in_place[node][next++];
        if (height[below] == open)
          return base::fail(ErrorCode::SCHEMA_INVALID, "A schema refers to itself without looking into the instance.",
                            pointer_to(below));
        if (height[below] != unseen) continue;
        height[below] = open;
        path.emplace_back(below, 0);
        continue;
      }
      std::uint32_t highest = 0;
      for (const NodeId below : in_place[node]) highest = std::max(highest, height[below]);
      height[node] = highest + 1;
      if (height[node] > in_place_depth_max)
        return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX,
                          "Applicators are nested deeper than " + std::to_string(in_place_depth_max) + ".",
                          pointer_to(node));
      path.pop_back();
    }
  }
  return {};
}

}  // namespace parley::schema
