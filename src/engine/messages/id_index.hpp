// Which message an id belongs to (R8). Follows from the messages, so it is not part of a snapshot. Ids are halves of
// SHA-256, their own hash. In many small tables, so that none grows, and moves its contents, for longer than about a
// millisecond (architecture, Budgets: the worst stall of the loop).
#pragma once
#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/ids.hpp"

namespace parley::engine {

using IdKey = std::array<std::uint8_t, 16>;  // first half of the SHA-256 of what identifies a message (R7)

class IdIndex {
 public:
  std::optional<base::Offset> find(const IdKey& key) const {
    const Table& table = table_of(key);
    const auto at = table.find(key);
    return at == table.end() ? std::nullopt : std::optional(at->second);
  }
  void insert(const IdKey& key, base::Offset offset) { table_of(key).emplace(key, offset); }
  void erase(const IdKey& key) { table_of(key).erase(key); }
  std::size_t size() const {
    std::size_t size = 0;
    for (const Table& table : tables_) size += table.size();
    return size;
  }

 private:
  struct Hash {
    std::size_t operator()(const IdKey& key) const {
      std::size_t hash;
      std::memcpy(&hash, key.data() + 8, sizeof hash);
      return hash;
    }
  };
  using Table = absl::flat_hash_map<IdKey, base::Offset, Hash>;
  static constexpr std::size_t tables = 64;

  Table& table_of(const IdKey& key) { return tables_[key[0] % tables]; }
  const Table& table_of(const IdKey& key) const { return tables_[key[0] % tables]; }

  std::array<Table, tables> tables_;
};

}  // namespace parley::engine
