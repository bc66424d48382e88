// A lane (R32): the open messages of one task at one recipient, first in, first out. Value type.
//
// Most lanes hold one message, so that one is kept in place; long lanes cost a few words a message. What is looked up
// is found by bisection; what leaves usually leaves at the front, which moves nothing.
#pragma once
#include <absl/container/inlined_vector.h>

#include <array>
#include <cstdint>
#include <utility>

#include "base/ids.hpp"
#include "envelope/envelope.hpp"

namespace parley::engine {

inline std::size_t index(envelope::Priority priority) {
  return static_cast<std::size_t>(priority);
}

class Lane {
 public:
  enum class State : std::uint8_t { waiting, backing_off, leased };
  struct Item {
    base::Offset offset;
    envelope::Priority priority = envelope::Priority::normal;
    State state = State::waiting;

    template <class Archive>
    void archive(Archive& a) {
      a(offset, priority, state);
    }
  };
  using Items = absl::InlinedVector<Item, 1>;
  using Iterator = Items::const_iterator;
  using Counts = std::array<std::uint32_t, envelope::priority_count>;

  void put_in(base::Offset offset, envelope::Priority priority);  // waiting
  void take_out(base::Offset offset);
  void become(base::Offset offset, State state);

  Iterator begin() const { return items_.begin() + begin_; }
  Iterator end() const { return items_.end(); }
  bool empty() const { return begin_ == items_.size(); }
  bool leased() const { return leased_ > 0; }

  // The first that is not leased; while it backs off it blocks the lane.
  Iterator head() const { return items_.begin() + head_; }
  Iterator next(Iterator item) const;                 // not leased either
  Iterator after(base::Offset offset) const;          // the first behind an offset
  std::uint32_t leased_from(Iterator item) const;     // how many there may be: all before the head are
  const Counts& unleased() const { return counts_; }  // how many are not leased, at each priority

  base::SessionId holder;  // of all that are leased

  template <class Archive>
  void archive(Archive& a) {
    Items items(begin(), end());  // without those that are gone: equal lanes give equal bytes
    a(items, holder);
    if constexpr (Archive::loads) load(std::move(items));
  }

 private:
  std::size_t index_of(base::Offset offset) const;
  void skip_leased();
  void trim();
  void load(Items items);

  Items items_;              // rising; those before begin_ are gone
  std::uint32_t begin_ = 0;  // index of the first
  std::uint32_t head_ = 0;   // index of the first that is not leased
  std::uint32_t leased_ = 0;
  Counts counts_{};
};

}  // namespace parley::engine
