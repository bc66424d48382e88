// Which messages a session gets next, in order: reads a mailbox, changes nothing. `apply` of the Offered event walks
// the same order through Mailbox::offer, so that what was decided is what happens.
#pragma once
#include "engine/mailboxes/mailbox.hpp"

namespace parley::engine {

class Selection {
 public:
  Selection(const Mailbox& mailbox, SessionId session, Instant now);

  // The next one, or offset 0 where nothing more can be offered to this session.
  Offset next();

 private:
  // One level's candidates: what stands there untouched, and lanes that stand anew after giving up their head.
  struct Candidates {
    StandingSet::const_iterator free, free_end;
    StandingSet::const_iterator held, held_end;
    StandingSet restood;
    bool for_others = false;  // something that other sessions alone may get stands here

    bool empty() const { return free == free_end && held == held_end && restood.empty(); }
    Standing pop();
  };
  struct LaneLeft {
    Lane::Iterator head;
    Lane::Counts unleased;
  };

  void stand_anew(LaneId id);

  const Mailbox& mailbox_;
  Instant now_;
  Fairness fairness_;
  std::array<Candidates, envelope::priority_count> candidates_;
  absl::btree_map<LaneId, LaneLeft> lanes_;
};

}  // namespace parley::engine
