// A workspace's messages by offset: found in a step or two, walked in order. Offsets rise and are dense, so that the
// places of neighbours lie in one block; a block goes with its last message.
#pragma once
#include <absl/container/btree_map.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/assert.hpp"
#include "engine/messages/message.hpp"

namespace parley::engine {

class Messages {
 public:
  std::size_t size() const { return size_; }

  const Message* find(Offset offset) const;
  Message* find(Offset offset);
  const Message& at(Offset offset) const;
  Message& add(Offset offset);
  // What this one asked for is over; it may be forgotten itself.
  void end(Offset offset);
  void erase(Offset offset);

  // Those behind `offset`, rising, while `visit(offset, message)` says true. It may erase none.
  template <class Visit>
  void visit_after(Offset offset, Visit visit) const {
    std::uint64_t first = offset.value + 1;
    for (auto at = blocks_.lower_bound(first / block_size); at != blocks_.end(); ++at) {
      const std::uint64_t start = at->first * block_size;
      for (std::uint64_t i = first > start ? first - start : 0; i < block_size; ++i)
        if (const auto& message = at->second->places[i]; message && !visit(Offset(start + i), *message)) return;
    }
  }

  template <class Archive>
  void archive(Archive& a) {
    std::uint64_t count = size_;
    a(count);
    if constexpr (Archive::loads) {
      for (; count > 0 && a.good(); --count) {
        Offset offset;
        a(offset);
        a(add(offset));
      }
    } else {
      visit_after(Offset{}, [&](Offset offset, const Message& message) {
        a(offset, const_cast<Message&>(message));
        return true;
      });
    }
  }

 private:
  static constexpr std::uint64_t block_size = 64;
  struct Block {
    std::uint32_t count = 0;
    std::array<std::unique_ptr<Message>, block_size> places;
  };

  absl::btree_map<std::uint64_t, std::unique_ptr<Block>> blocks_;
  std::size_t size_ = 0;
  // That was looked into: what is offered, acked or sent in one go lies side by side.
  mutable const Block* newest_ = nullptr;
  mutable std::uint64_t newest_number_ = 0;
};

}  // namespace parley::engine
