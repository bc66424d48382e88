#include "gateway/http/media.hpp"

#include "net/http/head.hpp"

namespace parley::gateway::http {
namespace {

// The first that no quoted string holds.
std::size_t semicolon_in(std::string_view parameters) {
  bool quoted = false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == '"') quoted = !quoted;
    if (quoted && parameters[i] == '\\') ++i;
    if (!quoted && parameters[i] == ';') return i;
  }
  return parameters.npos;
}

}  // namespace

std::string media_type(std::string_view content_type) {
  std::string type(net::http::trimmed(content_type.substr(0, content_type.find(';'))));
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return type;
}

bool is_utf8(std::string_view content_type) {
  for (std::size_t semicolon = semicolon_in(content_type); semicolon != content_type.npos;) {
    content_type.remove_prefix(semicolon + 1);
    semicolon = semicolon_in(content_type);
    const std::string_view parameter = content_type.substr(0, semicolon);
    const std::size_t equals = parameter.find('=');
    if (equals == parameter.npos) continue;
    if (!net::http::same_ignoring_case(net::http::trimmed(parameter.substr(0, equals)), "charset")) continue;
    std::string_view value = net::http::trimmed(parameter.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) value = value.substr(1, value.size() - 2);
    const auto is = [value](std::string_view name) { return net::http::same_ignoring_case(value, name); };
    if (!is("utf-8") && !is("utf8") && !is("us-ascii")) return false;  // which is a part of it
  }
  return true;
}

}  // namespace parley::gateway::http
