#include "engine/messages/id_index.hpp"

#include <absl/hash/hash.h>

namespace parley::engine {
namespace {

// Seeded by the process: senders choose ids, and could find many whose digests begin alike.
std::uint32_t mark_of(const IdKey& key) {
  return static_cast<std::uint32_t>(absl::HashOf(key));
}

}  // namespace

IdIndex::Entry IdIndex::entry_of(const IdKey& key, base::Offset offset) {
  return {mark_of(key), {static_cast<std::uint32_t>(offset.value), static_cast<std::uint32_t>(offset.value >> 32)}};
}

std::optional<base::Offset> IdIndex::find(const IdKey& key, Is is) const {
  const Table& table = table_of(key);
  const auto at = table.find(Sought{mark_of(key), is});
  return at == table.end() ? std::nullopt : std::optional(at->offset());
}

void IdIndex::prefetch(const IdKey& key) const {
  table_of(key).prefetch(entry_of(key, {}));
}

void IdIndex::insert(const IdKey& key, base::Offset offset) {
  table_of(key).insert(entry_of(key, offset));
}

void IdIndex::reserve(std::size_t ids) {
  for (Table& table : tables_) table.reserve(ids / tables);
}

void IdIndex::erase(const IdKey& key, base::Offset offset) {
  table_of(key).erase(entry_of(key, offset));
}

std::size_t IdIndex::size() const {
  std::size_t size = 0;
  for (const Table& table : tables_) size += table.size();
  return size;
}

}  // namespace parley::engine
