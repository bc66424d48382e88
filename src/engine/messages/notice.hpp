// What the server itself tells an agent about its messages (R31): expired, dead, bounced. A message of its own, at
// least once and with high priority; its body is the notice.
#pragma once
#include <string_view>
#include <vector>

#include "engine/deciding.hpp"

namespace parley::engine {

struct Notice {
  std::string_view code;
  std::vector<Offset> about;        // the agent's own messages concerned
  std::vector<AgentNumber> agents;  // at whom
  std::string reason;
  std::string_view id = {};  // of the only message; given where the state may have forgotten it
};

// Nothing where `to` is the server or was removed, or where its mailbox is full (D11): receipts say the same.
void post_notice(const Deciding& deciding, AgentNumber to, const Notice& notice);

}  // namespace parley::engine
