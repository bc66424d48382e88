#include "server_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "json/parser.hpp"

namespace parley::e2e {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const std::vector<char*>& words, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

std::vector<std::string> command_of(const ServerOptions& options) {
  std::vector<std::string> command = options.under;
  command.insert(command.end(), {server_program, "serve", "--data", options.data_folder, "--listen", "127.0.0.1:0"});
  // A killed server leaves its file; only the new one's counts.
  ::unlink((options.data_folder + "/server.json").c_str());
  return command;
}

}  // namespace

const std::string server_program = [] {
  const char* const named = std::getenv("PARLEY_PROGRAM");
  return std::string(named ? named : PARLEY_PROGRAM);
}();

TempFolder::TempFolder(const std::string& name) {
  std::string pattern = std::filesystem::temp_directory_path() / ("parley-" + name + "-XXXXXX");
  if (!::mkdtemp(pattern.data())) throw Unusable("cannot make a folder like " + pattern);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string End::text() const {
  return signal != 0 ? "signal " + std::to_string(signal) : "exit status " + std::to_string(status);
}

Process::Process(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) throw Unusable("cannot open " + log);
  pid_ = ::fork();
  if (pid_ == 0) become(words, file);
  ::close(file);
  if (pid_ < 0) throw Unusable("cannot start " + command[0] + ": " + std::strerror(errno));
}

Process::~Process() {
  if (end_) return;
  ::kill(pid_, SIGKILL);
  ::kill(pid_, SIGCONT);
  ::waitpid(pid_, nullptr, 0);
}

void Process::send(int signal) const {
  if (!end_) ::kill(pid_, signal);
}

std::optional<End> Process::wait(Milliseconds at_most) {
  const auto deadline = Clock::now() + at_most;
  while (!end_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_)
      end_ = WIFSIGNALED(status) ? End{-1, WTERMSIG(status)} : End{WEXITSTATUS(status), 0};
    else if (Clock::now() >= deadline)
      return std::nullopt;
    else
      std::this_thread::sleep_for(Milliseconds(1));
  }
  return end_;
}

End run(const std::vector<std::string>& command, const std::string& log, Milliseconds at_most) {
  Process process(command, log);
  const auto end = process.wait(at_most);
  if (!end) throw Unusable(command[0] + " does not end");
  return *end;
}

Server::Server(const ServerOptions& options) : options_(options), process_(command_of(options), options.log) {}

bool Server::wait_until_ready(Milliseconds at_most) {
  const auto deadline = Clock::now() + at_most;
  while (Clock::now() < deadline) {
    const std::string text = read_file(options_.data_folder + "/server.json");
    if (const auto document = json::Document::parse(text)) {
      url_ = document->root().find("url").if_string().value_or("");
      server_pid_ = static_cast<pid_t>(document->root().find("pid").if_int().value_or(0));
      if (!url_.empty()) return true;
    }
    if (process_.wait(Milliseconds(1))) return false;
  }
  return false;
}

sdk::Access Server::access(const std::string& token) const {
  return {url_, token, options_.data_folder, {}};
}

std::string Server::admin_token() const {
  return read_line(options_.data_folder + "/admin.token");
}

void Server::kill() {
  process_.send(SIGKILL);
  process_.wait(Milliseconds(10'000));
}

void Server::send(int signal) const {
  ::kill(server_pid_ != 0 ? server_pid_ : process_.pid(), signal);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string read_line(const std::string& path) {
  const std::string text = read_file(path);
  return text.substr(0, text.find('\n'));
}

}  // namespace parley::e2e
