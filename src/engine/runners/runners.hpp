// Runners: who runs checks and signs what came of them (BEY-05), each by the public half of its key. Value types, part
// of the engine's state.
#pragma once
#include <absl/container/btree_set.h>

#include <string>
#include <string_view>

#include "base/signature.hpp"
#include "engine/registry/registry.hpp"

namespace parley::engine {

// Of a workspace (D11).
inline constexpr std::size_t runners_max = 1'000;       // revoked ones too
inline constexpr std::size_t runner_keys_max = 10'000;  // that were ever registered

struct Runner {
  std::string id;
  base::PublicKey key{};
  Instant registered_at;
  Instant valid_until;  // 0: until revoked
  Instant revoked_at;   // 0: it is not

  bool revoked() const { return revoked_at != Instant{}; }
  bool expired(Instant now) const { return valid_until != Instant{} && valid_until <= now; }

  template <class Archive>
  void archive(Archive& a) {
    a(id, key, registered_at, valid_until, revoked_at);
  }
};

// By their ids. A key is one runner's, once: what was revoked never counts again, under whatever name.
class Runners {
 public:
  const ByName<Runner>& all() const { return all_; }
  const Runner* find(std::string_view id) const;
  bool knows(const base::PublicKey& key) const;
  std::size_t keys() const { return keys_.size(); }

  void add(Runner runner);
  void revoke(std::string_view id, Instant at);

  template <class Archive>
  void archive(Archive& a) {
    a(all_, keys_);
  }

 private:
  ByName<Runner> all_;
  absl::btree_set<base::PublicKey> keys_;  // of now and before
};

}  // namespace parley::engine
