// RFC 6455 §4: the opening handshake, both sides. Pure functions; the server's Host and Origin checks are
// http/access.hpp's, the bytes of its answer ServerConnection's.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "net/http/head.hpp"

namespace parley::net::websocket {

std::string accept_key(std::string_view key);  // what proves that the server read the client's key

// Server: the value of Sec-WebSocket-Accept, or BAD_REQUEST, or UPGRADE_REQUIRED (answer it with Sec-WebSocket-Version:
// 13 and Upgrade: websocket).
base::Result<std::string> check_upgrade(const http::Head& head);

// Client: the request's bytes, and what to compare the answer with.
struct ClientHandshake {
  std::string request;
  std::string expected_accept;
};
using HeaderFields = std::vector<std::pair<std::string_view, std::string>>;

// Host, target and field values are the caller's own and hold no line ends.
ClientHandshake begin_handshake(std::string_view host, std::string_view target, const HeaderFields& fields,
                                base::Random& random);

// How many bytes of `received` are the server's answer; 0: it is not whole yet. UNAUTHENTICATED, BAD_REQUEST and so on
// by its status, where it refused.
base::Result<std::size_t> finish_handshake(const ClientHandshake& begun, std::string_view received);

}  // namespace parley::net::websocket
