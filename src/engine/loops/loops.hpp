// What set off what (BEY-04): of each message that came in consequence of another, which one, in how many steps, and
// from where. The newest links only: an older one begins anew. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>

#include "engine/messages/message.hpp"

namespace parley::engine {

// What a workspace allows before a human looks at it; 0: there is no such bound.
struct LoopSettings {
  std::uint32_t hops = 16;         // answers to answers
  std::uint32_t rounds = 10;       // of a cycle in which nobody says anything new
  std::uint32_t messages = 1'000;  // that one message sets off

  friend bool operator==(const LoopSettings&, const LoopSettings&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(hops, rounds, messages);
  }
};

// One message and what it came of.
struct Link {
  Offset cause;
  Offset root;  // whose account it is on; 0: nobody's
  AgentNumber sender;
  std::uint32_t hops = 0;  // from the root
  std::uint32_t gist = 0;  // of what it says (gist.hpp)

  bool says_the_same(const Link& other) const { return sender == other.sender && gist == other.gist; }

  template <class Archive>
  void archive(Archive& a) {
    a(cause, root, sender, hops, gist);
  }
};

class Links {
 public:
  const Link* find(Offset message) const;
  // Messages that this one has set off.
  std::uint32_t charged_to(Offset root) const;

  // `counts`: it is charged to its root.
  void add(Offset message, bool counts, const Link& link);
  // From here on it counts as if nothing had been before.
  void cut(Offset message);

  template <class Archive>
  void archive(Archive& a) {
    a(all_, accounts_);
  }

 private:
  static constexpr std::size_t kept = 100'000, accounts_kept = 10'000;  // D11

  absl::btree_map<Offset, Link> all_;
  absl::btree_map<Offset, std::uint32_t> accounts_;
};

}  // namespace parley::engine
