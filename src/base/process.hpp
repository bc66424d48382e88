// A child process, and a folder to give it: for what starts the program itself, as the stories and the end-to-end tests
// do. Resource types: children are killed, folders deleted, with the objects; and children die with the thread that
// started them, so that whoever ends early leaves nothing behind. Children of theirs are their own affair.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::base {

// A private folder under TMPDIR, gone with this object.
class TempFolder {
 public:
  static Result<TempFolder> make(const std::string& name);
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempFolder& operator=(TempFolder&&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// How a process ended: its exit status, or the signal that killed it. Neither, and so no success, where the system does
// not tell (SIGCHLD is ignored).
struct End {
  int status = -1;
  int signal = 0;
  std::string text() const;
};

class Process {
 public:
  // The program is looked for in PATH. Output and errors are appended to the file `log`; there is no input.
  static Result<Process> start(const std::vector<std::string>& command, const std::string& log);
  ~Process();  // kills what still runs
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)), end_(other.end_) {}
  Process& operator=(Process&&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  void kill();                                // SIGKILL, and waits
  std::optional<End> wait(Duration at_most);  // none: it still runs

 private:
  explicit Process(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  std::optional<End> end_;
};

// This program's own file, to be started again as a child.
std::string own_program();

}  // namespace parley::base
