// A set of strings known beforehand (property names, enum values), looked up with one probe as a rule. Up to 16 bytes
// a text is known by two words and its length. Looked-up text must come from a json document (readable a word past
// its end).
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace parley::schema {

class KeyTable {
 public:
  static constexpr std::uint32_t missing = UINT32_MAX;

  KeyTable() : KeyTable(std::vector<std::string>()) {}
  explicit KeyTable(std::vector<std::string> keys);  // distinct; a key's index is its place here

  // The same where `guess` is likely: members mostly come in the order the schema names them.
  std::uint32_t find(std::string_view text, std::uint32_t guess) const {
    const Print print = print_of(text.data(), text.size());
    if (guess < keys_.size() && prints_[guess] == print && is_surely(guess, text)) [[likely]]
      return guess;
    return find(text, print);
  }

  std::uint32_t find(std::string_view text) const { return find(text, print_of(text.data(), text.size())); }

  const std::vector<std::string>& keys() const { return keys_; }

  // Whether keys were chosen so that look-ups would be slow; such a table is empty and not to be used.
  bool is_crowded() const { return crowded_; }

 private:
  struct Print {
    std::uint64_t first = 0, last = 0, length = 0;
    std::uint64_t mixed() const { return first ^ std::rotl(last, 23) ^ length << 56; }
    bool operator==(const Print&) const = default;
  };
  struct Slot {
    Print print;
    std::uint32_t index = missing;
  };

  // Up to 16 bytes the print is the whole text.
  bool is_surely(std::uint32_t key, std::string_view text) const {
    return text.size() <= 16 || std::memcmp(keys_[key].data(), text.data(), text.size()) == 0;
  }

  std::uint32_t find(std::string_view text, const Print& print) const {
    for (std::uint64_t slot = print.mixed() * multiplier_ >> shift_;; slot = (slot + 1) & mask_) {
      const Slot& s = slots_[slot];
      if (s.index == missing) return missing;
      if (s.print == print && is_surely(s.index, text)) return s.index;
    }
  }

  static std::uint64_t load8(const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  static Print print_of(const char* text, std::size_t n) {
    static constexpr std::array<std::uint64_t, 9> kept = {
        0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, ~std::uint64_t{0}};
    const std::uint64_t mask = kept[n < 8 ? n : 8];
    Print print{load8(text) & mask, load8(text + (n < 8 ? 8 : n) - 8) & mask, n};
    for (std::size_t i = 8; i + 8 < n; i += 8) print.first = (std::rotl(print.first, 29) ^ load8(text + i)) * middle_;
    return print;
  }

  std::uint64_t fill(std::uint64_t most);

  static constexpr std::uint64_t middle_ = 0xD6E8FEB86659FD93u;

  std::vector<std::string> keys_;
  std::vector<Print> prints_;  // beside keys_
  std::vector<Slot> slots_;
  std::uint64_t multiplier_ = 0x9E3779B97F4A7C15u;
  std::uint64_t mask_ = 0;
  int shift_ = 63;
  bool crowded_ = false;
};

}  // namespace parley::schema
