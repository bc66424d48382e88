// What comes before a request's body. Views into the bytes received: see ServerConnection for how long they are good.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace parley::net::http {

struct Field {
  std::string_view name;
  std::string_view value;  // without the white space around it
};

struct Head {
  std::string_view method;  // as sent: methods are case-sensitive
  std::string_view path;    // begins with '/', not decoded; "*" for OPTIONS *
  std::string_view query;   // what follows '?', not decoded
  std::string_view host;    // Host, with the port if one was given
  std::vector<Field> fields;
  std::uint64_t content_length = 0;
  bool chunked = false;
  bool http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool asks_upgrade = false;  // Connection names "upgrade"

  bool has_body() const { return chunked || content_length > 0; }
  bool has(std::string_view name) const;               // any case, also without a value
  std::string_view find(std::string_view name) const;  // the first of that name, any case; empty where there is none
};

std::string_view trimmed(std::string_view text);  // of spaces and tabs around it

bool same_ignoring_case(std::string_view a, std::string_view b);  // ASCII

// Whether a comma-separated list, as Connection and Upgrade hold, names `token`, in any case.
bool list_names(std::string_view list, std::string_view token);

}  // namespace parley::net::http
