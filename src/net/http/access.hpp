// Who may call from where: the names this server answers to, against DNS rebinding, and the sites whose pages may call
// it, against cross-site requests and WebSocket hijacking (J1, J2). In addition to tokens, never instead of them.
// Checked before routing, for every path.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "net/http/head.hpp"

namespace parley::net::http {

struct AccessPolicy {
  std::vector<std::string> hosts;    // as Host must read: "127.0.0.1:7411", "[::1]:7411"; any case
  std::vector<std::string> names;    // answered to at any port
  std::vector<std::string> origins;  // as Origin must read: "http://127.0.0.1:7411"; any case

  void allow(std::string_view host, std::uint16_t port);  // a name or address, and its http pages
};

// BAD_HOST (421) or BAD_ORIGIN (403). A request without Origin comes from no page.
base::Result<> check_access(const AccessPolicy& policy, const Head& head);

}  // namespace parley::net::http
