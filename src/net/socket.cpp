// Linux: accept4, MSG_NOSIGNAL.
#include "net/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.hpp"

namespace parley::net {
namespace {

constexpr int backlog = 4096;

std::unexpected<base::Error> cannot_listen(const std::string& where, std::string why, std::string hint = {}) {
  return base::fail(base::ErrorCode::CANNOT_LISTEN, "cannot listen: " + std::move(why), where, std::move(hint));
}

constexpr const char* address_wanted = "Write --listen 127.0.0.1:PORT; others reach it through a proxy.";

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  int family = AF_UNSPEC;
  bool loopback = false;
};

bool parse_address(const std::string& text, std::uint16_t port, Address& address) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.family = AF_INET;
    address.size = sizeof(sockaddr_in);
    address.loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    return true;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) != 1) return false;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  address.family = AF_INET6;
  address.size = sizeof(sockaddr_in6);
  address.loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
  return true;
}

std::uint16_t bound_port(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  const int done = getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size);
  PARLEY_ASSERT(done == 0);
  return ntohs(storage.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&storage)->sin_port
                                            : reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port);
}

}  // namespace

base::Result<Listening> listen_on(const std::string& text, std::uint16_t port, bool beyond_loopback) {
  const std::string where = text + " port " + std::to_string(port);
  Address address;
  if (!parse_address(text, port, address))
    return cannot_listen(where, "this is no IPv4 or IPv6 address", address_wanted);
  if (!address.loopback && !beyond_loopback)
    return cannot_listen(where, text + " is not a loopback address, and Parley listens on loopback only",
                         address_wanted);
  const int descriptor = socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return cannot_listen(where, std::strerror(errno));
  const int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 ||
      listen(descriptor, backlog) != 0) {
    const int error = errno;
    ::close(descriptor);
    return cannot_listen(where, std::strerror(error));
  }
  return Listening{descriptor, bound_port(descriptor), address.loopback};
}

Accept accept_from(int listening, int& accepted) {
  while (true) {
    accepted = accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0) {
      const int yes = 1;
      setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);  // we write whole answers
      return Accept::accepted;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return Accept::exhausted;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Accept::none;
    // Otherwise that one connection failed before we had it (ECONNABORTED and its like): the next.
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) return Accept::none;
  }
}

Transferred read_some(int descriptor, std::span<char> into) {
  while (true) {
    const ssize_t count = recv(descriptor, into.data(), into.size(), 0);
    if (count > 0) return {Transfer::some, static_cast<std::size_t>(count)};
    if (count == 0) return {Transfer::ended, 0};
    if (errno == EINTR) continue;
    return {errno == EAGAIN || errno == EWOULDBLOCK ? Transfer::would_block : Transfer::ended, 0};
  }
}

Transferred write_some(int descriptor, std::span<const std::string_view> pieces) {
  PARLEY_ASSERT(pieces.size() <= pieces_max);
  std::array<iovec, pieces_max> vectors;
  for (std::size_t i = 0; i < pieces.size(); ++i) vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = pieces.size();
  while (true) {
    const ssize_t count = sendmsg(descriptor, &message, MSG_NOSIGNAL);
    if (count >= 0) return {Transfer::some, static_cast<std::size_t>(count)};
    if (errno == EINTR) continue;
    return {errno == EAGAIN || errno == EWOULDBLOCK ? Transfer::would_block : Transfer::ended, 0};
  }
}

std::size_t unacknowledged_bytes(int descriptor) {
  int bytes = 0;
  return ::ioctl(descriptor, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

int with_lowest_number(int descriptor) {
  const int lower = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (lower < 0) return descriptor;
  ::close(std::max(lower, descriptor));
  return std::min(lower, descriptor);
}

void end_writing(int descriptor) {
  shutdown(descriptor, SHUT_WR);
}

void close_descriptor(int descriptor) {
  ::close(descriptor);
}

}  // namespace parley::net
