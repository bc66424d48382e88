// Between fork and exec nothing is called that a child of a process with threads may not call.
#include "base/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

namespace parley::base {
namespace {

using Steady = std::chrono::steady_clock;
constexpr Duration looks_every = std::chrono::milliseconds(1);

std::unexpected<Error> process_failed(const std::string& what, const std::string& where) {
  return fail(ErrorCode::INTERNAL, what + ": " + std::generic_category().message(errno), where);
}

[[noreturn]] void become(const std::vector<char*>& words, int input, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);  // which this program may ignore
  ::dup2(input, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

}  // namespace

Result<TempFolder> TempFolder::make(const std::string& name) {
  std::error_code error;
  std::string pattern = std::filesystem::temp_directory_path(error) / ("parley-" + name + "-XXXXXX");
  if (!::mkdtemp(pattern.data())) return process_failed("a folder like " + pattern + " cannot be made", "TMPDIR");
  return TempFolder(std::move(pattern));
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string End::text() const {
  if (signal != 0) return "signal " + std::to_string(signal);
  return status < 0 ? "an end that was not told" : "exit status " + std::to_string(status);
}

Result<Process> Process::start(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const pid_t pid = output < 0 ? -1 : ::fork();
  if (pid == 0) become(words, input, output);
  const int error = errno;
  ::close(input);
  if (output >= 0) ::close(output);
  errno = error;
  if (pid < 0) return process_failed(command[0] + " cannot be started", log);
  return Process(pid);
}

Process::~Process() {
  if (pid_ > 0) kill();
}

void Process::send(int signal) const {
  if (!end_) ::kill(pid_, signal);
}

void Process::kill() {
  if (end_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  end_ = End{-1, SIGKILL};
}

std::optional<End> Process::wait(Duration at_most) {
  const auto deadline = Steady::now() + at_most;
  while (!end_) {
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_)
      end_ = WIFSIGNALED(status) ? End{-1, WTERMSIG(status)} : End{WEXITSTATUS(status), 0};
    else if (ended < 0 && errno != EINTR)
      end_ = End{};
    else if (Steady::now() >= deadline)
      return std::nullopt;
    else
      std::this_thread::sleep_for(looks_every);
  }
  return end_;
}

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace parley::base
