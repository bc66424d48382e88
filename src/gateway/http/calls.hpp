// What a call that is answered at once is given, and those that are more than a call of the broker's port.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "broker/port.hpp"
#include "net/http/target.hpp"

namespace parley::gateway::http {

struct Asked {
  broker::Port& port;
  const broker::Caller& caller;
  std::span<const std::string> at;  // the path's parameters, in their order
  const net::http::QueryParameters& parameters;
  json::Value body;  // it has passed its schema

  std::string_view query(std::string_view name) const;  // empty: it is not there
  broker::Page page() const;
};

using Answerer = base::Result<broker::Answer> (*)(const Asked&);

base::Result<broker::Answer> rotate_token(const Asked& asked, std::string_view whose);
base::Result<broker::Answer> settle(const Asked& asked, broker::Settlement what);
base::Result<broker::Answer> check(const Asked& asked);

}  // namespace parley::gateway::http
