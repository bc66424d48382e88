// The block being made: what was decided since the last commit, with the bytes that ride beside it. What is in it is
// already applied, and not yet durable. Resource type, the broker's.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/ids.hpp"
#include "journal/journal.hpp"

namespace parley::broker {

// Bodies that stay as long as somebody shares them: those of a batch, laid down by the worker that read them.
struct SharedBytes {
  std::shared_ptr<const char[]> bytes;
  std::size_t size = 0;

  bool holds(std::string_view body) const {
    return bytes && body.data() >= bytes.get() && body.data() + body.size() <= bytes.get() + size;
  }
};

// Bytes one after the other, in chunks that stay where they are. Resource type.
class Chunks {
 public:
  char* room_for(std::size_t bytes);
  std::size_t allocated() const { return allocated_; }

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::span<char> left_;  // of the last one
  std::size_t used_ = 0;
  std::size_t allocated_ = 0;
};

// Events and bodies of consecutive positions, each side by side; immutable once it is committed, then a part of the
// cache.
class Block : public std::enable_shared_from_this<Block> {
 public:
  explicit Block(base::Position first) : first_(first) {}

  // Whoever adds writes the event where it says, at once. The body is copied, but where it lies in what is shared.
  char* add(std::size_t event_bytes, std::string_view body, const base::Digest& body_hash, bool has_body,
            const SharedBytes& shared);

  base::Position first() const { return first_; }
  base::Position next() const { return base::Position(first_.value + pieces_.size()); }
  bool empty() const { return pieces_.empty(); }
  std::size_t bytes() const { return bytes_; }
  std::size_t allocated() const;
  bool holds(base::Position position) const { return position >= first_ && position < next(); }

  // Views are good as long as the block: what is added moves nothing.
  std::string_view event(base::Position position) const;
  std::string_view body(base::Position position) const;
  void records(std::vector<journal::Record>& into) const;

 private:
  struct Piece {
    const char* event = nullptr;
    const char* body = nullptr;
    std::uint32_t event_bytes = 0;
    std::uint32_t body_bytes = 0;
    bool has_body = false;
    base::Digest body_hash{};
  };
  const Piece& piece(base::Position position) const { return pieces_.at(position.value - first_.value); }

  void share(const SharedBytes& shared);

  base::Position first_;
  Chunks events_, bodies_;
  std::vector<std::shared_ptr<const char[]>> shared_;
  std::size_t shared_bytes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace parley::broker
