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
  std::optional<base::Offset> find(const IdKey& key) const;
  // That `key` is looked for soon: the tables are larger than any cache.
  void prefetch(const IdKey& key) const { table_of(key).prefetch(key); }
  void insert(const IdKey& key, base::Offset offset);
  void reserve(std::size_t ids);
  void erase(const IdKey& key);
  std::size_t size() const;

 private:
  using Table = absl::flat_hash_map<IdKey, base::Offset>;  // its hash is seeded: senders choose ids
  static constexpr std::size_t tables = 256;

  Table& table_of(const IdKey& key) { return tables_[key[0]]; }
  const Table& table_of(const IdKey& key) const { return tables_[key[0]]; }

  std::array<Table, tables> tables_;
};

}  // namespace parley::engine
