// A TCP connection to the server, without waiting: what cannot be done at once is left to poll().
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::sdk {

struct Endpoint {
  std::string host;  // without the brackets of IPv6
  std::string port;
  std::string authority;  // as the Host header has it
};

// "http://127.0.0.1:7411"; BAD_REQUEST for anything but http with a host.
base::Result<Endpoint> endpoint_of(std::string_view url);

// Resource type: closes what it opened. Errors are UNREACHABLE.
class Socket {
 public:
  static base::Result<Socket> connect(const Endpoint& endpoint, base::Duration at_most);
  ~Socket();
  Socket(Socket&& other) noexcept : descriptor_(other.descriptor_), peer_(std::move(other.peer_)) {
    other.descriptor_ = -1;
  }
  Socket(const Socket&) = delete;

  int descriptor() const { return descriptor_; }

  // How many bytes were read; 0: none are there now. The peer's end of the connection is an error too.
  base::Result<std::size_t> read(std::span<char> into);
  // How many bytes of the pieces, in order, were written; 0: there is no room now.
  base::Result<std::size_t> write(std::span<const std::string_view> pieces);
  // Waits until it can be read, or written where that is wanted; false where neither came in time.
  base::Result<bool> wait(bool to_write, base::Duration at_most);

 private:
  Socket(int descriptor, std::string peer) : descriptor_(descriptor), peer_(std::move(peer)) {}
  std::unexpected<base::Error> failed(std::string_view what, int error_number) const;

  int descriptor_;
  std::string peer_;
};

}  // namespace parley::sdk
