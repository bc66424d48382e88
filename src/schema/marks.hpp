// Which members or elements of one instance have been evaluated; kept only under unevaluated*. Internal to
// schema/.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parley::schema {

class Marks {
 public:
  explicit Marks(std::uint32_t count) {
    if (count > few_bits) many_.resize((count + 63) / 64);
  }
  void set(std::uint32_t i) { words()[i / 64] |= std::uint64_t{1} << (i % 64); }
  void set_all() { all_ = true; }
  bool has(std::uint32_t i) const { return all_ || (words()[i / 64] >> (i % 64) & 1) != 0; }
  void add(const Marks& other) {
    all_ |= other.all_;
    const std::size_t count = many_.empty() ? few_words : many_.size();
    for (std::size_t i = 0; i < count; ++i) words()[i] |= other.words()[i];
  }

 private:
  static constexpr std::size_t few_words = 2;
  static constexpr std::uint32_t few_bits = 64 * few_words;
  std::uint64_t* words() { return many_.empty() ? few_.data() : many_.data(); }
  const std::uint64_t* words() const { return many_.empty() ? few_.data() : many_.data(); }

  std::array<std::uint64_t, few_words> few_{};
  std::vector<std::uint64_t> many_;
  bool all_ = false;
};

}  // namespace parley::schema
