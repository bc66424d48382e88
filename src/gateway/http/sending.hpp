// The messages of one call on their way to the broker, each answered on its own (MSH-12). Where a turn is full before
// the last of them (D11), what is left is kept and goes on in a later one. Resource type: its texts are views.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "broker/port/sending.hpp"
#include "json/parser.hpp"
#include "json/value.hpp"

namespace parley::gateway::http {

struct Sending {
  Sending() = default;
  Sending(const Sending&) = delete;

  std::size_t bytes() const;  // kept, or to be kept, and answered
  void keep_rest();

  bool many = false;            // answered with an array
  std::string key;              // Idempotency-Key
  std::string evidence;         // Parley-Evidence
  broker::SendOptions options;  // views of it, and of the request's path and query
  std::string kept;             // what the texts are of, once the call's own bytes are gone
  std::vector<std::string_view> texts;
  std::vector<json::Value> values;  // of the texts, where they have been parsed together; else each is parsed alone
  json::Limits limits;              // then
  std::size_t next = 0;
  std::string answer;  // to those before
};

}  // namespace parley::gateway::http
