#include "broker/block.hpp"

#include <algorithm>
#include <cstring>

namespace parley::broker {
namespace {

// A block of one message stays small, a large one has few chunks.
constexpr std::size_t chunk_min = 2u << 10;
constexpr std::size_t chunk_max = 256u << 10;

}  // namespace

char* Block::add(std::size_t event_bytes, std::string_view body, const base::Digest& body_hash, bool has_body,
                 const SharedBytes& shared) {
  const bool is_shared = shared.holds(body);
  char* const at = room_for(event_bytes + (is_shared ? 0 : body.size()));
  const char* body_at = body.data();
  if (is_shared) {
    share(shared);
  } else {
    std::memcpy(at + event_bytes, body.data(), body.size());
    body_at = at + event_bytes;
  }
  pieces_.push_back({at, body_at, static_cast<std::uint32_t>(event_bytes), static_cast<std::uint32_t>(body.size()),
                     has_body, body_hash});
  bytes_ += event_bytes + body.size();
  return at;
}

char* Block::room_for(std::size_t bytes) {
  if (chunk_.size() < bytes) {
    const std::size_t size = std::max(bytes, std::clamp(copied_, chunk_min, chunk_max));
    chunk_ = {chunks_.emplace_back(std::make_unique_for_overwrite<char[]>(size)).get(), size};
    allocated_ += size;
  }
  char* const at = chunk_.data();
  chunk_ = chunk_.subspan(bytes);
  copied_ += bytes;
  return at;
}

void Block::share(const SharedBytes& shared) {
  if (!shared_.empty() && shared_.back() == shared.bytes) return;
  shared_.push_back(shared.bytes);
  allocated_ += shared.size;
}

std::string_view Block::event(base::Position position) const {
  const Piece& at = piece(position);
  return {at.event, at.event_bytes};
}

std::string_view Block::body(base::Position position) const {
  const Piece& at = piece(position);
  return {at.body, at.body_bytes};
}

void Block::records(std::vector<journal::Record>& into) const {
  into.clear();
  into.reserve(pieces_.size());
  for (const Piece& at : pieces_)
    into.push_back({{at.event, at.event_bytes}, {at.body, at.body_bytes}, at.body_hash, at.has_body});
}

}  // namespace parley::broker
