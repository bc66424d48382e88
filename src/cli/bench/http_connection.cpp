// Reads what our own server writes: a status line, Content-Length, a body. Nothing else is understood.
#include "cli/bench/http_connection.hpp"

#include <array>
#include <cctype>
#include <charconv>

namespace parley::cli::bench {
namespace {

std::unexpected<base::Error> not_understood(std::string_view head) {
  return base::fail(base::ErrorCode::UNREACHABLE,
                    "the server's answer is not understood: " + std::string(head.substr(0, 64)), "bench");
}

// The number after "content-length:", any case.
std::optional<std::size_t> content_length(std::string_view head) {
  constexpr std::string_view name = "\ncontent-length:";
  for (std::size_t at = head.find('\n'); at != head.npos; at = head.find('\n', at + 1)) {
    if (head.size() - at < name.size()) break;
    std::size_t i = 0;
    while (i < name.size() && std::tolower(static_cast<unsigned char>(head[at + i])) == name[i]) ++i;
    if (i < name.size()) continue;
    std::string_view digits = head.substr(at + i);
    while (digits.starts_with(' ')) digits.remove_prefix(1);
    std::size_t length = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), length).ec != std::errc()) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

}  // namespace

base::Result<HttpConnection> HttpConnection::open(const sdk::Access& access) {
  PARLEY_TRY(const auto endpoint, sdk::endpoint_of(access.url));
  PARLEY_TRY(auto socket, sdk::Socket::connect(endpoint, std::chrono::seconds(5)));
  return HttpConnection(std::move(socket), " HTTP/1.1\r\nHost: " + endpoint.authority + "\r\nAuthorization: Bearer " +
                                               access.token + "\r\nContent-Type: application/json\r\nContent-Length: ");
}

void HttpConnection::post(std::string_view target, std::string_view body) {
  request_ = "POST ";
  request_.append(target).append(fields_).append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  written_ = 0;
  received_.erase(0, answered_);
  answered_ = 0;
  busy_ = true;
}

base::Result<> HttpConnection::write() {
  if (!wants_write()) return {};
  const std::array<std::string_view, 1> rest{std::string_view(request_).substr(written_)};
  PARLEY_TRY(const std::size_t count, socket_.write(rest));
  written_ += count;
  return {};
}

base::Result<std::optional<Response>> HttpConnection::turn() {
  if (!busy_) return std::nullopt;
  PARLEY_CHECK(write());
  std::array<char, 65536> buffer;
  while (true) {
    const auto end = received_.find("\r\n\r\n");
    if (end != received_.npos) {
      const std::string_view head = std::string_view(received_).substr(0, end);
      const auto length = content_length(head);
      int status = 0;
      if (!head.starts_with("HTTP/1.1 ") || !length || head.size() < 12) return not_understood(head);
      std::from_chars(head.data() + 9, head.data() + 12, status);
      if (received_.size() >= end + 4 + *length) {
        busy_ = false;
        answered_ = end + 4 + *length;
        return Response{status, std::string_view(received_).substr(end + 4, *length)};
      }
    }
    PARLEY_TRY(const std::size_t count, socket_.read(buffer));
    if (count == 0) return std::nullopt;
    received_.append(buffer.data(), count);
  }
}

}  // namespace parley::cli::bench
