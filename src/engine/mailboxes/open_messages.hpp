// Everything that is open in a mailbox, rising, from behind an offset: reads it, and walks no further than it is asked
// (D11). The mailbox must not change meanwhile.
#pragma once
#include <variant>
#include <vector>

#include "engine/mailboxes/mailbox.hpp"

namespace parley::engine {

class OpenMessages {
 public:
  explicit OpenMessages(const Mailbox& mailbox, Offset after = {});

  Offset next();  // offset 0 at the end

 private:
  // A part of the mailbox that is in order itself: what a session holds, what stands or backs off at one place, what
  // else is in a lane.
  struct Leased {
    absl::btree_set<Offset>::const_iterator at, end;
  };
  struct Standings {
    StandingSet::const_iterator at, end;
  };
  struct Rest {
    const Lane* lane;
    Lane::Iterator at;
  };
  using Part = std::variant<Leased, Standings, Rest>;
  struct First {
    Offset offset;
    std::size_t part;
    // The heap's front is its greatest.
    friend bool operator<(const First& a, const First& b) { return a.offset > b.offset; }
  };

  void add(const StandingSet& standings, Offset after);
  void add_rest(const Lane& lane, Lane::Iterator at);
  void add(Part part);
  void push(Offset offset, std::size_t part);

  const Mailbox& mailbox_;
  std::vector<Part> parts_;
  std::vector<First> firsts_;  // a heap: the first of each part
};

}  // namespace parley::engine
