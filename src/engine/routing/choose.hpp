// Who gets a message that is for whoever can do it (R34, R43; HND-04): of those who may get its type, take new work and
// have the capabilities, the least loaded.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/command.hpp"

namespace parley::engine {

struct Wanted {
  std::vector<std::string> capabilities;  // all of them
  std::vector<AgentNumber> but;           // not these
  const profile::Ruleset& rules;          // of the message, as the next two
  profile::TypeIndex type;
  std::uint32_t length = 0;
  std::span<const Offset> leave = {};  // the messages whose place it takes
};

// Those in good health first; then the lowest load for its size, the lowest priority number, the id. Passed over is who
// `closes` a ring of agents that wait for each other (BEY-04). None: nobody.
using Closes = std::function<bool(AgentNumber)>;
std::optional<AgentNumber> choose(const Workspace& workspace, Wanted wanted, Instant now, const Closes& closes);

// Of a message that names nobody but `auto`: by the help it asks for, or the capabilities that it names; one who closes
// a ring only where there is nobody else. Errors: RECIPIENT_UNKNOWN, AGENT_UNAVAILABLE.
base::Result<AgentNumber> choose_for(const AcceptMessage& command, const Workspace& workspace, Instant now);

// Whether anybody here has them, whatever his or her health and load.
bool anybody_has(const Workspace& workspace, const Wanted& wanted);

// What an agent has to do: its open tasks, and the help it is asked for.
std::size_t work_of(const Workspace& workspace, AgentNumber agent);

}  // namespace parley::engine
