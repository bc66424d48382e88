// One data folder from its first start to its last word: the server on it, the clients, the ledger, and the judgement
// in the end. What the tests do to the server in between is theirs. Resource type, the main thread's.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "world.hpp"

namespace parley::e2e {

// The product did what it must not; `what` begins with the oracle's or the promise's name.
struct Wrong {
  std::string what;
};
// The machine cannot run this test.
struct Skipped {
  std::string why;
};

inline constexpr int skipped_status = 77;

// Runs a test and says how it went: 0, 1 wrong, 3 unusable, 77 skipped.
int judge(const std::function<void()>& test);

void require(bool holds, const std::string& what);

class Trial {
 public:
  Trial(const std::string& name, const LoadOptions& options, std::vector<std::string> under = {});

  void begin();                                       // starts the server, enrols the agents, starts the load
  void server_is_gone();                              // the clients wait from now on
  void restart(std::vector<std::string> under = {});  // the clients go on

  // Waits until it holds; Wrong where an oracle turned red meanwhile or the time is over.
  void wait(std::string_view what, Milliseconds at_most, const std::function<bool()>& holds);
  void wait_for_load();  // all clients got through, and enough is outstanding
  void check() const;    // Wrong where an oracle is red
  void verify();         // O6

  // Senders end, mailboxes run empty, SIGTERM, restart; then the whole log is held against the ledger.
  void drain_and_judge();
  End stop_in_time();  // SIGTERM; ends with 0 within 5 s

  World& world() { return world_; }
  Town& town() { return town_; }
  Ledger& ledger() { return ledger_; }
  const TempFolder& folder() const { return folder_; }

 private:
  std::string state() const;
  bool drained();

  LoadOptions options_;
  TempFolder folder_;
  World world_;
  Town town_;
  Ledger ledger_;
  std::unique_ptr<Load> load_;
};

}  // namespace parley::e2e
