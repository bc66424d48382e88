#include "journal/file/block_stream.hpp"

#include <algorithm>

#include "journal/little_endian.hpp"

namespace parley::journal::file {
namespace {

constexpr std::uint64_t read_bytes = 128 << 10;
constexpr std::uint64_t survey_bytes = 1 << 20;

// The header at `byte`, if it and the chained part are intact: read on its own, for candidates are rare.
base::Result<std::optional<BlockHeader>> intact_header(base::File& file, const SegmentKey& key, std::uint64_t byte,
                                                       std::uint64_t to) {
  std::string bytes(block_header_bytes, '\0');
  PARLEY_TRY(const std::size_t got, file.read_at(byte, bytes));
  const auto header = read_block_header(std::string_view(bytes).substr(0, got), key, to - byte);
  if (!header) return std::nullopt;
  bytes.resize(header->bodies_at);
  PARLEY_TRY(const std::size_t whole, file.read_at(byte, bytes));
  if (whole < bytes.size() || !Block::of(*header, bytes, key)) return std::nullopt;
  return header;
}

std::size_t nonzero_length(std::string_view bytes) {
  std::size_t length = bytes.size();
  while (length >= 8 && load<std::uint64_t>(bytes.data() + length - 8) == 0) length -= 8;
  while (length > 0 && bytes[length - 1] == '\0') --length;
  return length;
}

}  // namespace

base::Result<bool> BlockStream::have(std::uint64_t count) {
  if (count > to_ - byte_) return false;
  if (byte_ >= buffer_at_ && byte_ + count <= buffer_at_ + buffered_) return true;
  const std::uint64_t wanted = std::min(std::max(count, read_bytes), to_ - byte_);
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  buffer_at_ = byte_;
  PARLEY_TRY(buffered_, file_.read_at(byte_, std::span(buffer_.data(), wanted)));
  return buffered_ >= count;
}

base::Result<Step> BlockStream::next() {
  block_.reset();
  byte_ = next_;
  if (byte_ == to_) return Step::end;
  PARLEY_TRY(const bool long_enough, have(block_bytes_min));
  if (!long_enough) return Step::bad;
  const auto header = read_block_header(at_byte(), key_, to_ - byte_);
  if (!header) return Step::bad;
  PARLEY_TRY(const bool here, have(bodies_ == Bodies::checked ? header->length : header->bodies_at));
  if (!here) return Step::bad;
  block_ = Block::of(*header, at_byte(), key_);
  if (!block_) return Step::bad;
  if (bodies_ == Bodies::checked && !block_->bodies_intact(at_byte().substr(0, header->length), key_)) {
    block_.reset();
    return Step::bad;
  }
  next_ = byte_ + header->length;
  return Step::block;
}

base::Result<Rest> survey(base::File& file, const SegmentKey& key, std::uint64_t from, std::uint64_t to) {
  Rest rest;
  rest.nonzero_end = from;
  // Blocks begin at multiples of 8; a bad place may be any byte once a file was cut.
  const std::uint64_t begin = from & ~std::uint64_t{7};
  std::string buffer(std::min(survey_bytes, std::max(to, begin) - begin), '\0');
  for (std::uint64_t at = begin; at < to; at += survey_bytes) {
    const std::uint64_t wanted = std::min(survey_bytes, to - at);
    PARLEY_TRY(const std::size_t got, file.read_at(at, std::span(buffer.data(), wanted)));
    const std::size_t length = nonzero_length({buffer.data(), got});
    if (length > 0) rest.nonzero_end = std::max(rest.nonzero_end, at + length);
    for (std::size_t i = 0; i + 8 <= length; i += 8) {
      if (load<std::uint64_t>(buffer.data() + i) != key.marker) continue;
      PARLEY_TRY(const auto header, intact_header(file, key, at + i, to));
      if (!header) continue;
      ++rest.blocks;
      rest.synced = std::max(rest.synced, header->synced);
    }
    if (got < wanted) break;  // the file's end
  }
  return rest;
}

}  // namespace parley::journal::file
