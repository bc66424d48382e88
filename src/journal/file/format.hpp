// The bytes of a segment file besides its blocks: names, header, seal, sparse index. docs/internals/journal-format.md
// is the specification; the numbers here and there are the same. Value types, no I/O.
#pragma once
#include <array>
#include <vector>

#include "journal/journal.hpp"

namespace parley::journal::file {

inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint64_t blocks_at = 4096;  // header, seal and mark come before
inline constexpr std::uint64_t seal_at = 512;     // a disk sector of its own: writing it cannot tear the header
inline constexpr std::uint64_t mark_at = 1024;
inline constexpr std::size_t header_bytes = 104;
inline constexpr std::size_t seal_bytes = 104;
inline constexpr std::size_t mark_bytes = 32;
inline constexpr std::size_t index_row_bytes = 16;

using JournalId = std::array<std::uint8_t, 16>;  // random, made once, in no message: contents cannot imitate a block
using Generation = base::Strong<struct GenerationTag, std::uint64_t>;  // of a segment; the first is 1, none comes twice

struct SegmentHeader {
  std::uint32_t version = format_version;
  JournalId id{};
  Generation generation;
  std::uint64_t bytes = 0;  // of the segment, as made ready
  Head before;              // the journal's head when the segment began; all of it was synced
};

// Written at 512 when the segment is full and all of it is synced, before the next one begins.
struct Seal {
  Generation generation;
  Head at;
  std::uint64_t end = 0;  // byte after the last block; the index follows
  std::uint32_t index_rows = 0;
  std::uint32_t index_crc = 0;
};

// Where a block begins that is the first after `index_bytes` bytes or more.
struct IndexRow {
  Position first;
  std::uint64_t byte = 0;
};

// How the blocks of one segment are recognised.
struct SegmentKey {
  Generation generation;
  std::uint64_t marker = 0;
  bool check = true;  // false only in the test that proves that checksums are needed
};
SegmentKey key_of(const JournalId& id, Generation generation, bool check = true);
Head root_of(const JournalId& id);  // the head of a journal without blocks

void write_header(char* to, const SegmentHeader& header);
std::optional<SegmentHeader> read_header(std::string_view bytes);
void write_seal(char* to, const Seal& seal, const SegmentKey& key);
std::optional<Seal> read_seal(std::string_view bytes, const SegmentKey& key);
// At 1024: a position that is known to be synced. Written when the journal is idle or closed, so that damage to the
// last block, for which no later one vouches, is told from a torn write. One that is lost is only missed.
void write_mark(char* to, Position synced, const SegmentKey& key);
Position read_mark(std::string_view bytes, const SegmentKey& key);  // 0: none
std::string write_index(const std::vector<IndexRow>& rows);
std::vector<IndexRow> read_index(std::string_view bytes);

std::string segment_name(Generation generation);  // 0000000001.segment
std::optional<Generation> generation_of(std::string_view file_name);
inline constexpr std::string_view id_name = "journal.id";
inline constexpr std::string_view lock_name = "journal.lock";
inline constexpr std::string_view unfinished_suffix = ".unfinished";

std::string write_id(const JournalId& id);
std::optional<JournalId> read_id(std::string_view bytes);

// JOURNAL_DAMAGED with the place named: file, byte, and the position that is expected there.
std::unexpected<base::Error> damaged(const std::string& path, std::uint64_t byte, Position position,
                                     std::string_view what);

}  // namespace parley::journal::file
