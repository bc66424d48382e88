#include "net/http/access.hpp"

#include <gtest/gtest.h>

namespace parley::net::http {
namespace {

AccessPolicy loopback(std::uint16_t port) {
  AccessPolicy policy;
  for (const auto* host : {"127.0.0.1", "[::1]", "localhost"}) policy.allow(host, port);
  return policy;
}

int status_of(std::string_view host, const char* origin = nullptr) {
  Head head;
  head.host = host;
  if (origin != nullptr) head.fields.push_back({"origin", origin});
  const auto access = check_access(loopback(7411), head);
  return access ? 200 : info(access.error().code).http_status;
}

// J1: DNS rebinding.
TEST(Access, AnswersToItsOwnNamesOnly) {
  for (const auto* host : {"127.0.0.1:7411", "localhost:7411", "LOCALHOST:7411", "[::1]:7411"})
    EXPECT_EQ(status_of(host), 200) << host;
  for (const auto* host : {"evil.example", "evil.example:7411", "127.0.0.1.evil:7411", "127.0.0.1", "127.0.0.1:80",
                           "127.0.0.1:74110", "localhost.evil:7411", "localhost.:7411", "x@127.0.0.1:7411", "",
                           "::1:7411", "2130706433:7411", "127.0.0.1:7411, evil", "0.0.0.0:7411"})
    EXPECT_EQ(status_of(host), 421) << host;
}

// J1, J2: cross-site requests and WebSocket hijacking.
TEST(Access, LetsItsOwnPagesCallAndNoOthers) {
  EXPECT_EQ(status_of("127.0.0.1:7411", "http://127.0.0.1:7411"), 200);
  EXPECT_EQ(status_of("127.0.0.1:7411", "http://localhost:7411"), 200);
  for (const auto* origin :
       {"null", "", "http://evil.example", "http://127.0.0.1:8080", "http://127.0.0.1", "https://127.0.0.1:7411",
        "http://localhost.evil:7411", "http://127.0.0.1:7411/", "http://127.0.0.1:7411.evil", "file://"})
    EXPECT_EQ(status_of("127.0.0.1:7411", origin), 403) << origin;
  EXPECT_EQ(status_of("evil.example", "http://127.0.0.1:7411"), 421);
}

}  // namespace
}  // namespace parley::net::http
