// Snapshots as files of their own: written under an unfinished name, checksummed, synced, renamed, the folder synced;
// each chunk checked as it is read. The layout is in docs/internals/journal-format.md.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "journal/file/format.hpp"

namespace parley::journal::file {

std::string snapshot_name(Position position);
std::optional<Position> snapshot_position(std::string_view file_name);

// Writes a snapshot of the state at `at` into the folder; may live on another thread than the journal. Of the older
// ones the newest stays, none of those that were `refused`.
base::Result<std::unique_ptr<SnapshotWriter>> write_snapshot(base::FileSystem& files, const std::string& folder,
                                                             const JournalId& id, const Head& at,
                                                             std::vector<Position> refused);

// What it says of itself at both ends. Errors: JOURNAL_DAMAGED where they are not as written.
base::Result<SnapshotInfo> look_at_snapshot(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                            Position position);
// Walks the whole file. Errors: JOURNAL_DAMAGED where any byte of it is not as written.
base::Result<SnapshotInfo> check_snapshot(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                          Position position);
base::Result<std::unique_ptr<SnapshotReader>> read_snapshot_file(base::FileSystem& files, const std::string& folder,
                                                                 const JournalId& id, Position position);

}  // namespace parley::journal::file
