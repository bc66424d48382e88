// Which tasks may work on the same files: found by the beginning of their globs that no wildcard is in, so that an
// assignment looks at few of very many (COL-10). Derived from the tasks; no part of a snapshot.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/packed_text.hpp"

namespace parley::engine {

class Scopes {
 public:
  // The globs stay where they are, and as they are, until they are removed.
  void add(base::Offset task, const base::PackedTexts& globs);
  void remove(base::Offset task, const base::PackedTexts& globs);

  // Tasks with a glob that may match what this one does, each once per such glob; at most `most`.
  std::vector<base::Offset> near(std::string_view glob, std::size_t most) const;

  friend bool operator==(const Scopes& a, const Scopes& b) { return a.entries_ == b.entries_; }

 private:
  struct Entry {
    std::string_view beginning;
    base::Offset task;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  using Entries = absl::btree_set<Entry>;

  Entries::const_iterator first_from(std::string_view beginning) const;  // or after it

  Entries entries_;
  // Where the newest search ended, or behind what was added after it: what is looked for is added there next.
  mutable std::optional<Entries::const_iterator> place_;
  absl::btree_map<std::size_t, std::size_t> of_length_;  // how many beginnings: what has none is not looked for
};

}  // namespace parley::engine
