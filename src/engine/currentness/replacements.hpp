// Which messages their senders took back, and what stands in their places (BEY-03): chains, each from older to newer,
// so that there is no cycle. As long as the messages are remembered. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>

#include <cstdint>

#include "base/ids.hpp"
#include "base/packed_text.hpp"

namespace parley::engine {

using base::Offset;

class Replacements {
 public:
  static constexpr std::uint32_t chain_max = 1'000;  // messages of a chain (D11)

  // In whose place a message stands: the one that its sender named.
  struct Before {
    Offset message;
    base::PackedText id;
    std::uint32_t depth = 0;  // how many stood there one after another

    template <class Archive>
    void archive(Archive& a) {
      a(message, id, depth);
    }
  };

  // What stands in the message's place: offset 0 where it was rescinded; null where it was not taken back.
  const Offset* after(Offset message) const;
  const Before* before(Offset message) const;
  std::uint32_t depth(Offset message) const;
  // The newest of the message's chain; 0: its newest was rescinded.
  Offset newest(Offset message) const;

  void add(Offset message, std::string_view id, Offset by);
  void forget(Offset message);

  std::size_t size() const { return after_.size(); }
  const absl::btree_map<Offset, Offset>& all() const { return after_; }

  template <class Archive>
  void archive(Archive& a) {
    a(after_, before_);
  }

 private:
  absl::btree_map<Offset, Offset> after_;
  absl::btree_map<Offset, Before> before_;
};

}  // namespace parley::engine
