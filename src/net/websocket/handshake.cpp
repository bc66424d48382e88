// SHA-1 is what RFC 6455 asks for; it proves an understanding, it protects nothing.
#include "net/websocket/handshake.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/assert.hpp"
#include "base/base64.hpp"

namespace parley::net::websocket {
namespace {

constexpr std::string_view guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t answer_bytes_max = 16 << 10;

std::string base64(std::span<const std::uint8_t> bytes) {
  return base::to_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, base::Alphabet::standard);
}

// Sixteen bytes in base64: 22 characters and "==".
bool is_key(std::string_view key) {
  const auto is_digit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  };
  return key.size() == 24 && key.ends_with("==") && std::ranges::all_of(key.substr(0, 22), is_digit);
}

std::unexpected<base::Error> refused(std::string message) {
  return base::fail(base::ErrorCode::BAD_REQUEST, std::move(message), "WebSocket handshake",
                    "Open the WebSocket as RFC 6455 §4.1 describes.");
}

std::unexpected<base::Error> refused_by_server(std::string_view status, std::string_view rest) {
  const auto body = std::min(rest.find("\r\n\r\n"), rest.size());
  std::string text(rest.substr(std::min(body + 4, rest.size())).substr(0, 500));
  if (status == "502" || status == "504")
    return base::fail(base::ErrorCode::UNREACHABLE,
                      "something before the server answered " + std::string(status) + " in its place");
  for (const auto code : {base::ErrorCode::UNAUTHENTICATED, base::ErrorCode::FORBIDDEN, base::ErrorCode::NOT_FOUND,
                          base::ErrorCode::BAD_HOST, base::ErrorCode::OVERLOADED, base::ErrorCode::RATE_LIMITED})
    if (status == std::to_string(info(code).http_status))
      return base::fail(code, "the server refused the WebSocket with status " + std::string(status) + ": " + text);
  return refused("the server refused the WebSocket with status " + std::string(status) + ": " + text);
}

}  // namespace

std::string accept_key(std::string_view key) {
  const std::string text = std::string(key) + std::string(guid);
  std::array<std::uint8_t, 20> digest;
  const int done = EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  PARLEY_ASSERT(done == 1);
  return base64(digest);
}

base::Result<std::string> check_upgrade(const http::Head& head) {
  const bool asked = head.asks_upgrade && http::list_names(head.find("Upgrade"), "websocket");
  if (!asked || head.find("Sec-WebSocket-Version") != "13")
    return base::fail(base::ErrorCode::UPGRADE_REQUIRED,
                      asked ? "the WebSocket version asked for is not 13" : "the request asks for no WebSocket");
  if (head.method != "GET") return refused("the method is not GET");
  if (head.http_1_0) return refused("HTTP/1.0 knows no upgrade");
  if (head.has_body()) return refused("the request has a body");
  const auto key = head.find("Sec-WebSocket-Key");
  if (!is_key(key)) return refused("Sec-WebSocket-Key is not 16 bytes in base64");
  return accept_key(key);
}

ClientHandshake begin_handshake(std::string_view host, std::string_view target, const HeaderFields& fields,
                                base::Random& random) {
  std::array<std::uint8_t, 16> nonce;
  random.fill(nonce);
  const std::string key = base64(nonce);
  ClientHandshake handshake;
  handshake.expected_accept = accept_key(key);
  std::string& request = handshake.request;
  request.append("GET ").append(target).append(" HTTP/1.1\r\nHost: ").append(host);
  request.append("\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ");
  request.append(key).append("\r\n");
  for (const auto& [name, value] : fields) {
    PARLEY_ASSERT(value.find_first_of("\r\n") == value.npos);
    request.append(name).append(": ").append(value).append("\r\n");
  }
  request.append("\r\n");
  return handshake;
}

base::Result<std::size_t> finish_handshake(const ClientHandshake& begun, std::string_view received) {
  const auto end = received.find("\r\n\r\n");
  if (end == received.npos) {
    if (received.size() > answer_bytes_max) return refused("the server's answer has no end");
    return 0;
  }
  if (!received.starts_with("HTTP/1.1 ") || received.size() < 12) return refused("the server does not speak HTTP/1.1");
  const auto status = received.substr(9, 3);
  if (status != "101") return refused_by_server(status, received);

  http::Head answer;
  std::string_view lines = received.substr(0, end + 2);
  lines.remove_prefix(lines.find("\r\n") + 2);
  while (!lines.empty()) {
    const auto line_end = lines.find("\r\n");
    const auto line = lines.substr(0, line_end);
    lines.remove_prefix(line_end + 2);
    const auto colon = line.find(':');
    if (colon == line.npos) return refused("the server's answer is malformed");
    auto value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    answer.fields.push_back({line.substr(0, colon), value});
  }
  if (!http::list_names(answer.find("Connection"), "upgrade") || !http::list_names(answer.find("Upgrade"), "websocket"))
    return refused("the server did not upgrade the connection");
  if (answer.find("Sec-WebSocket-Accept") != begun.expected_accept) return refused("Sec-WebSocket-Accept is wrong");
  if (!answer.find("Sec-WebSocket-Extensions").empty() || !answer.find("Sec-WebSocket-Protocol").empty())
    return refused("the server chose an extension or protocol that was not offered");
  return end + 4;
}

}  // namespace parley::net::websocket
