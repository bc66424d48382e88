// An answer, and its bytes. Value type; "= {}" lets designated initialisers leave a member out.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http/settings.hpp"
#include "net/wire/output.hpp"

namespace parley::net::http {

struct Response {
  int status = 200;
  std::string_view content_type = "application/json";  // static text
  std::vector<std::pair<std::string_view, std::string>> fields = {};
  std::string body = {};
  wire::Output::Shared shared = {};  // in place of a body of its own
  bool close = false;                // the connection, after it
};

// How the request shapes the answer.
struct Framing {
  bool head_only = false;  // the request was HEAD
  bool http_1_0 = false;
  bool close = false;
};

void write_response(Response&& response, Framing framing, const Settings& settings, wire::Output& output);

}  // namespace parley::net::http
