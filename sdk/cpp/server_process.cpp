// Ready is who has written DATA/server.json: it listens then.
#include "sdk/cpp/server_process.hpp"

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "json/parser.hpp"

namespace parley::sdk {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string file_of(const ServerOptions& options) {
  return options.data_folder + "/server.json";
}

}  // namespace

base::Result<ServerProcess> ServerProcess::start(ServerOptions options) {
  std::vector<std::string> command = options.under;
  command.insert(command.end(), {options.program, "serve", "--data", options.data_folder, "--listen", "127.0.0.1:0"});
  command.insert(command.end(), options.more.begin(), options.more.end());
  ::unlink(file_of(options).c_str());  // a killed server leaves its file; only the new one's counts
  PARLEY_TRY(auto process, base::Process::start(command, options.log));
  return ServerProcess(std::move(options), std::move(process));
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : options_(std::move(other.options_)),
      process_(std::move(other.process_)),
      server_pid_(std::exchange(other.server_pid_, 0)),
      url_(std::move(other.url_)) {}

bool ServerProcess::wait_until_ready(base::Duration at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (std::chrono::steady_clock::now() < deadline) {
    const std::string text = text_of(file_of(options_));
    if (const auto document = json::Document::parse(text)) {
      url_ = document->root().find("url").if_string().value_or("");
      server_pid_ = static_cast<pid_t>(document->root().find("pid").if_int().value_or(0));
      if (!url_.empty()) return true;
    }
    if (process_.wait(std::chrono::milliseconds(1))) return false;
  }
  return false;
}

Access ServerProcess::access(const std::string& token) const {
  return {url_, token, options_.data_folder, {}};
}

std::string ServerProcess::admin_token() const {
  const std::string text = text_of(options_.data_folder + "/admin.token");
  return text.substr(0, text.find('\n'));
}

void ServerProcess::kill() {
  kill_server_under();
  process_.kill();
}

// Killed, strace lets go of what it traces. Where it has ended, so has the server, and the id may be another's.
void ServerProcess::kill_server_under() {
  if (server_pid_ != 0 && server_pid_ != process_.pid() && !process_.wait({})) ::kill(server_pid_, SIGKILL);
}

void ServerProcess::send(int signal) const {
  ::kill(server_pid_ != 0 ? server_pid_ : process_.pid(), signal);
}

}  // namespace parley::sdk
