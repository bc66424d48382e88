// Which of the messages that share a key is the newest: an id may be taken again (R8), a purpose served again. Value
// type; derived from the state that holds it, so no part of a snapshot.
#pragma once
#include <absl/container/btree_map.h>

#include <optional>

#include "base/ids.hpp"

namespace parley::engine {

template <class Key>
class Newest {
 public:
  std::optional<base::Offset> find(const Key& key) const {
    const auto at = all_.find(key);
    return at == all_.end() ? std::nullopt : std::optional(at->second);
  }
  void put(const Key& key, base::Offset offset) { all_[key] = offset; }
  // What is forgotten may have had a newer one since, which stays.
  void drop(const Key& key, base::Offset offset) {
    if (const auto at = all_.find(key); at != all_.end() && at->second == offset) all_.erase(at);
  }

 private:
  absl::btree_map<Key, base::Offset> all_;
};

}  // namespace parley::engine
