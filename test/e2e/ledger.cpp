#include "ledger.hpp"

#include <array>
#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

// The server's clock is this machine's; its engine time follows the monotonic one.
constexpr auto clock_slack = std::chrono::milliseconds(50);

std::string workspace_of(const std::string& recipient) {
  return recipient.substr(0, recipient.find('/'));
}

std::string text_of(json::Value value) {
  std::string text;
  json::Writer(text).value(value);
  return text;
}

}  // namespace

void Counts::add(const Counts& o) {
  sent += o.sent, accepted += o.accepted, unknown += o.unknown;
  unknown_were_duplicates += o.unknown_were_duplicates, unknown_were_new += o.unknown_were_new;
  duplicates_asked += o.duplicates_asked, conflicts_asked += o.conflicts_asked, refused_for_now += o.refused_for_now;
  deliveries += o.deliveries, redeliveries += o.redeliveries, acked += o.acked, fenced += o.fenced;
  nacked += o.nacked, takes_repeated += o.takes_repeated, ended_otherwise += o.ended_otherwise;
  handed_over += o.handed_over, handed_over_unseen += o.handed_over_unseen;
}

// --- senders

void Ledger::plan(Message message) {
  const std::scoped_lock lock(mutex_);
  Entry entry;
  for (const std::string& recipient : message.recipients) entry.copies[message.workspace + "/" + recipient];
  if (!message.at_most_once) outstanding_ += static_cast<std::int64_t>(entry.copies.size());
  ++counts_.sent;
  const auto number = message.number;
  entry.message = std::move(message);
  entries_.emplace(number, std::move(entry));
}

void Ledger::answered(std::uint64_t number, std::uint64_t offset, bool duplicate, bool was_unknown) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_.at(number);
  require(!entry.refused, entry, "", "O2: it was refused and then accepted");
  require(settle_offset(entry, offset), entry, "", "O3: the answer names another offset: " + std::to_string(offset));
  if (entry.answered) {
    ++counts_.duplicates_asked;
    require(duplicate, entry, "", "O2: what was accepted is accepted again, not a duplicate");
    return;
  }
  require(!duplicate || was_unknown, entry, "", "O2: it is called a duplicate and was never sent before");
  entry.accepted = entry.answered = true;
  ++counts_.accepted;
  if (was_unknown) ++(duplicate ? counts_.unknown_were_duplicates : counts_.unknown_were_new);
}

void Ledger::refused(std::uint64_t number, std::string_view code) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_.at(number);
  if (code == "OVERLOADED" || code == "SHUTTING_DOWN" ||
      code == "STORAGE_FULL") {  // before acceptance, and it is sent again
    ++counts_.refused_for_now;
    return;
  }
  entry.refused = true;
  if (!entry.message.at_most_once) outstanding_ -= static_cast<std::int64_t>(entry.copies.size());
  if (entry.message.may_expire && code.starts_with("EXPIRED")) return;  // sent again after its short life
  require(false, entry, "", "a good message is refused: " + std::string(code));
}

void Ledger::conflict_answered(std::uint64_t number, std::optional<std::string_view> code) {
  const std::scoped_lock lock(mutex_);
  ++counts_.conflicts_asked;
  require(code == "ID_CONFLICT", entries_.at(number), "",
          "reliability D1: its id with other content is not refused as ID_CONFLICT but " +
              std::string(code.value_or("accepted")));
}

void Ledger::unknown_after_break(std::uint64_t count) {
  const std::scoped_lock lock(mutex_);
  counts_.unknown += count;
}

void Ledger::believed(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  entries_.at(number).accepted = true;
}

// --- receivers

void Ledger::received(const std::string& recipient, std::string_view native, const Seen& seen) {
  const std::scoped_lock lock(mutex_);
  Entry* const entry = entry_of(native, recipient);
  if (!entry) return;
  Copy& copy = entry->copies.at(recipient);
  ++counts_.deliveries;
  if (!copy.seen.empty()) ++counts_.redeliveries;
  if (seen.repeated) ++counts_.takes_repeated;
  require(native == entry->message.native, *entry, recipient, "O2: its bytes are not those that were sent");
  require(settle_offset(*entry, seen.offset), *entry, recipient,
          "O3: it is delivered with another offset: " + std::to_string(seen.offset));
  check_delivery(*entry, copy, recipient, seen);
  if (copy.seen.empty() && !entry->message.lane.empty()) {
    std::uint64_t& newest = lane_offsets_[recipient + " " + entry->message.lane];
    require(seen.offset > newest, *entry, recipient, "P5: it comes behind " + std::to_string(newest) + " of its lane");
    newest = std::max(newest, seen.offset);
  }
  copy.lease_gone = copy.nacked = false;
  copy.seen.push_back(seen);
}

void Ledger::check_delivery(const Entry& entry, const Copy& copy, const std::string& recipient, const Seen& seen) {
  require(!copy.acked, entry, recipient, "O4: it comes again after its ack was answered");
  if (entry.message.at_most_once) {
    require(!seen.lease_until, entry, recipient, "P3: an at-most-once delivery asks for an ack");
    require(copy.seen.empty(), entry, recipient, "P3: an at-most-once message comes twice");
    return;
  }
  require(seen.lease_until.has_value(), entry, recipient, "P3: an at-least-once delivery has no lease");
  for (const Seen& before : copy.seen) {
    if (before.epoch == seen.epoch) {
      require(seen.repeated, entry, recipient, "O4: one delivery is handed out twice");
      continue;
    }
    const bool newest_before = &before == &copy.seen.back() && before.epoch < seen.epoch;
    if (!newest_before || before.life != seen.life || copy.lease_gone || copy.nacked || !before.lease_until) continue;
    require(WallClock::now() + clock_slack >= *before.lease_until, entry, recipient,
            "O4: it is leased again while a lease lives");
  }
}

bool Ledger::nack_meant(const std::string& recipient, std::uint64_t offset) {
  const std::scoped_lock lock(mutex_);
  Copy* const copy = copy_at(recipient, offset);
  if (!copy || copy->nacked || copy->seen.size() > 2) return false;
  copy->nacked = true;
  ++counts_.nacked;
  return true;
}

void Ledger::ack_asked(const std::string& recipient, std::uint64_t offset) {
  const std::scoped_lock lock(mutex_);
  if (Copy* const copy = copy_at(recipient, offset)) copy->ack_asked = true;
}

void Ledger::ack_answered(const std::string& recipient, std::uint64_t offset, std::uint32_t epoch,
                          std::uint32_t newest_then, std::string_view status) {
  const std::scoped_lock lock(mutex_);
  Copy* const copy = copy_at(recipient, offset);
  if (!copy) return wrong_locked("an ack was answered for a delivery that never was");
  const Entry& entry = entries_.at(numbers_[workspace_of(recipient)].at(offset));
  if (status == "superseded") ++counts_.fenced;
  if (status == "unknown")
    require(entry.message.may_expire, entry, recipient, "O4: the server does not know a delivery");
  if (status != "done") return;
  require(newest_then <= epoch, entry, recipient, "O4: an ack of a superseded lease is taken for the newer one");
  if (!copy->acked) {
    copy->acked = true;
    ++counts_.acked;
    end(entry, *copy);
  }
}

void Ledger::session_ended(const std::string& recipient) {
  const std::scoped_lock lock(mutex_);
  for (auto& [number, entry] : entries_)
    if (const auto copy = entry.copies.find(recipient); copy != entry.copies.end()) copy->second.lease_gone = true;
}

std::uint32_t Ledger::newest_epoch(const std::string& recipient, std::uint64_t offset) const {
  const std::scoped_lock lock(mutex_);
  const Copy* const copy = copy_at(recipient, offset);
  std::uint32_t newest = 0;
  if (copy)
    for (const Seen& seen : copy->seen) newest = std::max(newest, seen.epoch);
  return newest;
}

// --- the log

void Ledger::read_log_anew(const std::string& workspace) {
  const std::scoped_lock lock(mutex_);
  logs_[workspace] = {};
  for (auto& [number, entry] : entries_) {
    if (entry.message.workspace != workspace) continue;
    entry.logged = false;
    for (auto& [recipient, copy] : entry.copies) copy.log_offers = 0, copy.log_acked = copy.log_ended = false;
  }
}

std::uint64_t Ledger::log_head(const std::string& workspace) const {
  const std::scoped_lock lock(mutex_);
  const auto log = logs_.find(workspace);
  return log == logs_.end() ? 0 : log->second.head;
}

void Ledger::logged(const std::string& workspace, json::Value item) {
  const std::scoped_lock lock(mutex_);
  Log& log = logs_[workspace];
  const std::uint64_t offset = item.find("offset").if_uint().value_or(0);
  if (offset != log.head + 1)
    wrong_locked("O3: the log of " + workspace + " goes from " + std::to_string(log.head) + " to " +
                 std::to_string(offset));
  log.head = offset;
  const auto event = item.find("event").if_string().value_or("");
  if (event == "message") return logged_message(log, workspace, offset, item.find("message"));
  const auto agent = item.find("agent").if_string();
  for (const json::Value about : item.find("messages").elements()) {
    const auto number = log.number_at.find(about.if_uint().value_or(0));
    if (number == log.number_at.end()) continue;  // of a notice
    Entry& entry = entries_.at(number->second);
    if (agent) {
      logged_of_copy(entry, workspace + "/" + std::string(*agent), event);
    } else {
      for (auto& [recipient, copy] : entry.copies) logged_of_copy(entry, recipient, event);
    }
  }
}

void Ledger::logged_message(Log& log, const std::string& workspace, std::uint64_t offset, json::Value message) {
  const auto number = number_of(message.find(id_member(workspace)).if_string().value_or(""));
  const auto found = number ? entries_.find(*number) : entries_.end();
  if (found == entries_.end()) return wrong_locked("O2: the log holds a message nobody sent");
  Entry& entry = found->second;
  require(!entry.logged, entry, "", "O2: the log holds it twice");
  require(settle_offset(entry, offset), entry, "", "O3: the log holds it at another offset: " + std::to_string(offset));
  require(text_of(message) == entry.message.native, entry, "", "O2: the log holds other bytes than were sent");
  entry.logged = true;
  log.number_at[offset] = *number;
}

// What an event says of a message at one recipient.
void Ledger::logged_of_copy(Entry& entry, const std::string& recipient, std::string_view event) {
  const auto found = entry.copies.find(recipient);
  if (found == entry.copies.end()) return;
  Copy& copy = found->second;
  if (event == "offered") {
    ++copy.log_offers;
    require(!copy.log_acked, entry, recipient, "O4: the log offers it after its ack");
    require(!entry.message.at_most_once || copy.log_offers == 1, entry, recipient, "P3: the log offers it twice");
  } else if (event == "acked") {
    require(!copy.log_acked, entry, recipient, "O4: the log acks it twice");
    require(copy.ack_asked, entry, recipient, "O4: the log acks it and nobody did");
    copy.log_acked = true;
    end(entry, copy);
  } else if (event == "expired" || event == "dead_lettered") {
    copy.log_ended = !copy.log_acked;
    if (copy.log_ended) end(entry, copy);
  }
}

void Ledger::check_all_ended() {
  const std::scoped_lock lock(mutex_);
  for (auto& [number, entry] : entries_) {
    if (!entry.accepted) {
      require(!entry.logged, entry, "", "O2: it has no answer to the end, and is in the log");
      continue;
    }
    require(entry.logged, entry, "", "O2: an acked send is not in the log: it is LOST");
    for (const auto& [recipient, copy] : entry.copies) {
      if (entry.message.at_most_once) {
        require(copy.seen.empty() || copy.log_offers > 0, entry, recipient, "P3: it came, and the log does not say so");
        counts_.handed_over += copy.log_offers > 0 ? 1 : 0;
        counts_.handed_over_unseen += copy.log_offers > 0 && copy.seen.empty() ? 1 : 0;
        require(copy.log_offers > 0 || copy.log_ended, entry, recipient, "P3: it was never offered");
        continue;
      }
      require(!copy.acked || copy.log_acked, entry, recipient, "O4: an ack that was answered is not in the log");
      require(copy.log_acked || copy.log_ended, entry, recipient, "P3: at least once came to no end on record");
      require(!copy.log_acked || !copy.seen.empty(), entry, recipient, "P3: acked and never delivered");
      counts_.ended_otherwise += copy.log_ended ? 1 : 0;
    }
  }
}

std::string Ledger::outstanding_text() const {
  const std::scoped_lock lock(mutex_);
  std::map<std::string, std::array<std::uint64_t, 4>> open;  // all, accepted, delivered, ack asked
  for (const auto& [number, entry] : entries_)
    for (const auto& [recipient, copy] : entry.copies) {
      if (copy.ended || entry.refused || entry.message.at_most_once) continue;
      auto& counts = open[recipient];
      ++counts[0];
      counts[1] += entry.accepted;
      counts[2] += !copy.seen.empty();
      counts[3] += copy.ack_asked;
    }
  std::string text;
  for (const auto& [recipient, c] : open)
    text += "  " + recipient + ": " + std::to_string(c[0]) + " open, " + std::to_string(c[1]) + " accepted, " +
            std::to_string(c[2]) + " delivered, of " + std::to_string(c[3]) + " the ack was asked\n";
  return text;
}

// --- common

void Ledger::end(const Entry& entry, Copy& copy) {
  if (!std::exchange(copy.ended, true) && !entry.message.at_most_once) --outstanding_;
}

bool Ledger::settle_offset(Entry& entry, std::uint64_t offset) {
  if (!entry.offset) {
    entry.offset = offset;
    const auto [at, fresh] = numbers_[entry.message.workspace].emplace(offset, entry.message.number);
    if (!fresh) wrong_locked("O3: two messages have offset " + std::to_string(offset) + ": " + id_of(at->second));
  }
  return *entry.offset == offset;
}

Ledger::Entry* Ledger::entry_of(std::string_view native, const std::string& recipient) {
  const auto message = json::Document::parse(native);
  const json::Value root = message ? message->root() : json::Value();
  const auto number = number_of(root.find(id_member(workspace_of(recipient))).if_string().value_or(""));
  const auto found = number ? entries_.find(*number) : entries_.end();
  if (found == entries_.end() || !found->second.copies.contains(recipient)) {
    wrong_locked("O2: " + recipient + " is given a message that nobody sent it: " + std::string(native));
    return nullptr;
  }
  return &found->second;
}

Ledger::Copy* Ledger::copy_at(const std::string& recipient, std::uint64_t offset) {
  return const_cast<Copy*>(std::as_const(*this).copy_at(recipient, offset));
}

const Ledger::Copy* Ledger::copy_at(const std::string& recipient, std::uint64_t offset) const {
  const auto numbers = numbers_.find(workspace_of(recipient));
  if (numbers == numbers_.end()) return nullptr;
  const auto number = numbers->second.find(offset);
  if (number == numbers->second.end()) return nullptr;
  const auto& copies = entries_.at(number->second).copies;
  const auto copy = copies.find(recipient);
  return copy == copies.end() ? nullptr : &copy->second;
}

void Ledger::require(bool holds, const Entry& entry, const std::string& recipient, std::string_view what) {
  if (holds) return;
  std::string text(what);
  text += "\n  message " + id_of(entry.message.number) + " of " + entry.message.workspace;
  if (entry.offset) text += " at offset " + std::to_string(*entry.offset);
  text += entry.answered ? ", accepted" : ", unknown";
  if (const auto copy = entry.copies.find(recipient); copy != entry.copies.end()) {
    text += ", at " + recipient + (copy->second.acked ? ", acked" : ", not acked");
    for (const Seen& seen : copy->second.seen)
      text += "\n  delivered as " + std::to_string(seen.offset) + "-" + std::to_string(seen.epoch) +
              " in the server's life " + std::to_string(seen.life);
  }
  wrong_locked(text);
}

void Ledger::wrong_locked(const std::string& what) {
  if (first_wrong_.empty()) first_wrong_ = what;
}

void Ledger::wrong(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  wrong_locked(what);
}

std::string Ledger::first_wrong() const {
  const std::scoped_lock lock(mutex_);
  return first_wrong_;
}

Counts Ledger::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace parley::e2e
