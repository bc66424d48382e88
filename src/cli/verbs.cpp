// The order in which the help page shows them: as they are met.
#include "cli/verbs.hpp"

namespace parley::cli {

std::vector<Group> all_verbs(const Services& services) {
  return {
      {"Server", {serve_verb(services.serve), doctor_verb(), verify_verb(), bench_verb()}},
      {"Who talks", {workspace_verb(), agent_verb(), person_verb(), runner_verb()}},
      {"Messages",
       {send_verb(), request_verb(), rescind_verb(), wait_verb(), check_verb(), ack_verb(), nack_verb(), inbox_verb(),
        tail_verb(), deadletter_verb()}},
      {"Work", {task_verb(), review_verb(), help_request_verb(), collaboration_verb()}},
      {"Decisions", {approve_verb()}},
      {"Stories", {scenario_verb()}},
      {"Offline", {validate_verb(), fresh_verb(), schema_verb()}},
  };
}

}  // namespace parley::cli
