// Calls as spec/api/openapi.json describes them: every answer that comes back is held to the schema that the document
// has for that operation and status, with no member that it does not name.
#pragma once
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "server.hpp"
#include "wire.hpp"

namespace parley::e2e {

struct Call {
  std::string method = "GET";
  std::string target;
  std::string token = {};
  std::string body = {};
  std::string type = "application/json";
  Fields more = {};
};

// Value type: an answer, and its body as JSON.
struct Answer {
  int status = 0;
  std::string body;
  Reply reply;
  json::Document json;

  json::Value root() const { return json.root(); }
  std::string code() const { return std::string(root().at_pointer("/error/code").if_string().value_or("")); }
  std::string text(std::string_view pointer) const {
    return std::string(root().at_pointer(pointer).if_string().value_or(""));
  }
  std::uint64_t number(std::string_view pointer) const { return root().at_pointer(pointer).if_uint().value_or(0); }
};

Answer call(const Server& server, const Call& call);
std::string bytes_of(const Server& server, const Call& call);  // of the request

inline Answer get(const Server& server, const std::string& target, const std::string& token) {
  return call(server, {.target = target, .token = token});
}
inline Answer post(const Server& server, const std::string& target, const std::string& token, const std::string& body) {
  return call(server, {.method = "POST", .target = target, .token = token, .body = body});
}

// The operations of the document, and those that were answered with a success so far in this process.
std::set<std::string> documented_operations();
const std::set<std::string>& answered_operations();

// What the server must be given before most tests: a workspace, and its agents' tokens by id.
std::string make_workspace(const Server& server, const std::string& name, const std::string& more = "");
std::string make_agent(const Server& server, const std::string& workspace, const std::string& id,
                       const std::string& profile, const std::string& role);  // token
std::string make_person(const Server& server, const std::string& workspace, const std::string& id,
                        const std::string& role);  // token
// Agents `agent-0`, `agent-1`, … of the `mesh` profile; their tokens, fewer where one was not made.
std::vector<std::string> make_crowd(const Server& server, const std::string& workspace, int count);

std::string uuid();      // fresh, version 4
std::string now_text();  // RFC 3339
// A `collab` status query from the architect to the developer, valid and new.
std::string status_query(const std::string& from, const std::string& to, const std::string& id = uuid());

// A `mesh` notification, valid and new; `to` may be `broadcast`. `bytes`: of a text that it carries.
std::string notification(const std::string& from, const std::string& to, const std::string& id = uuid(),
                         std::size_t bytes = 0);
// An array of so many that go to everybody.
std::string broadcasts(const std::string& from, int count, std::size_t bytes = 0);

// A `supervisor` approval request to the orchestrator, valid and new; `more`: members, each with a comma before it.
std::string approval_request(const std::string& from, const std::string& id = uuid(), const std::string& more = "");

}  // namespace parley::e2e
