// The table of verbs: one function a verb, one file each.
#pragma once
#include <string>
#include <vector>

#include "cli/serve.hpp"
#include "cli/verb.hpp"

namespace parley::cli {

// What the command line offers and another folder does.
struct Services {
  ServeEntry serve;
};

std::vector<Group> all_verbs(const Services& services);

Verb ack_verb();
Verb check_verb();
Verb rescind_verb();
Verb agent_verb();
Verb approve_verb();
Verb bench_verb();
Verb deadletter_verb();
Verb request_verb();
Verb review_verb();
Verb task_verb();
Verb doctor_verb();
Verb fresh_verb();
Verb help_request_verb();
Verb collaboration_verb();
Verb inbox_verb();
Verb nack_verb();
Verb person_verb();
Verb runner_verb();
Verb scenario_verb();
Verb schema_verb();
Verb send_verb();
Verb serve_verb(const ServeEntry& entry);
Verb tail_verb();
Verb validate_verb();
Verb verify_verb();
Verb wait_verb();
Verb workspace_verb();

}  // namespace parley::cli
