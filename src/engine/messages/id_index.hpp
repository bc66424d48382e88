// Which message an id belongs to (R8). Follows from the messages, so it is not part of a snapshot; never walked (D2).
// In many small tables: at 10 M ids one that grows moves 40,000 entries, a millisecond's work (D11). Four bytes stand
// for a key, since the tables are larger than any cache: whoever has the messages tells whether it is the one.
#pragma once
#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <array>
#include <cstdint>
#include <optional>

#include "base/half_digest.hpp"
#include "base/ids.hpp"

namespace parley::engine {

using IdKey = base::HalfDigest;  // of what identifies a message (R7)

class IdIndex {
 public:
  using Is = absl::FunctionRef<bool(base::Offset)>;

  // The one that has `key`, as `is` says of those that may.
  std::optional<base::Offset> find(const IdKey& key, Is is) const;
  // That `key` is looked for soon: the tables are larger than any cache.
  void prefetch(const IdKey& key) const;
  void insert(const IdKey& key, base::Offset offset);  // `key` is not there
  void reserve(std::size_t ids);
  void erase(const IdKey& key, base::Offset offset);
  std::size_t size() const;

 private:
  struct Entry {
    std::uint32_t mark = 0;                // for the key
    std::array<std::uint32_t, 2> value{};  // of the offset: 12 bytes in all, not 16

    base::Offset offset() const { return base::Offset(std::uint64_t{value[1]} << 32 | value[0]); }
    bool operator==(const Entry&) const = default;
  };
  struct Sought {
    std::uint32_t mark;
    Is is;
  };
  struct Hash {  // a mark is one
    using is_transparent = void;
    std::size_t operator()(const Entry& entry) const { return entry.mark; }
    std::size_t operator()(const Sought& sought) const { return sought.mark; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Entry& one, const Entry& other) const { return one == other; }
    bool operator()(const Entry& entry, const Sought& sought) const {
      return entry.mark == sought.mark && sought.is(entry.offset());
    }
    bool operator()(const Sought& sought, const Entry& entry) const { return (*this)(entry, sought); }
  };
  using Table = absl::flat_hash_set<Entry, Hash, Equal>;
  static constexpr std::size_t tables = 256;

  static Entry entry_of(const IdKey& key, base::Offset offset);
  Table& table_of(const IdKey& key) { return tables_[key[0]]; }
  const Table& table_of(const IdKey& key) const { return tables_[key[0]]; }

  std::array<Table, tables> tables_;
};

}  // namespace parley::engine
