// The segments of a folder by their headers and seals alone: which hold history, whether they join without a gap, and
// which are only ready. Reads, never writes: recovery and `verify` both begin here.
#pragma once
#include <string>
#include <vector>

#include "base/file.hpp"
#include "journal/file/catalog.hpp"

namespace parley::journal::file {

struct Listing {
  std::vector<Generation> segments;  // ascending
  std::vector<Position> snapshots;   // newest first
  std::vector<std::string> unfinished;
  bool has_id = false;
};
base::Result<Listing> list_folder(base::FileSystem& files, const std::string& folder);

// From the id file, or from the first segment where that is gone; nothing in a folder that is no journal (yet).
base::Result<std::optional<JournalId>> find_id(base::FileSystem& files, const std::string& folder,
                                               const Listing& listing);

struct SegmentTable {
  std::vector<Segment> begun;      // at least one; all but the last sealed; `end` and `last` are known of sealed ones
  std::uint64_t newest_bytes = 0;  // of the last begun one, as it was made ready
  std::vector<Generation> blank;   // files after it
};
// Errors: JOURNAL_DAMAGED where a segment is missing, cut short, or does not continue the one before it.
base::Result<SegmentTable> read_segment_table(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                              const std::vector<Generation>& generations);

std::string segment_path(const std::string& folder, Generation generation);

}  // namespace parley::journal::file
