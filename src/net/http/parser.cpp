// The only place that includes Beast.
#include "net/http/parser.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstring>
#include <optional>

#include "base/assert.hpp"

namespace parley::net::http {
namespace {

namespace beast = boost::beast;
using base::ErrorCode;

constexpr std::size_t chunk_header_bytes_max = 4096;  // with its extensions, and for the whole trailer section
constexpr std::size_t request_line_slack = 64;        // method, version and the spaces between

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

std::unexpected<base::Error> malformed(std::string message) {
  return base::fail(ErrorCode::BAD_REQUEST, std::move(message), "HTTP request",
                    "Send the request as RFC 9112 describes; the connection is closed.");
}

bool is_token(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != 0 && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

// What Beast calls as it goes; nothing here fails.
class Hooks : public beast::http::basic_parser<true> {
 protected:
  using Error = beast::error_code;
  using Text = beast::string_view;

  void on_request_impl(beast::http::verb, Text, Text, int, Error&) override {}
  void on_response_impl(int, Text, int, Error&) override {}
  void on_field_impl(beast::http::field, Text, Text, Error&) override {}
  void on_header_impl(Error&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text body, Error&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, Error&) override { return body.size(); }
  void on_finish_impl(Error&) override {}
};

// Fields that have one meaning only if they come once.
bool comes_once(beast::http::field field) {
  using enum beast::http::field;
  switch (field) {
    case host:
    case content_length:
    case transfer_encoding:
    case authorization:
    case origin:
    case content_type:
    case expect:
    case if_match:
    case upgrade:
    case sec_websocket_key:
    case sec_websocket_version:
      return true;
    default:
      return false;
  }
}

class HeadParser final : public Hooks {
 public:
  HeadParser(const Settings& settings, Head& head) : settings_(settings), head_(head) {
    header_limit(static_cast<std::uint32_t>(settings.head_bytes_max + 1));
    body_limit(boost::none);  // counted by us
  }

  base::Result<> run(std::string_view text) {
    Error error;
    put(boost::asio::const_buffer(text.data(), text.size()), error);
    if (refusal_) return std::unexpected(std::move(*refusal_));
    if (error) return malformed("the head is malformed: " + error.message());
    head_.keep_alive = keep_alive();
    return finish();
  }

 private:
  void on_request_impl(beast::http::verb, Text method, Text target, int version, Error&) override {
    head_.method = view(method);
    target_ = view(target);
    head_.http_1_0 = version == 10;
  }

  void on_field_impl(beast::http::field field, Text name, Text value, Error& error) override {
    if (auto fine = take(field, view(name), view(value)); !fine) {
      refusal_ = std::move(fine).error();
      error = beast::http::error::bad_field;
    }
  }

  base::Result<> take(beast::http::field field, std::string_view name, std::string_view value) {
    using enum beast::http::field;
    if (head_.fields.size() >= settings_.fields_max)
      return base::fail(ErrorCode::HEAD_TOO_LARGE,
                        "there are more than " + std::to_string(settings_.fields_max) + " header fields");
    if (comes_once(field) && head_.has(name)) return malformed("a field comes twice: " + std::string(name));
    head_.fields.push_back({name, value});
    if (field == host) {
      ++hosts_;
      head_.host = value;
    } else if (field == content_length) {
      if (value.empty() || value.size() > 18 || value.find_first_not_of("0123456789") != value.npos)
        return malformed("Content-Length is no number");
      for (const char digit : value)
        head_.content_length = head_.content_length * 10 + static_cast<unsigned>(digit - '0');
      ++lengths_;
    } else if (field == transfer_encoding) {
      if (!same_ignoring_case(value, "chunked")) return malformed("Transfer-Encoding is something else than chunked");
      head_.chunked = true;
    } else if (field == connection) {
      head_.asks_upgrade = head_.asks_upgrade || list_names(value, "upgrade");
    } else if (field == expect) {
      head_.expects_continue = same_ignoring_case(value, "100-continue");
    }
    return {};
  }

  base::Result<> finish() {
    if (hosts_ != 1) return malformed(hosts_ == 0 ? "there is no Host" : "there is more than one Host");
    if (lengths_ > 1) return malformed("there is more than one Content-Length");
    if (head_.chunked && lengths_ > 0) return malformed("there are both Content-Length and Transfer-Encoding");
    if (head_.chunked && head_.http_1_0) return malformed("HTTP/1.0 has no Transfer-Encoding");
    if (head_.http_1_0) head_.expects_continue = false;
    return split_target();
  }

  // RFC 9112 §3.2: origin-form, absolute-form (which must name the Host again), and "*" for OPTIONS.
  base::Result<> split_target() {
    if (target_.size() > settings_.target_bytes_max)
      return base::fail(ErrorCode::URL_TOO_LONG, "the target has " + std::to_string(target_.size()) + " bytes");
    for (const char c : target_)
      if (c <= 0x20 || c >= 0x7F || c == '#') return malformed("the target holds a character that must be encoded");
    std::string_view rest = target_;
    if (!rest.starts_with('/') && rest != "*") {
      const std::string_view scheme = same_ignoring_case(rest.substr(0, 7), "http://") ? "http://" : "https://";
      if (!same_ignoring_case(rest.substr(0, scheme.size()), scheme)) return malformed("the target is no path");
      rest.remove_prefix(scheme.size());
      const auto slash = std::min(rest.find('/'), rest.size());
      if (!same_ignoring_case(rest.substr(0, slash), head_.host))
        return malformed("the target names another host than Host");
      rest.remove_prefix(slash);
      if (rest.empty()) return malformed("the target has no path");
    }
    if (rest == "*" && head_.method != "OPTIONS") return malformed("the target is no path");
    const auto mark = std::min(rest.find('?'), rest.size());
    head_.path = rest.substr(0, mark);
    head_.query = rest.substr(std::min(mark + 1, rest.size()));
    return {};
  }

  const Settings& settings_;
  Head& head_;
  std::string_view target_;
  int hosts_ = 0;
  int lengths_ = 0;
  std::optional<base::Error> refusal_;
};

}  // namespace

base::Result<std::size_t> HeadScan::look(std::string_view text, const Settings& settings) {
  if (!text.empty() && !is_token(text[0])) return malformed("these bytes are no HTTP request");
  const std::string_view allowed = text.substr(0, settings.head_bytes_max);
  while (true) {
    const auto end = allowed.find('\n', looked_at_);
    if (end == allowed.npos) break;
    if (end == 0 || allowed[end - 1] != '\r') return malformed("a line ends without a carriage return");
    if (end == line_begin_ + 1) return end + 1;
    const char first = allowed[line_begin_];
    if (first == ' ' || first == '\t') return malformed("a field is folded over lines");
    looked_at_ = line_begin_ = end + 1;
  }
  looked_at_ = allowed.size();
  if (line_begin_ == 0 && text.size() > settings.target_bytes_max + request_line_slack)
    return base::fail(ErrorCode::URL_TOO_LONG, "the request line is longer than the limit");
  if (text.size() >= settings.head_bytes_max)
    return base::fail(ErrorCode::HEAD_TOO_LARGE,
                      "the head is longer than " + std::to_string(settings.head_bytes_max) + " bytes");
  return 0;
}

base::Result<> parse_head(std::string_view text, const Settings& settings, Head& into) {
  auto fields = std::move(into.fields);  // their memory is used again
  fields.clear();
  into = Head{};
  into.fields = std::move(fields);
  return HeadParser(settings, into).run(text);
}

// Beast would wait for the carriage return that never comes.
bool has_bare_line_feed(std::string_view lines) {
  for (auto at = lines.find('\n'); at != lines.npos; at = lines.find('\n', at + 1))
    if (at == 0 || lines[at - 1] != '\r') return true;
  return false;
}

// A parser that was shown a head of its own, so that it stands before the first chunk.
struct ChunkedBody::Parser final : Hooks {
  explicit Parser(std::uint64_t body_bytes_max) : room(body_bytes_max) {
    constexpr std::string_view head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    // Beast's own count goes down twice when a chunk's header is shown to it twice.
    body_limit(boost::none);
    Error error;
    put(boost::asio::const_buffer(head.data(), head.size()), error);
    PARLEY_ASSERT(!error && is_header_done() && !is_done());
  }

  void on_chunk_header_impl(std::uint64_t size, Text extensions, Error& error) override {
    for (const char c : extensions)
      if ((c >= 0 && c < 0x20 && c != '\t') || c == 0x7F) error = beast::http::error::bad_chunk_extension;
    too_large = size > room;
    if (too_large) error = beast::http::error::body_limit;
    room -= std::min(room, size);
    remaining = size;
  }

  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, Error&) override {
    body->append(bytes.data(), bytes.size());
    remaining -= bytes.size();
    return bytes.size();
  }

  // Between chunks at least "0\r\n\r\n" must follow; Beast asserts so when it is shown a last chunk a second time.
  std::size_t bytes_needed() const { return remaining > 0 ? 1 : 5; }

  std::uint64_t room;
  std::uint64_t remaining = 0;  // of the chunk being read
  bool too_large = false;
  std::string* body = nullptr;
};

ChunkedBody::ChunkedBody(std::uint64_t body_bytes_max) : parser_(std::make_unique<Parser>(body_bytes_max)) {}
ChunkedBody::~ChunkedBody() = default;

base::Result<bool> ChunkedBody::receive(std::string_view& input, std::string& body) {
  parser_->body = &body;
  while (true) {
    // What was carried over must be seen in one piece with what follows it.
    const std::size_t carried = carried_.size();
    if (carried > 0) carried_ += input.substr(0, chunk_header_bytes_max);
    const std::string_view bytes = carried > 0 ? std::string_view(carried_) : input;

    beast::error_code error = beast::http::error::need_more;
    std::size_t used = 0;
    if (bytes.size() >= parser_->bytes_needed())
      used = parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (parser_->too_large)
      return base::fail(ErrorCode::PAYLOAD_TOO_LARGE, "the chunks make more than the limit of this call");
    if (error && error != beast::http::error::need_more)
      return malformed("the chunked body is malformed: " + error.message());

    if (used > 0) {
      carried_.resize(carried);
      carried_.erase(0, used);
      if (used > carried) input.remove_prefix(used - carried);
      if (parser_->is_done()) {
        PARLEY_ASSERT(carried_.empty());  // fewer than five bytes are carried unseen, and an end has five
        return true;
      }
      continue;
    }
    if (parser_->remaining == 0 && has_bare_line_feed(bytes))
      return malformed("the chunked body is malformed: a line ends without a carriage return");
    if (bytes.size() > chunk_header_bytes_max)
      return malformed("a chunk header or trailer section is longer than " + std::to_string(chunk_header_bytes_max) +
                       " bytes");
    if (carried == 0) carried_ = input;
    input = {};
    return false;
  }
}

}  // namespace parley::net::http
