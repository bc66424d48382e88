#include "engine/messages/id_index.hpp"

namespace parley::engine {

std::optional<base::Offset> IdIndex::find(const IdKey& key) const {
  const Table& table = table_of(key);
  const auto at = table.find(key);
  return at == table.end() ? std::nullopt : std::optional(at->second);
}

void IdIndex::insert(const IdKey& key, base::Offset offset) {
  table_of(key).emplace(key, offset);
}

void IdIndex::reserve(std::size_t ids) {
  for (Table& table : tables_) table.reserve(ids / tables);
}

void IdIndex::erase(const IdKey& key) {
  table_of(key).erase(key);
}

std::size_t IdIndex::size() const {
  std::size_t size = 0;
  for (const Table& table : tables_) size += table.size();
  return size;
}

}  // namespace parley::engine
