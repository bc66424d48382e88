// The end of a request that nobody answered in time: its asker is told, and whoever the profile escalates to (PIP-08,
// MSH-03).
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// Who has a role that hears of others' affairs, looked for once a turn; an empty role: nobody.
class Escalations {
 public:
  const std::vector<AgentNumber>& of(const State& state, WorkspaceNumber workspace, const profile::Ruleset& rules,
                                     const std::string& role);

 private:
  absl::btree_map<std::tuple<WorkspaceNumber, std::string, std::string>, std::vector<AgentNumber>> found_;
};

// `rules`: the asker's, or null where its profile is gone: then the event is all there is.
void decide_timed_out(const Deciding& deciding, Offset request, const profile::Ruleset* rules,
                      Escalations& escalations);

}  // namespace parley::engine
