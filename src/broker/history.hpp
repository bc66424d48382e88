// Events and bodies by position, wherever they are now: in the block being made, in the newest committed ones, which
// are kept up to a bound, or in the journal (D1: engine state holds no message bytes). Resource type, the broker's.
#pragma once
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "broker/block.hpp"
#include "event/events.pb.h"

namespace parley::broker {

// P9: what is in the journal and cannot be understood is damage, never nothing.
inline std::unexpected<base::Error> unreadable_event(base::Position position) {
  return base::fail(base::ErrorCode::JOURNAL_DAMAGED,
                    "the event at position " + std::to_string(position.value) + " cannot be read");
}

class History {
 public:
  History(const std::shared_ptr<Block>& open, std::unique_ptr<journal::Reader> reader, std::size_t cache_bytes)
      : open_(open), reader_(std::move(reader)), cache_bytes_max_(cache_bytes) {}

  void keep(std::shared_ptr<const Block> committed);

  using Held = std::vector<std::shared_ptr<const void>>;

  // Views are good until release(), or as long as what take_held() gave after them.
  base::Result<std::string_view> body(base::Position position);
  base::Result<event::Event> event(base::Position position);
  void release() { held_.clear(); }
  Held take_held() { return std::exchange(held_, {}); }

  base::Position kept_from() const { return committed_.empty() ? open_->first() : committed_.front()->first(); }
  std::uint64_t bytes_read() const { return reader_->bytes_read(); }  // so far, for single ones that lie before that

  journal::Reader& reader() { return *reader_; }

 private:
  const Block* block_of(base::Position position) const;  // null: it is in the journal
  void hold(const Block& block);

  const std::shared_ptr<Block>& open_;
  std::unique_ptr<journal::Reader> reader_;
  std::size_t cache_bytes_max_;
  std::deque<std::shared_ptr<const Block>> committed_;
  std::size_t cached_bytes_ = 0;
  Held held_;
};

}  // namespace parley::broker
