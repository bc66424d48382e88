// A server process of one's own: on a free port, in a data folder of its own that goes with it.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/server_process.hpp"

namespace parley::e2e {

// Resource type: kills the process and deletes the folder. What does not start ends the test program.
class Server {
 public:
  explicit Server(std::vector<std::string> options = {});  // more of `serve`

  void start();  // again, on the same folder
  struct Stopped {
    int status = -1;  // of exit; -1: it did not exit by itself
    std::chrono::milliseconds took{};
  };
  Stopped stop();  // SIGTERM, and waits
  void kill();     // SIGKILL, and waits
  bool runs() const { return process_.has_value(); }

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://" + host(); }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  const std::string& admin() const { return admin_; }
  const std::string& folder() const { return folder_.path(); }
  std::string log() const;  // what it has logged so far; whole once it has stopped

 private:
  const std::vector<std::string> options_;
  base::TempFolder folder_;
  std::optional<sdk::ServerProcess> process_;
  std::uint16_t port_ = 0;
  std::string admin_;
};

std::string read_file(const std::string& path);
std::string source_folder();

}  // namespace parley::e2e
