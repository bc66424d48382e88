// One seed for everything: all that a run leaves to chance is thrown here, so that the seed repeats it on any machine
// (the standard library's distributions may differ between versions). Value types, one thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/splitmix.hpp"

namespace parley::sim {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return base::next_mixed(state_); }
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  base::Duration between(base::Duration least, base::Duration most) {
    return base::Duration(static_cast<std::int64_t>(
        between(static_cast<std::uint64_t>(least.count()), static_cast<std::uint64_t>(most.count()))));
  }
  template <class Items>
  auto& among(Items& items) {
    return items[below(items.size())];
  }

  // Dice of their own for a part of the run: what one part throws does not change another's luck.
  Dice part(std::string_view name) {
    Dice other(next() ^ base::crc32c(name));
    return other;
  }

  std::string uuid() {  // version 4
    std::string hex;
    for (int i = 0; i < 4; ++i) {
      constexpr std::string_view digits = "0123456789abcdef";
      std::uint64_t bits = next();
      for (int k = 0; k < 8; ++k, bits >>= 4) hex += digits[bits & 15];
    }
    hex[12] = '4';
    hex[16] = "89ab"[next() & 3];
    for (const std::size_t dash : {20, 16, 12, 8}) hex.insert(dash, 1, '-');
    return hex;
  }

 private:
  std::uint64_t state_;
};

// The broker's and the journal's randomness.
class SeededRandom final : public base::Random {
 public:
  explicit SeededRandom(Dice dice) : dice_(dice) {}
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice_.next());
  }

 private:
  Dice dice_;
};

}  // namespace parley::sim
