// The places of a message that a profile reads, found in one walk: a tree of the keys of their JSON Pointers, so that
// no object is searched twice. Value type, immutable once built.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"

namespace parley::profile {

// Number of a place; its value is at this index of what `read` found.
using Slot = std::uint16_t;
inline constexpr Slot no_slot = UINT16_MAX;

class Places {
 public:
  static constexpr std::size_t max = 96;  // places of one type

  // The same pointer has the same slot. Keys only: a pointer that goes through an array finds nothing.
  Slot add(std::string_view pointer);

  std::size_t size() const { return pointers_.size(); }
  const std::string& pointer(Slot slot) const { return pointers_[slot]; }

  // Sets found[slot] for each place that is there; `found` comes in with size() absent Values.
  void read(json::Value message, std::span<json::Value> found) const;

 private:
  struct Child {
    std::string key;
    std::uint16_t node = 0;
  };
  struct Node {
    std::uint64_t lengths = 0;  // bit n: a child's key has n bytes, bit 63: 63 or more. Most members fail here
    std::vector<Child> children;
    Slot slot = no_slot;
  };

  std::uint16_t child(std::uint16_t parent, const std::string& key);
  void read(const Node& node, json::Value object, std::span<json::Value> found) const;

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<std::string> pointers_;
};

}  // namespace parley::profile
