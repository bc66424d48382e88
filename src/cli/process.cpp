#include "cli/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

extern char** environ;

namespace parley::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::unexpected<base::Error> failed(const std::string& what, int error) {
  return base::fail(base::ErrorCode::INTERNAL, what + ": " + std::strerror(error));
}

std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "PARLEY_", 7) != 0) kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

// Both ends, closed with it.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  void close_write() { ::close(std::exchange(ends[1], -1)); }
};

struct Actions {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  Actions() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~Actions() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  Actions(const Actions&) = delete;
};

// In a process group of its own, so that all of it can be ended.
base::Result<pid_t> start(const ShellCommand& command, const Pipe& output) {
  Actions actions;
  ::posix_spawn_file_actions_addopen(&actions.files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions.files, output.ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions.files, output.ends[1], 2);
  ::posix_spawn_file_actions_addchdir_np(&actions.files, command.directory.c_str());
  sigset_t as_usual;  // which this program may ignore
  ::sigemptyset(&as_usual);
  ::sigaddset(&as_usual, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&actions.attributes, &as_usual);
  ::posix_spawnattr_setflags(&actions.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&actions.attributes, 0);
  std::string shell = "bash", flag = "-c", text = command.text;
  std::array<char*, 4> words{shell.data(), flag.data(), text.data(), nullptr};
  pid_t process = 0;
  const std::vector<char*> variables = environment();
  const int error = ::posix_spawnp(&process, "bash", &actions.files, &actions.attributes, words.data(),
                                   const_cast<char* const*>(variables.data()));
  if (error != 0) return failed("cannot run bash in " + command.directory, error);
  return process;
}

void keep_end(std::string& text, std::size_t most) {
  if (text.size() > 2 * most) text.erase(0, text.size() - most);
}

// What there is to read, up to a bound: a command may write faster than it is read. False at the end.
bool read_some(int from, std::string& into, std::size_t most) {
  std::array<char, 16'384> bytes;
  for (int i = 0; i < 64; ++i) {
    const ssize_t count = ::read(from, bytes.data(), bytes.size());
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    into.append(bytes.data(), static_cast<std::size_t>(count));
    keep_end(into, most);
  }
  return true;
}

// Its end stays to be taken: until then nobody else gets its number, and its group can be killed by it.
base::Result<bool> is_over(pid_t process) {
  siginfo_t told{};
  while (::waitid(P_PID, static_cast<id_t>(process), &told, WEXITED | WNOHANG | WNOWAIT) != 0)
    if (errno != EINTR) return failed("how the command ended was not told", errno);
  return told.si_pid == process;
}

base::Result<int> exit_code_of(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return failed("how the command ended was not told", errno);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

base::Result<Ended> run(const ShellCommand& command) {
  Pipe output;
  if (::pipe2(output.ends.data(), O_CLOEXEC) != 0) return failed("no pipe", errno);
  ::fcntl(output.ends[0], F_SETFL, O_NONBLOCK);
  PARLEY_TRY(const pid_t process, start(command, output));
  output.close_write();

  constexpr int look_every_ms = 20;  // what it left behind may keep the pipe open
  const Clock::time_point until = Clock::now() + command.timeout;
  Ended ended;
  bool open = true;
  while (true) {
    PARLEY_TRY(const bool over, is_over(process));
    ended.timed_out = !over && Clock::now() >= until;
    if (over || ended.timed_out) break;
    pollfd wanted{output.ends[0], POLLIN, 0};
    ::poll(&wanted, open ? 1 : 0, look_every_ms);
    if (open) open = read_some(output.ends[0], ended.output, command.output_max);
  }
  if (open) read_some(output.ends[0], ended.output, command.output_max);
  ::kill(-process, SIGKILL);  // what it started and did not end; itself, where its time is over
  if (ended.output.size() > command.output_max) ended.output.erase(0, ended.output.size() - command.output_max);
  PARLEY_TRY(ended.exit_code, exit_code_of(process));
  return ended;
}

}  // namespace parley::cli
