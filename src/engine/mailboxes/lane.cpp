#include "engine/mailboxes/lane.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::engine {

void Lane::put_in(base::Offset offset, envelope::Priority priority) {
  PARLEY_ASSERT(offset != base::Offset{});
  if (!long_ && !has_one()) {
    only_ = {offset, priority};
    return;
  }
  if (!long_) {
    long_ = std::make_unique<LongLane>();
    long_->put_in(only_.offset, only_.priority);
    long_->become(only_.offset, only_.state);
    only_ = {};
  }
  long_->put_in(offset, priority);
}

void Lane::put_in(std::span<const Item> items) {
  for (const Item& item : items) {
    put_in(item.offset, item.priority);
    become(item.offset, item.state);
  }
}

void Lane::take_out(base::Offset offset) {
  if (long_) return long_->take_out(offset);
  PARLEY_ASSERT(only_.offset == offset);
  only_ = {};
}

void Lane::become(base::Offset offset, State state) {
  if (long_) return long_->become(offset, state);
  PARLEY_ASSERT(only_.offset == offset);
  only_.state = state;
}

Lane::Iterator Lane::next(Iterator item) const {
  return std::find_if(item + 1, end(), [](const Item& other) { return other.state != State::leased; });
}

Lane::Iterator Lane::after(base::Offset offset) const {
  return std::upper_bound(begin(), end(), offset,
                          [](base::Offset value, const Item& item) { return value < item.offset; });
}

std::uint32_t Lane::leased_from(Iterator item) const {
  return leased_count() - static_cast<std::uint32_t>(std::min(item, head()) - begin());
}

Lane::Counts Lane::unleased() const {
  if (long_) return long_->unleased();
  Counts counts{};
  counts[index(only_.priority)] = has_one() && !leased_one();
  return counts;
}

}  // namespace parley::engine
