#include "broker/block.hpp"

#include <algorithm>
#include <cstring>

namespace parley::broker {
namespace {

// A block of one message stays small, a large one has few chunks.
constexpr std::size_t chunk_min = 2u << 10;
constexpr std::size_t chunk_max = 256u << 10;

}  // namespace

char* Block::add(std::size_t event_bytes, std::string_view body, const base::Digest& body_hash, bool has_body) {
  char* const at = room_for(event_bytes + body.size());
  std::memcpy(at + event_bytes, body.data(), body.size());
  pieces_.push_back(
      {at, static_cast<std::uint32_t>(event_bytes), static_cast<std::uint32_t>(body.size()), has_body, body_hash});
  bytes_ += event_bytes + body.size();
  return at;
}

char* Block::room_for(std::size_t bytes) {
  if (chunk_.size() < bytes) {
    const std::size_t size = std::max(bytes, std::clamp(bytes_, chunk_min, chunk_max));
    chunk_ = {chunks_.emplace_back(std::make_unique_for_overwrite<char[]>(size)).get(), size};
    allocated_ += size;
  }
  char* const at = chunk_.data();
  chunk_ = chunk_.subspan(bytes);
  return at;
}

std::string_view Block::event(base::Position position) const {
  const Piece& at = piece(position);
  return {at.bytes, at.event_bytes};
}

std::string_view Block::body(base::Position position) const {
  const Piece& at = piece(position);
  return {at.bytes + at.event_bytes, at.body_bytes};
}

void Block::records(std::vector<journal::Record>& into) const {
  into.clear();
  into.reserve(pieces_.size());
  for (const Piece& at : pieces_)
    into.push_back({{at.bytes, at.event_bytes}, {at.bytes + at.event_bytes, at.body_bytes}, at.body_hash, at.has_body});
}

}  // namespace parley::broker
