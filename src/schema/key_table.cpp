// Building the table: sizes and multipliers are tried until no two keys meet, so that a look-up is one probe.
#include "schema/key_table.hpp"

#include <algorithm>

namespace parley::schema {

KeyTable::KeyTable(std::vector<std::string> keys) : keys_(std::move(keys)) {
  for (const std::string& key : keys_) {
    std::string padded = key + std::string(8, '\0');
    prints_.push_back(print_of(padded.data(), key.size()));
  }
  // At least twice as many slots as keys: an empty one ends every unlucky search.
  const std::uint64_t least = std::bit_ceil(std::max<std::uint64_t>(2, 2 * keys_.size()));
  const bool small = keys_.size() <= 256;
  const int tries = small ? 32 : 1;
  std::uint64_t extra = 0;
  for (std::uint64_t size = least; size <= (small ? 4 * least : least); size *= 2) {
    for (int i = 0; i < tries; ++i) {
      multiplier_ = 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(i) * 0xD1342543DE82EF96u;
      mask_ = size - 1;
      shift_ = 64 - std::countr_zero(size);
      extra = fill(64 * size);
      if (extra == 0) return;
    }
  }
  if (extra < 64 * keys_.size()) return;
  crowded_ = true;
  slots_.assign(2, Slot());
  mask_ = 1;
  shift_ = 63;
}

// How many probes beyond the first the keys needed; gives up at `most`.
std::uint64_t KeyTable::fill(std::uint64_t most) {
  slots_.assign(mask_ + 1, Slot());
  std::uint64_t extra = 0;
  for (std::uint32_t k = 0; k < prints_.size(); ++k) {
    std::uint64_t slot = prints_[k].mixed() * multiplier_ >> shift_;
    for (; slots_[slot].index != missing; slot = (slot + 1) & mask_)
      if (++extra >= most) return extra;
    slots_[slot] = {prints_[k], k};
  }
  return extra;
}

}  // namespace parley::schema
