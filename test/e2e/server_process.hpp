// The real server as a child process, in a data folder of its own: started, killed, stopped and asked how it ended.
// Resource types; the children die with the thread that started them, so that a test that ends early leaves nothing.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sdk/cpp/access.hpp"

namespace parley::e2e {

using Milliseconds = std::chrono::milliseconds;

// Something that the test itself needs did not work; the product was not judged.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

extern const std::string server_program;  // the binary this build made; or another that PARLEY_PROGRAM names

// A folder under TMPDIR, gone with this object.
class TempFolder {
 public:
  explicit TempFolder(const std::string& name);
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// How a process ended: its exit status, or the signal that killed it.
struct End {
  int status = -1;
  int signal = 0;
  std::string text() const;
};

class Process {
 public:
  // Output and errors are appended to `log`.
  Process(const std::vector<std::string>& command, const std::string& log);
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  std::optional<End> wait(Milliseconds at_most);  // none: it still runs

 private:
  pid_t pid_;
  std::optional<End> end_;
};

End run(const std::vector<std::string>& command, const std::string& log, Milliseconds at_most = Milliseconds(30'000));

struct ServerOptions {
  std::string data_folder;
  std::string log;
  std::vector<std::string> under{};  // a command that runs it, as strace
};

class Server {
 public:
  explicit Server(const ServerOptions& options);

  bool wait_until_ready(Milliseconds at_most);  // false: it ended, or the time is over
  sdk::Access access(const std::string& token) const;
  std::string admin_token() const;

  pid_t pid() const { return server_pid_; }  // of the server itself; known once it is ready
  void kill();                               // SIGKILL, and waits
  void send(int signal) const;               // to the server itself
  std::optional<End> wait(Milliseconds at_most) { return process_.wait(at_most); }

 private:
  ServerOptions options_;
  Process process_;
  pid_t server_pid_ = 0;
  std::string url_;
};

std::string read_file(const std::string& path);  // empty where there is none
std::string read_line(const std::string& path);  // without the line's end

}  // namespace parley::e2e
