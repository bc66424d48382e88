#include "engine/mailboxes/long_lane.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t spare_max = 64;  // places of items that are gone, before they are given back

bool before(const LaneItem& item, base::Offset offset) {
  return item.offset < offset;
}

}  // namespace

std::size_t LongLane::index_of(base::Offset offset) const {
  const auto at = std::lower_bound(begin(), end(), offset, before);
  PARLEY_ASSERT(at != end() && at->offset == offset);
  return static_cast<std::size_t>(at - items_.data());
}

void LongLane::skip_leased() {
  while (head_ < items_.size() && items_[head_].state == LaneItem::State::leased) ++head_;
}

void LongLane::put_in(base::Offset offset, envelope::Priority priority) {
  const auto at = static_cast<std::uint32_t>(std::lower_bound(begin(), end(), offset, before) - items_.data());
  PARLEY_ASSERT(at == items_.size() || items_[at].offset != offset);
  const bool at_front = at == begin_ && begin_ > 0;
  if (at_front)
    items_[--begin_] = {offset, priority};
  else
    items_.insert(items_.begin() + at, {offset, priority});
  head_ = std::min(head_, at_front ? begin_ : at);
  ++counts_[index(priority)];
}

void LongLane::take_out(base::Offset offset) {
  const std::size_t at = index_of(offset);
  if (items_[at].state == LaneItem::State::leased)
    --leased_;
  else
    --counts_[index(items_[at].priority)];
  if (at - begin_ <= items_.size() - at) {  // the shorter side moves up
    std::move_backward(items_.begin() + begin_, items_.begin() + at, items_.begin() + at + 1);
    ++begin_;
    if (head_ <= at) ++head_;
  } else {
    items_.erase(items_.begin() + at);
    if (head_ > at) --head_;
  }
  skip_leased();
  trim();
}

void LongLane::become(base::Offset offset, LaneItem::State state) {
  const std::size_t at = index_of(offset);
  LaneItem& item = items_[at];
  const bool was_leased = item.state == LaneItem::State::leased;
  const bool is_leased = state == LaneItem::State::leased;
  item.state = state;
  if (was_leased == is_leased) return;
  if (is_leased) {
    ++leased_;
    --counts_[index(item.priority)];
    skip_leased();
  } else {
    --leased_;
    ++counts_[index(item.priority)];
    head_ = std::min(head_, static_cast<std::uint32_t>(at));
  }
}

// Gives the places at the front back once they are as many as the items: each is moved once.
void LongLane::trim() {
  if (begin_ <= spare_max || begin_ < items_.size() / 2) return;
  items_.erase(items_.begin(), items_.begin() + begin_);
  head_ -= begin_;
  begin_ = 0;
}

}  // namespace parley::engine
