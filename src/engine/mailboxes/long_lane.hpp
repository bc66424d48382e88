// The messages of a lane that has had several at once (lane.hpp), in order, at a few words each. What is looked up is
// found by bisection; what leaves usually leaves at the front, which moves nothing. Value type.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "envelope/envelope.hpp"

namespace parley::engine {

inline std::size_t index(envelope::Priority priority) {
  return static_cast<std::size_t>(priority);
}

struct LaneItem {
  enum class State : std::uint8_t { waiting, backing_off, leased };

  base::Offset offset;
  envelope::Priority priority = envelope::Priority::normal;
  State state = State::waiting;

  template <class Archive>
  void archive(Archive& a) {
    a(offset, priority, state);
  }
};

class LongLane {
 public:
  using Counts = std::array<std::uint32_t, envelope::priority_count>;

  void put_in(base::Offset offset, envelope::Priority priority);  // waiting
  void take_out(base::Offset offset);
  void become(base::Offset offset, LaneItem::State state);

  const LaneItem* begin() const { return items_.data() + begin_; }
  const LaneItem* end() const { return items_.data() + items_.size(); }
  const LaneItem* head() const { return items_.data() + head_; }
  std::uint32_t leased() const { return leased_; }
  const Counts& unleased() const { return counts_; }

 private:
  std::size_t index_of(base::Offset offset) const;
  void skip_leased();
  void trim();

  std::vector<LaneItem> items_;  // rising; those before begin_ are gone
  std::uint32_t begin_ = 0;      // index of the first
  std::uint32_t head_ = 0;       // index of the first that is not leased
  std::uint32_t leased_ = 0;
  Counts counts_{};
};

}  // namespace parley::engine
