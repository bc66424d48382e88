// What stands where a server or a proxy should: it answers every connection's request alike, and remembers what it
// read.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace parley::e2e {

// Resource type, with a thread of its own.
class StandIn {
 public:
  explicit StandIn(std::string answer);  // all of it: status line, fields, body
  ~StandIn();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::uint16_t port() const { return port_; }
  std::vector<std::string> heard() const;               // what came on each connection
  std::size_t wait_for_calls(std::size_t count) const;  // that came, within patience

 private:
  void serve();

  const std::string answer_;
  int listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> heard_;
  std::thread thread_;
};

inline const std::string bad_gateway =  // as nginx says it
    "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 31\r\nConnection: close\r\n\r\n"
    "<html><h1>502 Bad Gateway</h1>\n";

}  // namespace parley::e2e
