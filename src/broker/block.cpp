#include "broker/block.hpp"

#include <algorithm>
#include <cstring>

namespace parley::broker {
namespace {

// A block of one message stays small, a large one has few chunks.
constexpr std::size_t chunk_min = 512;
constexpr std::size_t chunk_max = 256u << 10;

}  // namespace

char* Chunks::room_for(std::size_t bytes) {
  if (left_.size() < bytes) {
    const std::size_t size = std::max(bytes, std::clamp(used_, chunk_min, chunk_max));
    left_ = {chunks_.emplace_back(std::make_unique_for_overwrite<char[]>(size)).get(), size};
    allocated_ += size;
  }
  char* const at = left_.data();
  left_ = left_.subspan(bytes);
  used_ += bytes;
  return at;
}

char* Block::add(std::size_t event_bytes, std::string_view body, const base::Digest& body_hash, bool has_body,
                 const SharedBytes& shared) {
  char* const at = events_.room_for(event_bytes);
  const char* body_at = body.data();
  if (shared.holds(body)) {
    share(shared);
  } else if (!body.empty()) {
    char* const copy = bodies_.room_for(body.size());
    std::memcpy(copy, body.data(), body.size());
    body_at = copy;
  }
  pieces_.push_back({at, body_at, static_cast<std::uint32_t>(event_bytes), static_cast<std::uint32_t>(body.size()),
                     has_body, body_hash});
  bytes_ += event_bytes + body.size();
  return at;
}

void Block::share(const SharedBytes& shared) {
  if (!shared_.empty() && shared_.back() == shared.bytes) return;
  shared_.push_back(shared.bytes);
  shared_bytes_ += shared.size;
}

std::size_t Block::allocated() const {
  return events_.allocated() + bodies_.allocated() + shared_bytes_ + pieces_.capacity() * sizeof(Piece);
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
