// The clients of a crash test: senders and receivers over HTTP and WebSocket, a thread each, that outlive the server.
// Where a connection breaks they wait for the server's next life and go on: what had no answer is sent again with the
// same bytes (P2), what was taken may come again.
#pragma once
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ledger.hpp"
#include "sdk/cpp/access.hpp"

namespace parley::e2e {

// What all clients know of the server: which of its lives this is, and where it listens. Resource type, any thread.
class Town {
 public:
  struct Life {
    std::uint32_t number = 0;
    std::string url;
  };

  void server_up(const std::string& url);
  void server_down();
  void stop();  // every wait ends
  // Waits for a life that is not over. None: the test ends.
  std::optional<Life> life();
  bool over(const Life& life) const { return life_ != life.number || stopping_; }

  // Each client says once a life that it got through.
  void got_through(std::uint32_t life);
  std::uint32_t clients_through() const { return through_; }

  void drain() { draining_ = true; }
  bool draining() const { return draining_; }

  std::map<std::string, std::string> tokens;  // by "workspace/agent"; written before the clients start
  std::atomic<int> unsure_senders = 0;        // that have messages without an answer

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string url_;
  bool up_ = false;
  std::uint32_t lives_ = 0;
  std::atomic<std::uint32_t> life_ = 0;  // 0: it is down
  std::atomic<std::uint32_t> through_ = 0;
  std::atomic<bool> stopping_ = false, draining_ = false;
};

// Faults of the clients' that the oracles must see.
enum class Planted {
  none,
  early_answers,  // a send counts as accepted as soon as it was written: as if the server answered before its sync
  ignore_epoch,   // a late ack names the newest delivery instead of its own: as if leases had no epoch
};

struct LoadOptions {
  std::uint64_t seed = 1;
  Planted planted = Planted::none;
  std::int64_t outstanding_min = 500;   // receivers hold back below this, with some margin
  std::int64_t outstanding_max = 1200;  // senders above
};

class Load {
 public:
  Load(Town& town, Ledger& ledger, const LoadOptions& options);
  ~Load();  // stops the town and joins

  static constexpr std::uint32_t senders = 8;
  static constexpr std::uint32_t receivers = 6;

 private:
  Town& town_;
  std::vector<std::jthread> threads_;
};

}  // namespace parley::e2e
