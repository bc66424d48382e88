// What the server says itself in an agent's own protocol (R31): an ordinary message whose sender is the server. What a
// profile has no words for is a notice (notice.hpp).
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "engine/deciding.hpp"

namespace parley::engine {

// RFC 9562 §5.4: a version 4 UUID from the command's random seed (R5, R31).
std::string made_id(const Context& context, std::uint64_t salt);

// 'a', 'b', …: the first few, for whoever reads it.
std::string names_of(const Registry& registry, const std::vector<AgentNumber>& agents);

struct Saying {
  std::string text;  // for whoever reads it
  std::string_view task;
  std::string_view reply_to;  // id of the message concerned
  std::string_view silent;    // names
  AgentNumber from;           // whom the server stands in for; 0: nobody
  std::string_view error;     // type of an error
  std::string_view by;        // who decided
  std::string_view decision;
  std::string_view rationale;
  std::string_view action;                       // JSON
  bool cleanup = false;                          // what was begun must be undone
  unsigned retries = 0;                          // attempts at the task that failed before this one
  const event::TaskError* task_error = nullptr;  // beside the message (R36); null: none
};

// Nothing where the profile has no words for the occasion, where the agent was removed or its mailbox is full (D11), or
// where it is half full and others' affairs are told: the fact is in the log. In a lane of its own: nothing that waits
// holds it up, and it may come before what was said earlier of the same task (decision 8).
void say(const Deciding& deciding, AgentNumber to, const profile::Ruleset& rules, profile::Occasion occasion,
         const Saying& saying);

// On each occasion that a move's row tells of.
template <class Told, std::size_t n>
void say_each(const Deciding& deciding, AgentNumber to, const profile::Ruleset& rules, const std::array<Told, n>& tells,
              const Saying& saying) {
  for (const Told& told : tells)
    if (const auto occasion = profile::occasion_named(told.occasion)) say(deciding, to, rules, *occasion, saying);
}

}  // namespace parley::engine
