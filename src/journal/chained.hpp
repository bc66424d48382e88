// The chained part of a block, in every backend: term, positions, engine time, the hash of the block before, and each
// record's event and body hash, in one run of bytes. Their SHA-256 is the chain's next link. Native bytes, checksums
// and places on a disk are not in it: bodies can be erased, blocks be moved, and the chain stays whole (D3).
//
//   0 u64 term │ 8 u64 first position │ 16 i64 engine time, µs │ 24 u32 count │ 28 u32 bytes of events │ 32 hash before
//   64 count × { u32 event bytes │ u32 body bytes │ 32 SHA-256 of the body, all zero without one } │ events
#pragma once
#include <optional>
#include <string>

#include "journal/journal.hpp"

namespace parley::journal {

inline constexpr std::size_t chained_front_bytes = 64;
inline constexpr std::size_t chained_row_bytes = 40;

struct BlockPlace {
  std::uint64_t term = 1;
  Position first;
  base::Instant engine_time{};
  base::Digest previous{};
};

std::size_t chained_bytes(std::span<const Record> records);
// What comes before the events; `to` has chained_head_bytes(records). The events follow as they lie in the records.
std::size_t chained_head_bytes(std::span<const Record> records);
void write_chained_head(char* to, std::span<const Record> records, const BlockPlace& place);

// Views into the bytes it was made of. Value type.
class Chained {
 public:
  // How many bytes a block's chained part takes, by its front; 0 where that is absurd.
  static std::uint64_t bytes_of(std::string_view front);
  // Nothing where lengths contradict one another.
  static std::optional<Chained> of(std::string_view bytes);

  Position first() const;
  Position last() const;
  base::Instant engine_time() const;
  std::uint32_t count() const;
  std::uint32_t index_of(Position position) const { return static_cast<std::uint32_t>(position.value - first().value); }
  base::Digest previous() const;
  std::string_view bytes() const { return bytes_; }
  base::Digest chain() const { return base::sha256(bytes_); }

  std::uint32_t event_length(std::uint32_t index) const;
  std::uint32_t body_length(std::uint32_t index) const;
  base::Digest body_hash(std::uint32_t index) const;
  std::string_view events() const;  // one after the other
  std::string_view event(std::uint32_t index) const;

 private:
  explicit Chained(std::string_view bytes) : bytes_(bytes) {}
  const char* row(std::uint32_t index) const;

  std::string_view bytes_;
};

}  // namespace parley::journal
