// Reads a journal's folder from the first byte to the last, offline or beside a running server: no lock, no write.
// What `parley verify` prints (reliability O6).
#pragma once
#include <optional>
#include <string>

#include "base/file.hpp"
#include "journal/journal.hpp"

namespace parley::journal::file {

struct Report {
  Head head;  // of what is intact from the beginning on
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;
  std::uint64_t records = 0;
  std::uint64_t bodies = 0;
  std::uint64_t erased = 0;
  std::uint64_t snapshots = 0;   // intact and of this history
  std::uint64_t tail_bytes = 0;  // behind the last block, and nothing says they were synced: recovery will cut them
  std::optional<base::Error> first_bad;  // JOURNAL_DAMAGED with file, byte and position
  bool intact() const { return !first_bad.has_value(); }
};

// Checksums, chain, positions without gaps, the SHA-256 of each body, snapshots. Errors: what stands in the way of
// reading at all; NOT_FOUND where there is no journal.
base::Result<Report> verify(base::FileSystem& files, const std::string& folder);

}  // namespace parley::journal::file
