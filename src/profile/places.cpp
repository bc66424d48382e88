#include "profile/places.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::profile {
namespace {

std::uint64_t length_bit(std::string_view key) {
  return std::uint64_t{1} << std::min<std::size_t>(key.size(), 63);
}

// The keys of a pointer, unescaped (RFC 6901).
std::vector<std::string> keys_of(std::string_view pointer) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      keys.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      keys.back() += pointer[++i] == '0' ? '~' : '/';
    } else {
      keys.back() += pointer[i];
    }
  }
  return keys;
}

}  // namespace

Slot Places::add(std::string_view pointer) {
  PARLEY_ASSERT(!pointer.empty() && pointer.front() == '/');
  std::uint16_t at = 0;
  for (const std::string& key : keys_of(pointer)) at = child(at, key);
  if (nodes_[at].slot == no_slot) {
    nodes_[at].slot = static_cast<Slot>(pointers_.size());
    pointers_.emplace_back(pointer);
  }
  return nodes_[at].slot;
}

std::uint16_t Places::child(std::uint16_t parent, const std::string& key) {
  for (const Child& known : nodes_[parent].children)
    if (known.key == key) return known.node;
  const auto index = static_cast<std::uint16_t>(nodes_.size());
  nodes_[parent].lengths |= length_bit(key);
  nodes_[parent].children.push_back({key, index});
  nodes_.emplace_back();
  return index;
}

void Places::read(json::Value message, std::span<json::Value> found) const {
  PARLEY_ASSERT(found.size() >= size());
  read(nodes_.front(), message, found);
}

// Recursion is as deep as the longest pointer of the profile, never as the message. Members have different names, so
// the last child is known to be the last.
void Places::read(const Node& node, json::Value object, std::span<json::Value> found) const {
  std::size_t left = node.children.size();
  for (const auto [key, value] : object.members()) {
    if ((node.lengths & length_bit(key)) == 0) continue;
    for (const Child& child : node.children) {
      if (child.key != key) continue;
      const Node& next = nodes_[child.node];
      if (next.slot != no_slot) found[next.slot] = value;
      if (!next.children.empty()) read(next, value, found);
      if (--left == 0) return;
      break;
    }
  }
}

}  // namespace parley::profile
