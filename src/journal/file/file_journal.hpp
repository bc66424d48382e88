// The journal in files of one folder: docs/internals/journal-format.md has the layout and what recovery promises.
// An append is one write and one fdatasync in space made ready ahead of time. One block is on its way at a time: an
// append waits for the one before.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "journal/file/syncer.hpp"
#include "journal/file/worker.hpp"
#include "journal/journal.hpp"

namespace parley::journal::file {

enum class Zeros : std::uint8_t {
  by_load,  // ready segments are filled with zeros, but for one after few blocks filled the one before, or it came late
  always,
  never,
};

struct Options {
  std::string folder;                 // made if it is not there; locked while the journal lives
  base::FileSystem* files = nullptr;  // outlives the journal; used by the worker and by snapshot writers too
  base::Random* random = nullptr;     // for the id of a new journal
  std::unique_ptr<Worker> worker;     // nothing: a thread of its own
  Syncer* syncer = nullptr;           // outlives the journal; nothing: syncs are within append()
  std::uint64_t term = 1;
  std::uint64_t segment_bytes = 64 << 20;
  std::uint64_t reserve_bytes = 64 << 20;  // ready space that room_for() keeps back
  std::uint64_t index_bytes = 256 << 10;   // of blocks between two rows of the index
  std::uint64_t reader_cache_bytes = 8 << 20;
  Zeros zeros = Zeros::by_load;

  // What only the tests that must turn red may switch on.
  struct Unsafe {
    bool skip_sync = false;
    bool skip_checks = false;
  } unsafe;
};

// What the end of the journal lost: bytes that were written but never known to be synced.
struct Cut {
  std::string file;
  std::uint64_t byte = 0;
  std::uint64_t bytes = 0;
  Position after;  // the last position that is kept
};

struct Recovered {
  bool created = false;
  Head head;
  std::uint64_t segments = 0;
  std::optional<Cut> cut;
  // Of another history, or not as written at their ends; older ones or replay stand in.
  std::vector<base::Error> refused_snapshots;
};

struct Opened {
  std::unique_ptr<Journal> journal;
  Recovered recovered;
};

// Errors: JOURNAL_LOCKED, at once, where another has the folder; JOURNAL_DAMAGED with the place named; STORAGE_FULL;
// JOURNAL_FAILED.
base::Result<Opened> open(Options options);

}  // namespace parley::journal::file
