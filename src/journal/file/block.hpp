// A block as it lies in a segment: a header for this disk, the chained part (chained.hpp), and the bodies under it.
//
//   0 u64 marker │ 8 u32 CRC of 12…bodies │ 12 u32 CRC of the bodies and padding │ 16 u32 length │ 20 u32 bodies at
//   24 u64 highest synced position known when written │ 32 u64 generation │ 40 chained part │ a BodyKind a record │
//   bodies │ 0…
//
// Blocks begin and end at multiples of 8. The marker comes from the journal's secret id and the generation, so that
// neither stale bytes of another generation nor the contents of a message look like a block.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "journal/chained.hpp"
#include "journal/file/format.hpp"

namespace parley::journal::file {

inline constexpr std::size_t block_header_bytes = 40;
inline constexpr std::size_t block_bytes_min = block_header_bytes + chained_front_bytes;

// Makes a block's bytes; its buffers are reused. The pieces are views of these, and of events and bodies where they lie
// (journal.hpp, Record). Resource type.
class BlockWriter {
 public:
  // How long the block will be.
  static std::uint64_t bytes_of(std::span<const Record> records);

  // All but the checksums.
  void write(std::span<const Record> records, const BlockPlace& place, const SegmentKey& key, Position synced);
  // What takes the time of a pass over all bytes, on whatever thread: the checksums, which it is stored with; and the
  // next link of the chain, which the next block says.
  void seal();
  void link();
  const std::vector<std::string_view>& pieces() const { return pieces_; }  // of a sealed one: what is to be stored
  const base::Digest& chain() const { return chain_; }                     // of a linked one

 private:
  std::string front_;                     // the header, and the chained part up to the events
  std::string kinds_;                     // a byte a record
  std::vector<std::string_view> pieces_;  // the front, the events, the kinds, the bodies, the padding
  std::size_t kinds_at_ = 0;              // of the pieces
  base::Sha256 hash_;
  base::Digest chain_{};
};

struct BlockHeader {
  std::uint32_t crc = 0;
  std::uint32_t bodies_crc = 0;
  std::uint32_t length = 0;
  std::uint32_t bodies_at = 0;
  Position synced;
};

// The header at the front of `bytes`, where it is one of this segment and fits in `room`; unchecked.
std::optional<BlockHeader> read_block_header(std::string_view bytes, const SegmentKey& key, std::uint64_t room);

// A block whose header and chained part are checked; its bodies may not be. Views into the bytes it was made of.
class Block {
 public:
  // `bytes` reaches at least to the bodies.
  static std::optional<Block> of(const BlockHeader& header, std::string_view bytes, const SegmentKey& key);

  const BlockHeader& header() const { return header_; }
  const Chained& chained() const { return chained_; }
  BodyKind kind(std::uint32_t index) const;
  std::uint64_t body_at(std::uint32_t index) const;  // from the block's beginning
  // `bytes` is the whole block.
  bool bodies_intact(std::string_view bytes, const SegmentKey& key) const;

 private:
  Block(const BlockHeader& header, const Chained& chained, std::string_view kinds)
      : header_(header), chained_(chained), kinds_(kinds) {}

  BlockHeader header_;
  Chained chained_;
  std::string_view kinds_;
};

// Whether each block follows the one before: no gap, no swap, no foreign block.
struct Chain {
  Head at;

  bool follows(const Block& block) const {
    return block.chained().first().value == at.position.value + 1 && block.chained().previous() == at.chain;
  }
  void pass(const Block& block) {
    at = {block.chained().last(), block.chained().engine_time(), block.chained().chain()};
  }
};

}  // namespace parley::journal::file
