#include "broker/block.hpp"

namespace parley::broker {

base::Position Block::add(std::string_view event, std::string_view body, const base::Digest& body_hash, bool has_body) {
  const base::Position position = next();
  pieces_.push_back({bytes_.size(), static_cast<std::uint32_t>(event.size()), static_cast<std::uint32_t>(body.size()),
                     has_body, body_hash});
  bytes_.append(event).append(body);
  return position;
}

std::string_view Block::event(base::Position position) const {
  const Piece& at = piece(position);
  return std::string_view(bytes_).substr(at.begin, at.event_bytes);
}

std::string_view Block::body(base::Position position) const {
  const Piece& at = piece(position);
  return std::string_view(bytes_).substr(at.begin + at.event_bytes, at.body_bytes);
}

void Block::records(std::vector<journal::Record>& into) const {
  into.clear();
  into.reserve(pieces_.size());
  for (const Piece& at : pieces_) {
    const std::string_view all(bytes_);
    into.push_back({all.substr(at.begin, at.event_bytes), all.substr(at.begin + at.event_bytes, at.body_bytes),
                    at.body_hash, at.has_body});
  }
}

}  // namespace parley::broker
