#include "stand_in.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace parley::e2e {

StandIn::StandIn(std::string answer)
    : answer_(std::move(answer)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 || ::getsockname(listener_, any, &size) != 0)
    std::abort();
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

StandIn::~StandIn() {
  ::shutdown(listener_, SHUT_RDWR);  // accept() returns
  thread_.join();
  ::close(listener_);
}

void StandIn::serve() {
  for (int caller; (caller = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ::close(caller)) {
    std::string said;
    char bytes[65536];
    pollfd ready{caller, POLLIN, 0};
    while (said.find("\r\n\r\n") == said.npos && ::poll(&ready, 1, 5'000) == 1) {
      const auto count = ::recv(caller, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      said.append(bytes, static_cast<std::size_t>(count));
    }
    {
      const std::lock_guard lock(mutex_);
      heard_.push_back(said);
    }
    ::send(caller, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    ::shutdown(caller, SHUT_WR);
    while (::poll(&ready, 1, 5'000) == 1 && ::recv(caller, bytes, sizeof bytes, 0) > 0) {
    }
  }
}

std::vector<std::string> StandIn::heard() const {
  const std::lock_guard lock(mutex_);
  return heard_;
}

std::size_t StandIn::wait_for_calls(std::size_t count) const {
  for (int i = 0; i < 2'000 && heard().size() < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return heard().size();
}

}  // namespace parley::e2e
