// Five lines and a body: a serialiser of our own costs less than Beast's, whose types follow the body's.
#include "net/http/response.hpp"

#include <charconv>

namespace parley::net::http {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 207:
      return "Multi-Status";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 507:
      return "Insufficient Storage";
    default:
      return "Status";
  }
}

void append_number(std::string& out, std::size_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// A value may hold what a caller said: it must not begin a line of its own.
void append_value(std::string& out, std::string_view value) {
  for (const char c : value) out += c >= 0x20 && c != 0x7F ? c : ' ';
}

}  // namespace

void write_response(Response&& response, Framing framing, const Settings& settings, wire::Output& output) {
  const std::string_view body = response.shared ? std::string_view(*response.shared) : response.body;
  const bool bodiless = response.status / 100 == 1 || response.status == 204 || response.status == 304;
  std::string head;
  head.reserve(256 + settings.standing_fields.size());
  head += "HTTP/1.1 ";
  append_number(head, static_cast<std::size_t>(response.status));
  head += ' ';
  head += reason(response.status);
  head += "\r\n";
  head += settings.standing_fields;
  for (const auto& [name, value] : response.fields) {
    head += name;
    head += ": ";
    append_value(head, value);
    head += "\r\n";
  }
  if (!bodiless) {
    if (!body.empty()) {
      head += "Content-Type: ";
      head += response.content_type;
      head += "\r\n";
    }
    head += "Content-Length: ";
    append_number(head, body.size());
    head += "\r\n";
  }
  if (framing.close)
    head += "Connection: close\r\n";
  else if (framing.http_1_0)
    head += "Connection: keep-alive\r\n";
  head += "\r\n";
  output.append(std::string_view(head));
  if (bodiless || framing.head_only) return;
  if (response.shared)
    output.append(response.shared);
  else
    output.append(std::move(response.body));
}

}  // namespace parley::net::http
