// Whole names are compared, never parts: 127.0.0.1.evil.example is another host than 127.0.0.1.
#include "net/http/access.hpp"

#include <algorithm>

#include "base/quoted.hpp"

namespace parley::net::http {
namespace {

bool holds(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::any_of(list, [&](const auto& allowed) { return same_ignoring_case(allowed, name); });
}

// A name without a port stands for it at any port: a proxy may keep the port of the outside, and rebinding is a matter
// of names.
bool answers_to(const AccessPolicy& policy, std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool port =
      colon != host.npos && colon + 1 < host.size() && host.find_first_not_of("0123456789", colon + 1) == host.npos;
  return holds(policy.hosts, host) || (port && holds(policy.names, host.substr(0, colon)));
}

bool wants_port(const AccessPolicy& policy, std::string_view host) {
  return std::ranges::any_of(policy.hosts, [&](const std::string& allowed) {
    return allowed.size() > host.size() && allowed[host.size()] == ':' &&
           same_ignoring_case(std::string_view(allowed).substr(0, host.size()), host);
  });
}

}  // namespace

void AccessPolicy::allow(std::string_view host, std::uint16_t port) {
  const std::string name(host);
  const std::string full = name + ":" + std::to_string(port);
  hosts.push_back(full);
  origins.push_back("http://" + full);
  if (port != 80) return;  // the default port is left out by clients
  hosts.push_back(name);
  origins.push_back("http://" + name);
}

base::Result<> check_access(const AccessPolicy& policy, const Head& head) {
  if (!answers_to(policy, head.host))
    return base::fail(base::ErrorCode::BAD_HOST,
                      "this server does not answer to the name " + base::quoted(head.host) +
                          (wants_port(policy, head.host) ? " without its port" : ""),
                      "Host");
  for (const auto& field : head.fields)
    if (same_ignoring_case(field.name, "Origin") && !holds(policy.origins, field.value))
      return base::fail(base::ErrorCode::BAD_ORIGIN,
                        "pages of " + base::quoted(field.value) + " may not call this server", "Origin");
  return {};
}

}  // namespace parley::net::http
