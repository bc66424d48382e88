// Time to look whether an agent was heard of: it was, and is looked at again later; or it falls silent, which changes
// its health, and whoever its profile names is told (HND-05, SUP-07, R40).
#pragma once
#include "engine/engine.hpp"
#include "engine/requests/time_out.hpp"

namespace parley::engine {

class Silences {
 public:
  Silences(const State& state, const Context& context, Escalations& told, Decided& decided)
      : state_(state), context_(context), told_(told), decided_(decided) {}

  // `rules`: the agent's, or null where its profile is gone: then nobody minds. Does nothing where the turn has found
  // enough (D11): the timer stays due.
  void look(const Timer& timer, const profile::Ruleset* rules, const PolledAt& polled);
  void finish();  // after the last: one event of a workspace for all that were heard of

 private:
  void heard(const Timer& timer, Instant beat, Instant look_at);
  void fall_silent(const Timer& timer, const Agent& agent, const profile::Ruleset& rules, HealthState to);

  const State& state_;
  const Context& context_;
  Escalations& told_;
  Decided& decided_;
  std::size_t silent_ = 0;
  absl::btree_map<WorkspaceNumber, event::HealthLooked> looked_;
};

}  // namespace parley::engine
