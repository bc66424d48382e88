// What this test's own clients did and were told, kept apart from the server, and what must follow from it: the oracles
// O1-O4 of docs/reliability.md. A send without an answer is unknown, not failed (P2). Resource type, any thread; the
// process that holds it is never killed.
//
//   O2  acked ⊆ final ⊆ acked ∪ unknown; no id twice; the bytes are those sent
//   O3  offsets rise by one in the log; within a lane deliveries rise; an answer's offset is the log's
//   O4  one live lease a copy; an acked copy never comes again; an ack of an older delivery changes nothing
//   P3  at most once is never twice; at least once is never zero without a record of why
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/value.hpp"
#include "messages.hpp"

namespace parley::e2e {

using WallClock = std::chrono::system_clock;

// One offer, as it came.
struct Seen {
  std::uint64_t offset = 0;
  std::uint32_t epoch = 0;  // of the delivery id, "offset-epoch"
  std::optional<WallClock::time_point> lease_until;
  std::uint32_t life = 0;  // of the server: how often it was started
  bool repeated = false;   // the same take was asked for again
};

struct Counts {
  std::uint64_t sent = 0, accepted = 0, unknown = 0, unknown_were_duplicates = 0, unknown_were_new = 0;
  std::uint64_t duplicates_asked = 0, conflicts_asked = 0, refused_for_now = 0;
  std::uint64_t deliveries = 0, redeliveries = 0, acked = 0, fenced = 0, nacked = 0, takes_repeated = 0;
  std::uint64_t ended_otherwise = 0, handed_over = 0, handed_over_unseen = 0;
  void add(const Counts& other);
};

class Ledger {
 public:
  // Senders. A message is planned before its bytes leave.
  void plan(Message message);
  void answered(std::uint64_t number, std::uint64_t offset, bool duplicate, bool was_unknown);
  void refused(std::uint64_t number, std::string_view code);
  void conflict_answered(std::uint64_t number, std::optional<std::string_view> code);
  void unknown_after_break(std::uint64_t count);
  void believed(std::uint64_t number);  // a planted fault: it counts as accepted before there is an answer

  // Receivers, named "workspace/agent".
  void received(const std::string& recipient, std::string_view native, const Seen& seen);
  bool nack_meant(const std::string& recipient, std::uint64_t offset);
  void ack_asked(const std::string& recipient, std::uint64_t offset);
  // `newest_then`: newest_epoch() when the ack was asked.
  void ack_answered(const std::string& recipient, std::uint64_t offset, std::uint32_t epoch, std::uint32_t newest_then,
                    std::string_view status);
  void session_ended(const std::string& recipient);  // its leases went back
  std::uint32_t newest_epoch(const std::string& recipient, std::uint64_t offset) const;

  // The log of a workspace, from its first event on and in order.
  void read_log_anew(const std::string& workspace);
  void logged(const std::string& workspace, json::Value item);
  std::uint64_t log_head(const std::string& workspace) const;
  // When everything was sent, taken and acked, and the log read to its end.
  void check_all_ended();

  // Copies of at-least-once messages that were sent and came to no end yet.
  std::int64_t outstanding() const { return outstanding_; }
  std::string outstanding_text() const;  // by recipient

  void wrong(const std::string& what);
  std::string first_wrong() const;
  Counts counts() const;

 private:
  struct Copy {  // a message at one of its recipients
    std::vector<Seen> seen;
    bool acked = false, ack_asked = false, nacked = false, lease_gone = false;
    // As the log says.
    std::uint32_t log_offers = 0;
    bool log_acked = false, log_ended = false;
    bool ended = false;  // no longer outstanding
  };
  struct Entry {
    Message message;
    std::optional<std::uint64_t> offset;  // as answered, delivered or logged
    bool accepted = false, answered = false, refused = false, logged = false;
    std::map<std::string, Copy> copies;
  };
  struct Log {
    std::uint64_t head = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> number_at;  // offset → message number
  };

  void end(const Entry& entry, Copy& copy);
  void wrong_locked(const std::string& what);
  void require(bool holds, const Entry& entry, const std::string& recipient, std::string_view what);
  bool settle_offset(Entry& entry, std::uint64_t offset);
  Entry* entry_of(std::string_view native, const std::string& recipient);
  Copy* copy_at(const std::string& recipient, std::uint64_t offset);
  const Copy* copy_at(const std::string& recipient, std::uint64_t offset) const;
  void check_delivery(const Entry& entry, const Copy& copy, const std::string& recipient, const Seen& seen);
  void logged_message(Log& log, const std::string& workspace, std::uint64_t offset, json::Value item);
  void logged_of_copy(Entry& entry, const std::string& recipient, std::string_view event);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::unordered_map<std::string, std::unordered_map<std::uint64_t, std::uint64_t>> numbers_;  // workspace → offset →
  std::map<std::string, std::uint64_t> lane_offsets_;  // "recipient lane" → newest offset delivered
  std::map<std::string, Log> logs_;
  std::atomic<std::int64_t> outstanding_ = 0;
  Counts counts_;
  std::string first_wrong_;
};

}  // namespace parley::e2e
