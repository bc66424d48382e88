#include "journal/facts.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "journal/little_endian.hpp"

namespace parley::journal {

std::size_t facts_bytes(std::span<const Record> records) {
  std::size_t total = facts_head_bytes + records.size() * facts_row_bytes;
  for (const Record& record : records) total += record.event.size();
  return total;
}

void write_facts(char* to, std::span<const Record> records, const BlockPlace& place) {
  std::size_t events_length = 0;
  char* row = to + facts_head_bytes;
  char* event = row + records.size() * facts_row_bytes;
  for (const Record& record : records) {
    store(row, static_cast<std::uint32_t>(record.event.size()));
    store(row + 4, static_cast<std::uint32_t>(record.has_body ? record.body.size() : 0));
    const base::Digest hash = record.has_body ? record.body_hash : base::Digest{};
    std::memcpy(row + 8, hash.data(), hash.size());
    if (!record.event.empty()) std::memcpy(event, record.event.data(), record.event.size());
    events_length += record.event.size();
    row += facts_row_bytes;
    event += record.event.size();
  }
  store(to, place.term);
  store(to + 8, place.first.value);
  store(to + 16, static_cast<std::int64_t>(base::unix_us(place.engine_time)));
  store(to + 24, static_cast<std::uint32_t>(records.size()));
  store(to + 28, static_cast<std::uint32_t>(events_length));
  std::memcpy(to + 32, place.previous.data(), place.previous.size());
}

std::uint64_t Facts::bytes_of(std::string_view head) {
  if (head.size() < facts_head_bytes) return 0;
  return facts_head_bytes + std::uint64_t{load<std::uint32_t>(head.data() + 24)} * facts_row_bytes +
         load<std::uint32_t>(head.data() + 28);
}

std::optional<Facts> Facts::of(std::string_view bytes) {
  if (bytes.size() < facts_head_bytes || bytes_of(bytes) != bytes.size()) return std::nullopt;
  const Facts facts(bytes);
  std::uint64_t events = 0;
  for (std::uint32_t i = 0; i < facts.count(); ++i) events += facts.event_length(i);
  if (events != facts.events().size()) return std::nullopt;
  return facts;
}

Position Facts::first() const {
  return Position(load<std::uint64_t>(bytes_.data() + 8));
}
Position Facts::last() const {
  return Position(first().value + count() - 1);
}
base::Instant Facts::engine_time() const {
  return base::instant_of(load<std::int64_t>(bytes_.data() + 16));
}
std::uint32_t Facts::count() const {
  return load<std::uint32_t>(bytes_.data() + 24);
}
base::Digest Facts::previous() const {
  base::Digest digest;
  std::memcpy(digest.data(), bytes_.data() + 32, digest.size());
  return digest;
}

std::uint32_t Facts::event_length(std::uint32_t index) const {
  return load<std::uint32_t>(row(index));
}
std::uint32_t Facts::body_length(std::uint32_t index) const {
  return load<std::uint32_t>(row(index) + 4);
}
base::Digest Facts::body_hash(std::uint32_t index) const {
  base::Digest digest;
  std::memcpy(digest.data(), row(index) + 8, digest.size());
  return digest;
}
std::string_view Facts::events() const {
  return bytes_.substr(facts_head_bytes + std::size_t{count()} * facts_row_bytes);
}
std::string_view Facts::event(std::uint32_t index) const {
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < index; ++i) at += event_length(i);
  return events().substr(at, event_length(index));
}

const char* Facts::row(std::uint32_t index) const {
  PARLEY_ASSERT(index < count());
  return bytes_.data() + facts_head_bytes + std::size_t{index} * facts_row_bytes;
}

}  // namespace parley::journal
