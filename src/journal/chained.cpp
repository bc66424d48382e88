#include "journal/chained.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "journal/little_endian.hpp"

namespace parley::journal {

std::size_t chained_head_bytes(std::span<const Record> records) {
  return chained_front_bytes + records.size() * chained_row_bytes;
}

std::size_t chained_bytes(std::span<const Record> records) {
  std::size_t total = chained_head_bytes(records);
  for (const Record& record : records) total += record.event.size();
  return total;
}

void write_chained_head(char* to, std::span<const Record> records, const BlockPlace& place) {
  std::size_t events_length = 0;
  char* row = to + chained_front_bytes;
  for (const Record& record : records) {
    store(row, static_cast<std::uint32_t>(record.event.size()));
    store(row + 4, static_cast<std::uint32_t>(record.has_body ? record.body.size() : 0));
    const base::Digest hash = record.has_body ? record.body_hash : base::Digest{};
    std::memcpy(row + 8, hash.data(), hash.size());
    events_length += record.event.size();
    row += chained_row_bytes;
  }
  store(to, place.term);
  store(to + 8, place.first.value);
  store(to + 16, static_cast<std::int64_t>(base::unix_us(place.engine_time)));
  store(to + 24, static_cast<std::uint32_t>(records.size()));
  store(to + 28, static_cast<std::uint32_t>(events_length));
  std::memcpy(to + 32, place.previous.data(), place.previous.size());
}

std::uint64_t Chained::bytes_of(std::string_view front) {
  if (front.size() < chained_front_bytes) return 0;
  return chained_front_bytes + std::uint64_t{load<std::uint32_t>(front.data() + 24)} * chained_row_bytes +
         load<std::uint32_t>(front.data() + 28);
}

std::optional<Chained> Chained::of(std::string_view bytes) {
  if (bytes.size() < chained_front_bytes || bytes_of(bytes) != bytes.size()) return std::nullopt;
  const Chained chained(bytes);
  std::uint64_t events = 0;
  for (std::uint32_t i = 0; i < chained.count(); ++i) events += chained.event_length(i);
  if (events != chained.events().size()) return std::nullopt;
  return chained;
}

Position Chained::first() const {
  return Position(load<std::uint64_t>(bytes_.data() + 8));
}
Position Chained::last() const {
  return Position(first().value + count() - 1);
}
base::Instant Chained::engine_time() const {
  return base::instant_of(load<std::int64_t>(bytes_.data() + 16));
}
std::uint32_t Chained::count() const {
  return load<std::uint32_t>(bytes_.data() + 24);
}
base::Digest Chained::previous() const {
  base::Digest digest;
  std::memcpy(digest.data(), bytes_.data() + 32, digest.size());
  return digest;
}

std::uint32_t Chained::event_length(std::uint32_t index) const {
  return load<std::uint32_t>(row(index));
}
std::uint32_t Chained::body_length(std::uint32_t index) const {
  return load<std::uint32_t>(row(index) + 4);
}
base::Digest Chained::body_hash(std::uint32_t index) const {
  base::Digest digest;
  std::memcpy(digest.data(), row(index) + 8, digest.size());
  return digest;
}
std::string_view Chained::events() const {
  return bytes_.substr(chained_front_bytes + std::size_t{count()} * chained_row_bytes);
}
std::string_view Chained::event(std::uint32_t index) const {
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < index; ++i) at += event_length(i);
  return events().substr(at, event_length(index));
}

const char* Chained::row(std::uint32_t index) const {
  PARLEY_ASSERT(index < count());
  return bytes_.data() + chained_front_bytes + std::size_t{index} * chained_row_bytes;
}

}  // namespace parley::journal
