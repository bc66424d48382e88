// Which segments hold which positions, how far they reach, and the sparse index into them: written by the journal,
// looked at by its readers on other threads. A mutex, held for look-ups and for a few words at each append.
#pragma once
#include <mutex>
#include <optional>
#include <vector>

#include "journal/file/format.hpp"

namespace parley::journal::file {

struct Segment {
  Generation generation;
  Head before;            // the journal's head when it began
  Position last;          // of its records; before.position while it has none
  std::uint64_t end = 0;  // byte after its last block
  std::optional<Seal> seal;
  Position marked;              // known to be synced by its mark
  std::vector<IndexRow> index;  // empty where a sealed segment's was not read yet
};

// A run of whole blocks in one segment, small enough to be read at once.
struct Chunk {
  Generation generation;
  Position first;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

class Catalog {
 public:
  explicit Catalog(std::uint64_t index_bytes) : index_bytes_(index_bytes) {}

  void open(std::vector<Segment> segments, const Head& head);  // once, as recovered
  void begin(Segment segment);                                 // the newest from now on
  void extend(const Head& head, Position block_first, std::uint64_t block_at, std::uint64_t end);
  std::vector<IndexRow> newest_index() const;
  void seal(const Seal& seal);  // the newest
  void set_index(Generation generation, std::vector<IndexRow> index);

  Head head() const;
  // The segment that holds the position, and without its index; nothing past the head.
  std::optional<Segment> segment_of(Position position) const;
  // Where to begin reading to meet the position. Its segment's index has been set.
  Chunk chunk_of(Position position) const;

  // Adds a row if the last one is far enough back.
  static void add_row(std::vector<IndexRow>& index, IndexRow row, std::uint64_t index_bytes);
  std::uint64_t index_bytes() const { return index_bytes_; }

 private:
  const Segment* find(Position position) const;

  const std::uint64_t index_bytes_;
  mutable std::mutex mutex_;
  std::vector<Segment> segments_;  // by generation, at least one once the journal is open
  Head head_;
};

}  // namespace parley::journal::file
