// One receiving program: what it takes, it acks, but sometimes late, sometimes not at all. Value type, one thread.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "load.hpp"

namespace parley::e2e {

struct Receiver {
  Town& town;
  Ledger& ledger;
  const LoadOptions& options;
  std::string workspace;
  std::vector<std::string> agents;  // whose mailboxes it reads in turn
  std::mt19937_64 random;
};

void receive_by_stream(Receiver& receiver);       // WebSocket with credit; sometimes another session takes over
void receive_by_take(Receiver& receiver);         // HTTP; sometimes asks for the same take again
void receive_in_competition(Receiver& receiver);  // HTTP, short leases; nacks, late acks and acks that never come

}  // namespace parley::e2e
