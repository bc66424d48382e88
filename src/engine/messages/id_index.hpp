// Which message an id belongs to (R8). Follows from the messages, so it is not part of a snapshot; never walked (D2).
// In many small tables: at 10 M ids one that grows moves 40,000 entries, a millisecond's work (D11).
#pragma once
#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <optional>

#include "base/half_digest.hpp"
#include "base/ids.hpp"

namespace parley::engine {

using IdKey = base::HalfDigest;  // of what identifies a message (R7)

class IdIndex {
 public:
  std::optional<base::Offset> find(const IdKey& key) const {
    const Table& table = table_of(key);
    const auto at = table.find(key);
    return at == table.end() ? std::nullopt : std::optional(at->second);
  }
  // That `key` is looked for soon: the tables are larger than any cache.
  void prefetch(const IdKey& key) const { table_of(key).prefetch(key); }
  void insert(const IdKey& key, base::Offset offset) { table_of(key).emplace(key, offset); }
  void erase(const IdKey& key) { table_of(key).erase(key); }
  std::size_t size() const {
    std::size_t size = 0;
    for (const Table& table : tables_) size += table.size();
    return size;
  }

 private:
  using Table = absl::flat_hash_map<IdKey, base::Offset>;  // its hash is seeded: senders choose ids
  static constexpr std::size_t tables = 256;

  Table& table_of(const IdKey& key) { return tables_[key[0]]; }
  const Table& table_of(const IdKey& key) const { return tables_[key[0]]; }

  std::array<Table, tables> tables_;
};

}  // namespace parley::engine
