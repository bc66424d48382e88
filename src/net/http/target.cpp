// RFC 3986 percent-encoding.
#include "net/http/target.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "base/utf8_check.hpp"

namespace parley::net::http {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

base::Result<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '+' && plus_is_space) {
      c = ' ';
    } else if (c == '%') {
      const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
      const int low = high >= 0 ? hex_digit(text[at + 2]) : -1;
      if (low < 0)
        return base::fail(base::ErrorCode::BAD_REQUEST, "a percent escape of the target is broken", "target");
      c = static_cast<char>(high * 16 + low);
      at += 2;
    }
    out += c;
  }
  if (!base::is_utf8(out)) return base::fail(base::ErrorCode::BAD_REQUEST, "the target is no UTF-8", "target");
  return out;
}

}  // namespace

base::Result<std::string> percent_decoded(std::string_view text) {
  return decoded(text, false);
}

base::Result<QueryParameters> parse_query(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.empty()) continue;
    const auto equals = std::min(part.find('='), part.size());
    PARLEY_TRY(auto name, decoded(part.substr(0, equals), true));
    PARLEY_TRY(auto value, decoded(part.substr(std::min(equals + 1, part.size())), true));
    if (std::ranges::any_of(parameters, [&](const auto& known) { return known.first == name; }))
      return base::fail(base::ErrorCode::BAD_REQUEST, "a query parameter comes twice: " + base::quoted(name), "target");
    parameters.emplace_back(std::move(name), std::move(value));
  }
  return parameters;
}

}  // namespace parley::net::http
