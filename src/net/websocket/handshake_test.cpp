#include "net/websocket/handshake.hpp"

#include <gtest/gtest.h>

#include "base/test_clock.hpp"
#include "net/http/parser.hpp"

namespace parley::net::websocket {
namespace {

const std::string good =
    "GET /s HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

base::Result<std::string> checked(std::string text, const std::string& from = "", const std::string& to = "") {
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  http::Head head;
  EXPECT_TRUE(http::parse_head(text, http::Settings{}, head)) << text;
  return check_upgrade(head);
}

TEST(Handshake, AnswersTheKeyOfTheRfc) {
  EXPECT_EQ(checked(good).value(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(Handshake, RefusesWhatIsNoUpgradeToVersion13) {
  const auto code = [](const std::string& from, const std::string& to) {
    const auto result = checked(good, from, to);
    return result ? "accepted" : std::string(info(result.error().code).name);
  };
  EXPECT_EQ(code("13", "8"), "UPGRADE_REQUIRED");
  EXPECT_EQ(code("Sec-WebSocket-Version: 13\r\n", ""), "UPGRADE_REQUIRED");
  EXPECT_EQ(code("Upgrade: WebSocket\r\n", ""), "UPGRADE_REQUIRED");
  EXPECT_EQ(code("WebSocket", "h2c"), "UPGRADE_REQUIRED");
  EXPECT_EQ(code("keep-alive, Upgrade", "keep-alive"), "UPGRADE_REQUIRED");
  EXPECT_EQ(code("GET", "POST"), "BAD_REQUEST");
  EXPECT_EQ(code("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\n"), "BAD_REQUEST");
  EXPECT_EQ(code("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ"), "BAD_REQUEST");
  EXPECT_EQ(code("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j!Q=="), "BAD_REQUEST");
  EXPECT_EQ(code("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", ""), "BAD_REQUEST");
}

TEST(Handshake, TheClientAsksWhatTheServerTakesAndChecksTheAnswer) {
  base::TestRandom random;
  const auto begun = begin_handshake("h:1", "/v1/s", {{"Authorization", "Bearer t"}}, random);
  EXPECT_EQ(checked(begun.request).value(), begun.expected_accept);

  const std::string answer =
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nConnection:Upgrade \r\nSec-WebSocket-Accept: " +
      begun.expected_accept + "\r\n\r\n";
  for (std::size_t cut = 0; cut < answer.size(); ++cut)
    EXPECT_EQ(finish_handshake(begun, answer.substr(0, cut)).value(), 0u);
  EXPECT_EQ(finish_handshake(begun, answer + "frames").value(), answer.size());

  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = answer;
    return finish_handshake(begun, text.replace(text.find(from), from.size(), to));
  };
  EXPECT_FALSE(with(begun.expected_accept, "x"));
  EXPECT_FALSE(with("upgrade: websocket\r\n", ""));
  EXPECT_FALSE(with("Connection:Upgrade \r\n", ""));
  EXPECT_FALSE(with("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"));
  EXPECT_FALSE(with("HTTP/1.1", "HTTP/2.0"));
  EXPECT_FALSE(finish_handshake(begun, std::string(20'000, 'x')));
  const auto refused = finish_handshake(begun, "HTTP/1.1 401 Unauthorized\r\n\r\n{\"why\"}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::UNAUTHENTICATED);
  EXPECT_NE(refused.error().message.find("{\"why\"}"), std::string::npos);
  for (const std::string status : {"502 Bad Gateway", "504 Gateway Timeout"})  // a proxy, whose server is away
    EXPECT_EQ(finish_handshake(begun, "HTTP/1.1 " + status + "\r\n\r\n<html>").error().code,
              base::ErrorCode::UNREACHABLE);
}

}  // namespace
}  // namespace parley::net::websocket
