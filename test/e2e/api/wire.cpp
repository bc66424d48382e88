#include "wire.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace parley::e2e {
namespace {

using Clock = std::chrono::steady_clock;

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, [](char c) { return std::tolower(c); }, [](char c) { return std::tolower(c); });
}

}  // namespace

Wire::Wire(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) close();
  const int on = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Wire::~Wire() {
  close();
}

void Wire::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void Wire::say_no_more() {
  ::shutdown(descriptor_, SHUT_WR);
}

void Wire::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void Wire::take_little() {
  const int bytes = 4096;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void Wire::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // a refused request's connection may be gone; its answer says why
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool Wire::read(std::string& into, std::chrono::milliseconds timeout) {
  pollfd ready{descriptor_, POLLIN, 0};
  if (descriptor_ < 0 || ::poll(&ready, 1, static_cast<int>(timeout.count())) <= 0) return false;
  char buffer[65536];
  const auto count = ::recv(descriptor_, buffer, sizeof buffer, 0);
  if (count <= 0) return false;
  into.append(buffer, static_cast<std::size_t>(count));
  return true;
}

std::string Reply::field(std::string_view name) const {
  for (const auto& [key, value] : fields)
    if (same(key, name)) return value;
  return {};
}

Reply read_reply(Wire& wire, std::string& rest, bool head_only) {
  Reply reply;
  std::size_t end = 0;
  while ((end = rest.find("\r\n\r\n")) == std::string::npos)
    if (!wire.read(rest)) return {};
  std::string_view head = std::string_view(rest).substr(0, end + 2);
  reply.status = std::stoi(std::string(head.substr(9, 3)));
  head.remove_prefix(head.find("\r\n") + 2);
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size() + 2);
    const std::size_t colon = line.find(": ");
    reply.fields.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  const std::string length = reply.field("Content-Length");
  const std::size_t bytes = head_only || length.empty() ? 0 : std::stoul(length);
  rest.erase(0, end + 4);
  while (rest.size() < bytes)
    if (!wire.read(rest)) return {};
  reply.body = rest.substr(0, bytes);
  rest.erase(0, bytes);
  return reply;
}

Reply exchange(std::uint16_t port, std::string_view request) {
  Wire wire(port);
  wire.write(request);
  std::string rest;
  return read_reply(wire, rest, request.starts_with("HEAD "));
}

Socket::Socket(std::uint16_t port, std::string_view path, const Fields& more) : wire_(port) {
  std::string request = "GET " + std::string(path) + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  for (const auto& [name, value] : more) request += name + ": " + value + "\r\n";
  wire_.write(request + "\r\n");
  handshake_ = read_reply(wire_, rest_);
}

void Socket::send(std::string_view text, int opcode) {
  std::string frame(1, static_cast<char>(0x80 | opcode));
  const auto add_length = [&](int bytes) {
    for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>(text.size() >> (8 * i));
  };
  if (text.size() < 126) {
    frame += static_cast<char>(0x80 | text.size());
  } else if (text.size() < 65536) {
    frame += static_cast<char>(0x80 | 126);
    add_length(2);
  } else {
    frame += static_cast<char>(0x80 | 127);
    add_length(8);
  }
  const char mask[4] = {0x12, 0x34, 0x56, 0x78};
  frame.append(mask, 4);
  for (std::size_t i = 0; i < text.size(); ++i) frame += static_cast<char>(text[i] ^ mask[i % 4]);
  wire_.write(frame);
}

std::optional<std::string> Socket::next(std::chrono::milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  const auto have = [&](std::size_t bytes) {
    while (rest_.size() < bytes) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0 || !wire_.read(rest_, left)) return false;
    }
    return true;
  };
  while (!close_code_ && have(2)) {
    const int opcode = rest_[0] & 0x0F;
    std::size_t length = rest_[1] & 0x7F;
    std::size_t head = 2;
    if (length >= 126) {
      head += length == 126 ? 2 : 8;
      if (!have(head)) break;
      length = 0;
      for (std::size_t i = 2; i < head; ++i) length = length << 8 | static_cast<unsigned char>(rest_[i]);
    }
    if (!have(head + length)) break;
    std::string payload = rest_.substr(head, length);
    rest_.erase(0, head + length);
    if (opcode == 1) return payload;
    if (opcode == 8) {
      close_code_ = static_cast<std::uint16_t>(static_cast<unsigned char>(payload[0]) << 8 |
                                               static_cast<unsigned char>(payload[1]));
      send(payload, 8);
    }
  }
  return std::nullopt;
}

std::uint16_t Socket::closed(std::chrono::milliseconds timeout) {
  while (next(timeout)) {
  }
  return close_code_.value_or(0);
}

}  // namespace parley::e2e
