// From the files of a folder to a journal that can be appended to. Below the highest position known to be synced,
// damage stops; above it the first bad block is the tail, and is cut for good. May crash anywhere and be run again.
#pragma once
#include "journal/file/file_journal.hpp"
#include "journal/file/segment_table.hpp"
#include "journal/file/space.hpp"

namespace parley::journal::file {

struct RecoveredState {
  JournalId id{};
  std::vector<Segment> segments;  // the last is the one to append to; its index is complete
  std::unique_ptr<base::File> newest;
  std::uint64_t capacity = 0;  // of the newest, bytes
  Head head;
  std::vector<ReadySegment> ready;      // in order, whole
  std::vector<SnapshotInfo> snapshots;  // whole, newest first; their chain is not yet compared
  std::vector<Position> refused;        // snapshots that are none
  Recovered report;
};

// The folder is there and locked.
base::Result<RecoveredState> recover(const Options& options);

}  // namespace parley::journal::file
