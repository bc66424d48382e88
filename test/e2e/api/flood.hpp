// Connections of one agent that keep a server busy.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server.hpp"
#include "wire.hpp"

namespace parley::e2e {

// Each connection sends a request, and the next one as soon as it is answered, whatever the answer, for as long as this
// lives. Resource type, with a thread of its own.
class Flood {
 public:
  Flood(const Server& server, int connections, std::function<std::string()> request);
  ~Flood();  // the connections are reset

  bool all_sent() const { return sent_ == peers_.size(); }  // whether each connection has sent its first to the end
  std::size_t bytes() const { return bytes_; }              // sent by all of them

 private:
  struct Peer {
    std::unique_ptr<Wire> wire;
    std::string out, in;
    std::size_t written = 0;  // of `out`
    bool sent = false;
  };

  void run();
  void write_to(Peer& peer);
  void read_from(Peer& peer);

  const std::function<std::string()> request_;
  std::vector<Peer> peers_;
  std::atomic<std::size_t> sent_ = 0, bytes_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace parley::e2e
