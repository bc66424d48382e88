// Plain POSIX sockets; TCP_NODELAY, since frames are written whole.
#include "sdk/cpp/socket.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace parley::sdk {
namespace {

using base::ErrorCode;

int milliseconds(base::Duration duration) {
  return static_cast<int>(
      std::min<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(duration).count(), std::int64_t{1} << 30));
}

// The errno of the attempt; 0: connected.
int try_connect(int descriptor, const addrinfo& address, base::Duration at_most) {
  if (::connect(descriptor, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd ready{descriptor, POLLOUT, 0};
  const int count = ::poll(&ready, 1, milliseconds(at_most));
  if (count <= 0) return count == 0 ? ETIMEDOUT : errno;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

base::Result<Endpoint> endpoint_of(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  const auto refused = [url] {
    return base::fail(ErrorCode::BAD_REQUEST, "\"" + std::string(url) + "\" is no address of the form http://HOST:PORT",
                      "server");
  };
  if (!url.starts_with(scheme)) return refused();
  std::string_view authority = url.substr(scheme.size());
  authority = authority.substr(0, authority.find('/'));
  std::string_view host = authority, port = "80";
  const auto colon = authority.rfind(':');
  if (colon != authority.npos && authority.find(']', colon) == authority.npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon + 1);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty() || port.empty() || port.find_first_not_of("0123456789") != port.npos) return refused();
  return Endpoint{std::string(host), std::string(port), std::string(authority)};
}

base::Result<Socket> Socket::connect(const Endpoint& endpoint, base::Duration at_most) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &found); error != 0)
    return base::fail(ErrorCode::UNREACHABLE, endpoint.authority + ": " + ::gai_strerror(error), endpoint.authority);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);

  int error = EADDRNOTAVAIL;
  for (const addrinfo* address = found; address; address = address->ai_next) {
    const int descriptor =
        ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address->ai_protocol);
    if (descriptor < 0) continue;
    Socket socket(descriptor, endpoint.authority);
    error = try_connect(descriptor, *address, at_most);
    if (error != 0) continue;
    const int yes = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return socket;
  }
  return base::fail(ErrorCode::UNREACHABLE, endpoint.authority + ": " + std::strerror(error), endpoint.authority);
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::unexpected<base::Error> Socket::failed(std::string_view what, int error_number) const {
  std::string message = peer_ + ": " + std::string(what);
  if (error_number != 0) message += std::string(": ") + std::strerror(error_number);
  return base::fail(ErrorCode::UNREACHABLE, std::move(message), peer_);
}

base::Result<std::size_t> Socket::read(std::span<char> into) {
  while (true) {
    const ssize_t count = ::recv(descriptor_, into.data(), into.size(), 0);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count == 0) return failed("the server ended the connection", 0);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return failed("the connection broke", errno);
  }
}

base::Result<std::size_t> Socket::write(std::span<const std::string_view> pieces) {
  std::array<iovec, 64> vectors;
  const std::size_t count = std::min(pieces.size(), vectors.size());
  for (std::size_t i = 0; i < count; ++i)
    vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};  // sendmsg does not write to them
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  while (true) {
    const ssize_t written = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return failed("the connection broke", errno);
  }
}

base::Result<bool> Socket::wait(bool to_write, base::Duration at_most) {
  pollfd ready{descriptor_, static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), 0};
  const int count = ::poll(&ready, 1, milliseconds(at_most));
  if (count < 0 && errno != EINTR) return failed("poll", errno);
  return count > 0;
}

}  // namespace parley::sdk
