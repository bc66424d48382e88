// The journal back into an engine: at the start, and beside the loop for snapshots.
#pragma once
#include <atomic>

#include "engine/engine.hpp"
#include "journal/journal.hpp"

namespace parley::broker {

struct LoadedSnapshot {
  base::Position at;                 // what it stands for; 0: none
  std::vector<base::Error> refused;  // newer ones: damaged, or of another version
};
// The first of these that reads back and is of this version. Both end early, without an error, when `give_up` turns
// true.
LoadedSnapshot load_snapshot(journal::Journal& journal, const std::vector<journal::SnapshotInfo>& newest_first,
                             engine::Engine& engine, const std::atomic<bool>* give_up = nullptr);

// Applies what lies after `after`, up to and with `through`.
base::Result<> replay(journal::Reader& reader, base::Position after, base::Position through, engine::Engine& engine,
                      const std::atomic<bool>* give_up = nullptr);

}  // namespace parley::broker
