#include "server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "json/parser.hpp"
#include "wire.hpp"

namespace parley::e2e {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto pause = std::chrono::milliseconds(5);

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value) return value;
  std::fprintf(stderr, "%s is not set: run this through ctest\n", name);
  std::exit(1);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string source_folder() {
  return variable("PARLEY_SOURCE");
}

Server::Server(std::vector<std::string> options) : options_(std::move(options)) {
  char folder[] = "/tmp/parley-e2e-XXXXXX";
  folder_ = ::mkdtemp(folder);
  start();
}

Server::~Server() {
  kill();
  std::filesystem::remove_all(folder_);
}

void Server::start() {
  const std::string binary = variable("PARLEY_BINARY");
  process_ = ::fork();
  if (process_ == 0) {
    const int log = ::open((folder_ + "/server.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    std::vector<const char*> words{"parley", "serve", "--data", folder_.c_str(), "--listen", "127.0.0.1:0"};
    for (const std::string& option : options_) words.push_back(option.c_str());
    words.push_back(nullptr);
    ::execv(binary.c_str(), const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  // The file names this process once connections are accepted.
  const auto end = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < end) {
    const std::string text = read_file(folder_ + "/server.json");
    const auto said = json::Document::parse(text);
    if (said && said->root().find("pid").if_int() == process_) {
      const std::string url(said->root().find("url").as_string());
      port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
      admin_ = read_file(folder_ + "/admin.token");
      while (!admin_.empty() && admin_.back() == '\n') admin_.pop_back();
      break;
    }
    std::this_thread::sleep_for(pause);
  }
  // The first segments of the journal are made while it listens already.
  while (Clock::now() < end) {
    if (e2e::exchange(port_, "GET /readyz HTTP/1.1\r\nHost: " + host() + "\r\n\r\n").status == 200) return;
    std::this_thread::sleep_for(pause);
  }
  std::fprintf(stderr, "the server did not start:\n%s", read_file(folder_ + "/server.log").c_str());
  std::exit(1);
}

Server::Stopped Server::stop() {
  const auto began = Clock::now();
  ::kill(process_, SIGTERM);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began)};
}

void Server::kill() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace parley::e2e
