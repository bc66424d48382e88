// SHA-256 as FIPS 180-4 has it, for sixteen texts side by side: a word here is sixteen, one of each text. The
// processor's own SHA instructions hash one text, and take more than twice as long for each.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace parley::base {
namespace {

constexpr std::size_t lanes = 16;
using Words = std::uint32_t __attribute__((vector_size(4 * lanes)));
using Block = std::array<Words, 16>;
using State = std::array<Words, 8>;

constexpr std::size_t block_bytes = 64;
constexpr std::size_t length_bytes = 8;

constexpr std::array<std::uint32_t, 8> first_state = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                                      0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
constexpr std::array<std::uint32_t, 64> constants = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

// One text's blocks: those that lie in it, then the one or two that its end and its length fill.
class Blocks {
 public:
  Blocks(std::string_view text) : text_(text), whole_(text.size() / block_bytes) {
    const std::string_view rest = text.substr(whole_ * block_bytes);
    count_ = whole_ + (rest.size() + 1 + length_bytes > block_bytes ? 2 : 1);
    rest.copy(end_.data(), rest.size());
    end_[rest.size()] = static_cast<char>(0x80);
    const std::uint64_t bits = __builtin_bswap64(std::uint64_t{text.size()} * 8);
    std::memcpy(end_.data() + (count_ - whole_) * block_bytes - length_bytes, &bits, length_bytes);
  }
  Blocks() : Blocks(std::string_view()) { count_ = 0; }  // of a lane without a text

  std::size_t count() const { return count_; }
  const char* at(std::size_t block) const {  // past the last: any
    if (block < whole_) return text_.data() + block * block_bytes;
    return end_.data() + std::min<std::size_t>(block - whole_, 1) * block_bytes;
  }

 private:
  std::string_view text_;
  std::size_t whole_;
  std::size_t count_ = 0;
  std::array<char, 2 * block_bytes> end_{};
};

[[gnu::target("avx512f"), gnu::always_inline]] inline Words turned(Words word, int bits) {
  return word >> bits | word << (32 - bits);
}

[[gnu::target("avx512f"), gnu::always_inline]] inline Words swapped(Words word) {  // big-endian
  return (turned(word, 24) & 0x00FF00FFu) | (turned(word, 8) & 0xFF00FF00u);
}

// A text's words in a row become a text's words in a column: the halves are merged row by row, four times.
[[gnu::target("avx512f"), gnu::always_inline]] inline void transpose(Block& rows) {
#pragma GCC unroll 4
  for (int pass = 0; pass < 4; ++pass) {
    Block merged;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) {
      merged[2 * i] =
          __builtin_shufflevector(rows[i], rows[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      merged[2 * i + 1] =
          __builtin_shufflevector(rows[i], rows[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    rows = merged;
  }
}

[[gnu::target("avx512f"), gnu::always_inline]] inline Block load(std::span<const Blocks, lanes> texts,
                                                                 std::size_t block) {
  Block words;
  for (std::size_t i = 0; i < lanes; ++i) {
    Words row;
    std::memcpy(&row, texts[i].at(block), sizeof row);
    words[i] = swapped(row);
  }
  transpose(words);
  return words;
}

// Rounds i to i + 15 take words that the last sixteen make.
[[gnu::target("avx512f"), gnu::always_inline]] inline void extend(Block& w, std::size_t i) {
  const Words next = w[(i + 1) % 16], late = w[(i + 14) % 16];
  w[i] += (turned(next, 7) ^ turned(next, 18) ^ next >> 3) + w[(i + 9) % 16] +
          (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
}

// Where `wanted` is 0 the state stays.
[[gnu::target("avx512f")]] void add_block(State& state, Block w, Words wanted) {
  auto [a, b, c, d, e, f, g, h] = state;
#pragma GCC unroll 4
  for (std::size_t round = 0; round < constants.size(); round += w.size())
#pragma GCC unroll 16
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (round > 0) extend(w, i);
      const Words one =
          h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + constants[round + i] + w[i];
      const Words two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
  const State made = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += made[i] & wanted;
}

[[gnu::target("avx512f")]] void hash(std::span<const Blocks, lanes> texts, std::span<Digest> into) {
  State state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = Words{} + first_state[i];
  std::size_t longest = 0;
  for (const Blocks& text : texts) longest = std::max(longest, text.count());
  for (std::size_t block = 0; block < longest; ++block) {
    Words wanted;
    for (std::size_t i = 0; i < lanes; ++i) wanted[i] = block < texts[i].count() ? UINT32_MAX : 0;
    add_block(state, load(texts, block), wanted);
  }
  for (std::size_t i = 0; i < into.size(); ++i)
    for (std::size_t word = 0; word < state.size(); ++word) {
      const std::uint32_t bytes = __builtin_bswap32(state[word][i]);
      std::memcpy(into[i].data() + 4 * word, &bytes, sizeof bytes);
    }
}

// A step of all lanes takes as long as six of a text alone.
bool are_for_lanes(std::span<const std::string_view> texts) {
  static const bool can = __builtin_cpu_supports("avx512f");
  std::size_t all = 0, longest = 0;
  for (const std::string_view text : texts) {
    const std::size_t blocks = text.size() / block_bytes + 1;
    all += blocks;
    longest = std::max(longest, blocks);
  }
  return can && all > 6 * longest;
}

}  // namespace

void sha256_each(std::span<const std::string_view> texts, std::span<Digest> into) {
  PARLEY_ASSERT(texts.size() == into.size());
  while (!texts.empty()) {
    const std::size_t count = std::min(lanes, texts.size());
    std::array<Blocks, lanes> blocks;
    if (are_for_lanes(texts.first(count))) {
      std::copy_n(texts.begin(), count, blocks.begin());
      hash(blocks, into.first(count));
    } else {
      for (std::size_t i = 0; i < count; ++i) into[i] = sha256(texts[i]);
    }
    texts = texts.subspan(count);
    into = into.subspan(count);
  }
}

}  // namespace parley::base
