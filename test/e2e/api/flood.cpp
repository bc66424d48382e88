#include "flood.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <utility>

namespace parley::e2e {

Flood::Flood(const Server& server, int connections, std::function<std::string()> request)
    : request_(std::move(request)), peers_(static_cast<std::size_t>(connections)) {
  for (Peer& peer : peers_) {
    peer.wire = std::make_unique<Wire>(server.port());
    peer.out = request_();
  }
  thread_ = std::thread([this] { run(); });
}

Flood::~Flood() {
  ends_ = true;
  thread_.join();
  for (const Peer& peer : peers_) peer.wire->reset();
}

void Flood::run() {
  std::vector<pollfd> ready(peers_.size());
  while (!ends_) {
    for (std::size_t i = 0; i < peers_.size(); ++i)
      ready[i] = {peers_[i].wire->descriptor(),
                  static_cast<short>(peers_[i].written < peers_[i].out.size() ? POLLIN | POLLOUT : POLLIN), 0};
    ::poll(ready.data(), ready.size(), 50);
    for (std::size_t i = 0; i < peers_.size() && !ends_; ++i) {
      if (ready[i].revents & POLLOUT) write_to(peers_[i]);
      if (ready[i].revents & (POLLIN | POLLHUP | POLLERR)) read_from(peers_[i]);
    }
  }
}

void Flood::write_to(Peer& peer) {
  const std::string_view rest = std::string_view(peer.out).substr(peer.written);
  const auto count = ::send(peer.wire->descriptor(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count <= 0) return;
  peer.written += static_cast<std::size_t>(count);
  bytes_ += static_cast<std::size_t>(count);
  if (peer.written == peer.out.size() && !std::exchange(peer.sent, true)) ++sent_;
}

void Flood::read_from(Peer& peer) {
  if (!peer.wire->read(peer.in, std::chrono::milliseconds(0))) return peer.wire->close();  // by the server
  const std::size_t head = peer.in.find("\r\n\r\n");
  const std::size_t length = peer.in.find("Content-Length: ");
  if (head == std::string::npos || length > head) return;
  if (peer.in.size() < head + 4 + std::stoul(peer.in.substr(length + 16))) return;
  peer.in.clear();
  peer.out = request_();
  peer.written = 0;
}

}  // namespace parley::e2e
