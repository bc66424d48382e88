// A server of one's own: `parley serve` as a child process on a free port, to be started, killed, stopped and asked how
// it ended. For stories and tests.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"
#include "sdk/cpp/access.hpp"

namespace parley::sdk {

struct ServerOptions {
  std::string program;
  std::string data_folder;
  std::string log;                   // file that its output goes to
  std::vector<std::string> under{};  // a command that runs it, as strace
  std::vector<std::string> more{};   // options of `serve`
};

// Resource type: kills it in the end, and what runs it.
class ServerProcess {
 public:
  static base::Result<ServerProcess> start(ServerOptions options);  // without waiting
  ~ServerProcess() { kill_server_under(); }
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&&) = delete;

  bool wait_until_ready(base::Duration at_most);  // false: it ended, or the time is over
  Access access(const std::string& token) const;
  std::string admin_token() const;

  pid_t pid() const { return server_pid_; }  // of the server itself; known once it is ready
  void kill();                               // SIGKILL, and waits
  void send(int signal) const;               // to the server itself
  std::optional<base::End> wait(base::Duration at_most) { return process_.wait(at_most); }

 private:
  ServerProcess(ServerOptions options, base::Process process)
      : options_(std::move(options)), process_(std::move(process)) {}
  void kill_server_under();  // another command, which may let it live on

  ServerOptions options_;
  base::Process process_;
  pid_t server_pid_ = 0;  // process_'s, but for one under another command
  std::string url_;
};

}  // namespace parley::sdk
