// Pieces are written front to back; what is written is forgotten in bulk, so that no write moves a long vector.
#include "net/wire/output.hpp"

#include "base/assert.hpp"

namespace parley::net::wire {
namespace {

constexpr std::size_t own_piece_bytes = 2048;        // from here on a moved string keeps its own piece
constexpr std::size_t joined_piece_bytes = 1 << 16;  // small ones are joined up to here
constexpr std::size_t forget_pieces = 64;

}  // namespace

void Output::append(std::string_view bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  if (!pieces_.empty() && pieces_.back().open && pieces_.back().own.size() + bytes.size() <= joined_piece_bytes) {
    pieces_.back().own += bytes;
    return;
  }
  pieces_.push_back({std::string(bytes), nullptr, true});
}

void Output::append(std::string&& bytes) {
  if (bytes.size() < own_piece_bytes) return append(std::string_view(bytes));
  size_ += bytes.size();
  pieces_.push_back({std::move(bytes), nullptr, false});
}

void Output::append(const Shared& bytes) {
  if (bytes->size() < own_piece_bytes) return append(std::string_view(*bytes));
  size_ += bytes->size();
  pieces_.push_back({{}, bytes, false});
}

std::size_t Output::gather(std::span<std::string_view> into) const {
  std::size_t count = 0;
  for (std::size_t i = first_; i < pieces_.size() && count < into.size(); ++i, ++count) {
    into[count] = pieces_[i].view();
    if (i == first_) into[count].remove_prefix(written_);
  }
  return count;
}

void Output::consume(std::size_t bytes) {
  PARLEY_ASSERT(bytes <= size_);
  size_ -= bytes;
  written_ += bytes;
  while (first_ < pieces_.size() && written_ >= pieces_[first_].view().size()) {
    written_ -= pieces_[first_].view().size();
    pieces_[first_] = {};
    ++first_;
  }
  release_written();
}

void Output::release_written() {
  if (size_ == 0) {
    pieces_ = {};  // an idle connection keeps no memory
    first_ = 0;
  } else if (first_ >= forget_pieces) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

std::string Output::text() const {
  std::string all;
  for (std::size_t i = first_; i < pieces_.size(); ++i) all += pieces_[i].view();
  return all.substr(written_);
}

}  // namespace parley::net::wire
