#include "server.hpp"

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "wire.hpp"

namespace parley::e2e {
namespace {

using Clock = std::chrono::steady_clock;
constexpr base::Duration patience = std::chrono::seconds(30);

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value) return value;
  std::fprintf(stderr, "%s is not set: run this through ctest\n", name);
  std::exit(1);
}

template <class T>
T usable(base::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
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

Server::Server(std::vector<std::string> options)
    : options_(std::move(options)), folder_(usable(base::TempFolder::make("parley-e2e"))) {
  start();
}

void Server::start() {
  process_.emplace(usable(sdk::ServerProcess::start({.program = variable("PARLEY_BINARY"),
                                                     .data_folder = folder(),
                                                     .log = folder_ / "server.log",
                                                     .more = options_})));
  const auto end = Clock::now() + patience;
  if (process_->wait_until_ready(patience)) {
    const std::string url = process_->access({}).url;
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    admin_ = process_->admin_token();
    // The first segments of the journal are made while it listens already.
    for (; Clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(5)))
      if (e2e::exchange(port_, "GET /readyz HTTP/1.1\r\nHost: " + host() + "\r\n\r\n").status == 200) return;
  }
  std::fprintf(stderr, "the server did not start:\n%s", log().c_str());
  std::exit(1);
}

std::string Server::log() const {
  return read_file(folder_ / "server.log");
}

Server::Stopped Server::stop() {
  const auto began = Clock::now();
  process_->send(SIGTERM);
  const auto end = process_->wait(patience);
  process_.reset();
  return {end && end->signal == 0 ? end->status : -1,
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began)};
}

void Server::kill() {
  process_.reset();
}

}  // namespace parley::e2e
