#include "journal/file/block.hpp"

#include "base/assert.hpp"
#include "journal/little_endian.hpp"

namespace parley::journal::file {
namespace {

constexpr std::string_view padding_bytes{"\0\0\0\0\0\0\0", 7};

constexpr std::uint64_t padded(std::uint64_t length) {
  return (length + 7) & ~std::uint64_t{7};
}

std::uint64_t bytes_of_bodies(std::span<const Record> records) {
  std::uint64_t total = 0;
  for (const Record& record : records) total += record.has_body ? record.body.size() : 0;
  return total;
}

std::uint64_t bytes_of_pieces(std::span<const std::string_view> pieces) {
  std::uint64_t total = 0;
  for (const std::string_view piece : pieces) total += piece.size();
  return total;
}

// Behind the piece before, as one where they lie side by side: long pieces are checked and written in less time.
// Those before `from` are other parts of the block, and stay as they are.
void add_piece(std::vector<std::string_view>& pieces, std::size_t from, std::string_view piece) {
  if (piece.empty()) return;
  if (pieces.size() > from && pieces.back().data() + pieces.back().size() == piece.data())
    pieces.back() = {pieces.back().data(), pieces.back().size() + piece.size()};
  else
    pieces.push_back(piece);
}

}  // namespace

std::uint64_t BlockWriter::bytes_of(std::span<const Record> records) {
  return padded(block_header_bytes + chained_bytes(records) + records.size() + bytes_of_bodies(records));
}

void BlockWriter::write(std::span<const Record> records, const BlockPlace& place, const SegmentKey& key,
                        Position synced) {
  front_.resize(block_header_bytes + chained_head_bytes(records));
  write_chained_head(front_.data() + block_header_bytes, records, place);
  pieces_.assign(1, front_);
  kinds_.clear();
  for (const Record& record : records) {
    add_piece(pieces_, 1, record.event);
    kinds_ += static_cast<char>(record.has_body ? BodyKind::kept : BodyKind::none);
  }
  kinds_at_ = pieces_.size();
  pieces_.emplace_back(kinds_);
  const std::uint64_t bodies_at = bytes_of_pieces(pieces_);
  for (const Record& record : records)
    if (record.has_body) add_piece(pieces_, kinds_at_ + 1, record.body);
  const std::uint64_t unpadded = bytes_of_pieces(pieces_);
  const std::string_view padding = padding_bytes.substr(0, padded(unpadded) - unpadded);
  if (!padding.empty()) pieces_.push_back(padding);

  char* const to = front_.data();
  store(to, key.marker);
  store(to + 16, static_cast<std::uint32_t>(padded(unpadded)));
  store(to + 20, static_cast<std::uint32_t>(bodies_at));
  store(to + 24, synced.value);
  store(to + 32, key.generation.value);
}

void BlockWriter::seal() {
  const auto crc_of = [](std::span<const std::string_view> pieces, std::uint32_t before) {
    for (const std::string_view piece : pieces) before = base::crc32c(piece, before);
    return before;
  };
  const std::span<const std::string_view> pieces(pieces_);
  store(front_.data() + 12, crc_of(pieces.subspan(kinds_at_ + 1), 0));
  const std::uint32_t crc = base::crc32c(std::string_view(front_).substr(12));
  store(front_.data() + 8, crc_of(pieces.subspan(1, kinds_at_), crc));
}

void BlockWriter::link() {
  hash_.add(std::string_view(front_).substr(block_header_bytes));
  for (const std::string_view events : std::span(pieces_).subspan(1, kinds_at_ - 1)) hash_.add(events);
  chain_ = hash_.finish();
}

std::optional<BlockHeader> read_block_header(std::string_view bytes, const SegmentKey& key, std::uint64_t room) {
  if (bytes.size() < block_header_bytes) return std::nullopt;
  const char* at = bytes.data();
  if (load<std::uint64_t>(at) != key.marker || load<std::uint64_t>(at + 32) != key.generation.value)
    return std::nullopt;
  BlockHeader header;
  header.crc = load<std::uint32_t>(at + 8);
  header.bodies_crc = load<std::uint32_t>(at + 12);
  header.length = load<std::uint32_t>(at + 16);
  header.bodies_at = load<std::uint32_t>(at + 20);
  header.synced = Position(load<std::uint64_t>(at + 24));
  const bool sound = header.bodies_at >= block_bytes_min && header.bodies_at <= header.length &&
                     header.length % 8 == 0 && header.length <= room;
  if (!sound) return std::nullopt;
  return header;
}

std::optional<Block> Block::of(const BlockHeader& header, std::string_view bytes, const SegmentKey& key) {
  PARLEY_ASSERT(bytes.size() >= header.bodies_at);
  if (key.check && base::crc32c(bytes.substr(12, header.bodies_at - 12)) != header.crc) return std::nullopt;
  const std::string_view inner = bytes.substr(block_header_bytes, header.bodies_at - block_header_bytes);
  const std::uint64_t chained_length = Chained::bytes_of(inner);
  if (chained_length == 0 || chained_length > inner.size()) return std::nullopt;
  const auto chained = Chained::of(inner.substr(0, chained_length));
  const bool sound = chained && chained->count() > 0 && chained_length + chained->count() == inner.size();
  if (!sound) return std::nullopt;
  std::uint64_t bodies = 0;
  for (std::uint32_t i = 0; i < chained->count(); ++i) bodies += chained->body_length(i);
  if (padded(header.bodies_at + bodies) != header.length) return std::nullopt;
  return Block(header, *chained, inner.substr(chained_length));
}

BodyKind Block::kind(std::uint32_t index) const {
  PARLEY_ASSERT(index < kinds_.size());
  return static_cast<BodyKind>(kinds_[index]);
}

std::uint64_t Block::body_at(std::uint32_t index) const {
  std::uint64_t at = header_.bodies_at;
  for (std::uint32_t i = 0; i < index; ++i) at += chained_.body_length(i);
  return at;
}

bool Block::bodies_intact(std::string_view bytes, const SegmentKey& key) const {
  PARLEY_ASSERT(bytes.size() == header_.length);
  return !key.check || base::crc32c(bytes.substr(header_.bodies_at)) == header_.bodies_crc;
}

}  // namespace parley::journal::file
