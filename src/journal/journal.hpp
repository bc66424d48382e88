// The journal's port: blocks of opaque records appended, read back and snapshotted, by position (D3). It sees bytes and
// positions, never messages. Backends: file/ (one machine), memory/ (tests, mocks); one conformance suite for all.
//
//   append(block) ──► Ticket ──► poll(): durable_up_to(position) │ ended(fenced or failed)
//
// Whoever answers anybody waits until durable_head() has reached what the answer rests on.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::journal {

// Ordinal of a record in the shard's journal; the first is 1, 0 is before all. Never leaves the server.
using base::Position;

// What is appended: an event and, for most, the native bytes it rests on. Views of bytes that stay where they are until
// the block is durable, or the journal has ended.
struct Record {
  std::string_view event;
  std::string_view body;
  base::Digest body_hash{};  // SHA-256 of body, computed by the caller; ignored without a body
  bool has_body = false;
};

// What a record costs besides its event and body, and a block besides its records; for room_for().
inline constexpr std::uint64_t record_overhead = 48;
inline constexpr std::uint64_t block_overhead = 128;

enum class BodyKind : std::uint8_t { none, kept, erased };

// What replay sees of a record; views die when the visitor returns.
struct Entry {
  Position position;
  base::Instant engine_time;  // of its block
  std::string_view event;
  BodyKind body = BodyKind::none;
  std::uint32_t body_length = 0;  // bytes
  base::Digest body_hash{};       // all zero without a body
};

enum class Visit : std::uint8_t { next, stop };
using EntryVisitor = std::function<base::Result<Visit>(const Entry&)>;

// Reads what is stored, in step with its writer: a block that is still on its way to the disk is not there yet.
// Resource type: one thread at a time, any thread; must not outlive its journal. Errors: JOURNAL_DAMAGED with segment,
// byte and position; NOT_FOUND for a position past the head or a record without (or with an erased) body.
class Reader {
 public:
  virtual ~Reader() = default;
  // In order from `from` to the head as it is at the call. Checks the checksum and the chain of what it passes; loads
  // no bodies.
  virtual base::Result<> read(Position from, const EntryVisitor& visit) = 0;
  // Replaces `into` by the record's event: for single ones, where read() would begin anew each time.
  virtual base::Result<> event(Position position, std::string& into) = 0;
  // Replaces `into` by the record's native bytes, which are checked.
  virtual base::Result<> body(Position position, std::string& into) = 0;
  // What event() and body() have read so far, of a disk that may be slow; not what read() does, nor an index.
  virtual std::uint64_t bytes_read() const = 0;
};

// Where the journal stands after its last block.
struct Head {
  Position position;
  base::Instant engine_time{};
  base::Digest chain{};  // over all history: each event, the SHA-256 of each body, terms, times, positions
  friend bool operator==(const Head&, const Head&) = default;
};

struct SnapshotInfo {
  Head at;  // the state holds all up to and with this
  std::uint64_t bytes = 0;
};

// A snapshot being read, in order, each piece checked before it is handed over. Resource type; one thread, any thread.
// Errors: JOURNAL_DAMAGED where a byte is not as it was written.
class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;
  virtual base::Result<std::string_view> next() = 0;  // good until the next call; empty: that was all
};

// A snapshot being written, on whatever thread, beside the loop. Nothing is kept of one that is dropped before commit.
class SnapshotWriter {
 public:
  virtual ~SnapshotWriter() = default;
  virtual base::Result<> write(std::string_view bytes) = 0;
  virtual base::Result<> commit() = 0;  // it lasts once this has returned; all but the newest two go
};

struct Ticket {
  Position first;
  Position last;
};

enum class Outcome : std::uint8_t {
  durable,
  fenced,  // another leader writes now: drop the state and read the log again
  failed,  // a write or sync failed, for good: stop the server
};

class Outcomes {
 public:
  virtual ~Outcomes() = default;
  virtual void durable_up_to(Position position) = 0;
  virtual void ended(Outcome outcome, const base::Error& why) = 0;  // fenced or failed; at most once
};

enum class Room : std::uint8_t {
  enough,
  soon,   // space is being made: hold input back for a moment
  later,  // the system has no descriptor or memory to make it: refuse with OVERLOADED; the reserve as below
  full,   // the disk is: refuse with STORAGE_FULL; what the reserve is for may still be appended
};

// What a block is for: the fuller the disk, the less may still be appended.
enum class Need : std::uint8_t {
  growth,  // leaves the reserve whole: what is new
  work,    // leaves half of it: what agents do with what is there
  duty,    // may use all of it: what must come to an end
};

// How much of a reserve is kept back.
constexpr std::uint64_t kept_back(std::uint64_t reserve, Need need) {
  return need == Need::growth ? reserve : need == Need::work ? reserve / 2 : 0;
}

// One shard's journal. Resource type; owned and called by the shard's loop, but for what readers and snapshot writers
// do.
class Journal {
 public:
  virtual ~Journal() = default;

  // One block, all or nothing, at least one record. Not an outcome: the ticket's last position is durable once
  // durable_head() reaches it, which may be now. May wait for the block before. Errors: STORAGE_FULL, PAYLOAD_TOO_LARGE
  // (nothing happened, the journal goes on; never of a block for which room_for() has said `enough` since the one
  // before, of at most block_bytes_max()); JOURNAL_FAILED (it is failed for good: nothing more is appended).
  virtual base::Result<Ticket> append(std::span<const Record> records, base::Instant engine_time) = 0;

  // Hands over the outcomes there are since the last call; called each turn of the loop, and soon after the backend has
  // woken it.
  virtual void poll(Outcomes& outcomes) = 0;
  // Called about once a second: takes up again what waits for space, and records that the last block was synced, so
  // that later damage to it is told from a torn write.
  virtual void tick() = 0;

  // Whether a block of so many bytes, overheads counted, leaves as much of the reserve as its need wants. To be asked
  // before acceptance.
  virtual Room room_for(std::uint64_t bytes, Need need) = 0;
  Room room_for(std::uint64_t bytes) { return room_for(bytes, Need::growth); }
  virtual std::uint64_t block_bytes_max() const = 0;

  virtual Head head() const = 0;  // its chain is known once it is durable, all zero until then
  virtual Position durable_head() const = 0;

  virtual std::unique_ptr<Reader> reader() = 0;

  // Of the state at the head; waits until that is durable.
  virtual base::Result<std::unique_ptr<SnapshotWriter>> begin_snapshot() = 0;
  // Of this history by what they say of themselves, newest first, as they were found at the start.
  virtual std::vector<SnapshotInfo> snapshots() const = 0;
  virtual base::Result<std::unique_ptr<SnapshotReader>> read_snapshot(const SnapshotInfo& snapshot) = 0;

  // Ends writing in an orderly way, as the last tick would. Without it (a crash) nothing is lost.
  virtual base::Result<> close() = 0;
};

}  // namespace parley::journal
