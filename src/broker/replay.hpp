// The journal back into an engine: at the start, and beside the loop for snapshots.
#pragma once
#include <atomic>

#include "engine/engine.hpp"
#include "journal/journal.hpp"

namespace parley::broker {

// The first of these snapshots that reads back and is of this version; the position it stands for, 0 where none is.
base::Position load_snapshot(journal::Journal& journal, const std::vector<journal::SnapshotInfo>& newest_first,
                             engine::Engine& engine);

// Applies what lies after `after`, up to and with `through`; ends early, without an error, when `give_up` turns true.
base::Result<> replay(journal::Reader& reader, base::Position after, base::Position through, engine::Engine& engine,
                      const std::atomic<bool>* give_up = nullptr);

}  // namespace parley::broker
