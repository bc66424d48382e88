#include "broker/history.hpp"

#include <algorithm>

namespace parley::broker {

void History::keep(std::shared_ptr<const Block> committed) {
  cached_bytes_ += committed->allocated();
  committed_.push_back(std::move(committed));
  while (cached_bytes_ > cache_bytes_max_ && committed_.size() > 1) {
    cached_bytes_ -= committed_.front()->allocated();
    committed_.pop_front();
  }
}

const Block* History::block_of(base::Position position) const {
  if (open_->holds(position)) return open_.get();
  const auto after = std::upper_bound(committed_.begin(), committed_.end(), position,
                                      [](base::Position p, const auto& block) { return p < block->first(); });
  if (after == committed_.begin()) return nullptr;
  const Block& block = **std::prev(after);
  return block.holds(position) ? &block : nullptr;
}

base::Result<std::string_view> History::body(base::Position position) {
  if (const Block* const block = block_of(position)) {
    hold(*block);
    return block->body(position);
  }
  const auto bytes = std::make_shared<std::string>();
  PARLEY_CHECK(reader_->body(position, *bytes));
  held_.push_back(bytes);
  return std::string_view(*bytes);
}

// As a rule the next body lies where the one before does.
void History::hold(const Block& block) {
  if (held_.empty() || held_.back().get() != &block) held_.push_back(block.shared_from_this());
}

base::Result<event::Event> History::event(base::Position position) {
  std::string fetched;
  const Block* const block = block_of(position);
  if (block == nullptr) PARLEY_CHECK(reader_->event(position, fetched));
  const std::string_view bytes = block != nullptr ? block->event(position) : std::string_view(fetched);
  event::Event event;
  if (!event.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return unreadable_event(position);
  return event;
}

}  // namespace parley::broker
