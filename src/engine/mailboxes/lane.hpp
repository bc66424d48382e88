// A lane (R32): the open messages of one task at one recipient, first in, first out. Moved, not copied.
//
// Most lanes hold one message, which is kept in place; a second one makes it long.
#pragma once
#include <absl/container/inlined_vector.h>

#include <memory>
#include <span>

#include "engine/mailboxes/long_lane.hpp"

namespace parley::engine {

class Lane {
 public:
  using Item = LaneItem;
  using State = LaneItem::State;
  using Iterator = const Item*;
  using Counts = LongLane::Counts;

  void put_in(base::Offset offset, envelope::Priority priority);  // waiting
  void take_out(base::Offset offset);
  void become(base::Offset offset, State state);

  Iterator begin() const { return long_ ? long_->begin() : &only_; }
  Iterator end() const { return long_ ? long_->end() : &only_ + has_one(); }
  bool empty() const { return begin() == end(); }
  bool leased() const { return leased_count() > 0; }

  // The first that is not leased; while it backs off it blocks the lane.
  Iterator head() const { return long_ ? long_->head() : &only_ + leased_one(); }
  Iterator next(Iterator item) const;              // not leased either
  Iterator after(base::Offset offset) const;       // the first behind an offset
  std::uint32_t leased_from(Iterator item) const;  // how many there may be: all before the head are
  Counts unleased() const;                         // how many are not leased, at each priority

  base::SessionId holder;  // of all that are leased

  template <class Archive>
  void archive(Archive& a) {
    absl::InlinedVector<Item, 1> items(begin(), end());
    a(items, holder);
    if constexpr (Archive::loads)
      if (a.good()) put_in(items);
  }

 private:
  void put_in(std::span<const Item> items);
  bool has_one() const { return only_.offset != base::Offset{}; }
  bool leased_one() const { return only_.state == State::leased; }
  std::uint32_t leased_count() const { return long_ ? long_->leased() : leased_one(); }

  Item only_;                       // offset 0: none
  std::unique_ptr<LongLane> long_;  // null: there never were more
};

}  // namespace parley::engine
