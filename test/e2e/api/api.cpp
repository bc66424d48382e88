#include "api.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "base/clock.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"
#include "schema/program.hpp"

namespace parley::e2e {
namespace {

constexpr std::string_view uri = "https://parley.dev/openapi.json";

// The document with every object schema closed: an answer must not have what is not written down.
void write_closed(json::Writer& out, json::Value value) {
  if (value.is_object()) {
    out.begin_object();
    for (const auto [key, member] : value.members()) write_closed(out.key(key), member);
    if (value.find("properties").is_object() && !value.find("additionalProperties"))
      out.member("additionalProperties", false);
    out.end_object();
  } else if (value.is_array()) {
    out.begin_array();
    for (const json::Value element : value.elements()) write_closed(out, element);
    out.end_array();
  } else {
    out.value(value);
  }
}

class Contract {
 public:
  Contract() : document_(json::Document::parse(read_file(source_folder() + "/spec/api/openapi.json")).value()) {
    std::string closed;
    json::Writer writer(closed);
    write_closed(writer, document_.root());
    EXPECT_TRUE(registry_.add(uri, closed));
  }

  json::Value root() const { return document_.root(); }

  // The operation of a method and path; absent where there is none.
  json::Value operation(std::string method, std::string_view path) const {
    if (method == "HEAD") method = "GET";
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    for (const auto [pattern, methods] : root().find("paths").members())
      if (fits(pattern, path.substr(0, path.find('?'))))
        if (const json::Value found = methods.find(method)) return found;
    return {};
  }

  json::Value response(json::Value operation, int status) const {
    json::Value found = operation.find("responses").find(std::to_string(status));
    if (!found) found = operation.find("responses").find("default");
    if (const auto reference = found.find("$ref").if_string()) return root().at_pointer(reference->substr(1));
    return found;
  }

  const schema::Program& program(json::Value schema) {
    const std::string pointer = json::pointer_to(root(), schema);
    const auto known = programs_.find(pointer);
    if (known != programs_.end()) return known->second;
    std::string fragment;
    for (const char c : pointer) fragment += c == '{' ? "%7B" : c == '}' ? "%7D" : std::string(1, c);
    schema::CompileOptions options;
    options.assert_formats = true;
    auto compiled = schema::compile(R"({"$ref":")" + std::string(uri) + '#' + fragment + "\"}", registry_, options);
    EXPECT_TRUE(compiled) << pointer;
    return programs_.emplace(pointer, std::move(*compiled)).first->second;
  }

 private:
  static bool fits(std::string_view pattern, std::string_view path) {
    while (true) {
      const std::string_view one = pattern.substr(0, pattern.find('/'));
      const std::string_view other = path.substr(0, path.find('/'));
      if (!(one.starts_with('{') ? !other.empty() : one == other)) return false;
      if (one.size() == pattern.size() || other.size() == path.size())
        return one.size() == pattern.size() && other.size() == path.size();
      pattern.remove_prefix(one.size() + 1);
      path.remove_prefix(other.size() + 1);
    }
  }

  json::Document document_;
  schema::Registry registry_;
  std::map<std::string, schema::Program> programs_;
};

Contract& contract() {
  static Contract only;
  return only;
}

std::set<std::string>& answered() {
  static std::set<std::string> operations;
  return operations;
}

// Statuses that every call may have without naming them.
bool of_any_call(int status) {
  return status == 408 || status == 414 || status == 421 || status == 431 || status >= 500 || status == 405;
}

void hold_to_contract(const Call& call, const Answer& answer) {
  const json::Value operation = contract().operation(call.method, call.target);
  const std::string what = call.method + ' ' + call.target + " → " + std::to_string(answer.status) + ' ' + answer.body;
  ASSERT_NE(answer.status, 0) << what;
  if (!operation) return;  // not a call: 401, 404 or 405
  const bool named = bool(operation.find("responses").find(std::to_string(answer.status)));
  EXPECT_TRUE(named || of_any_call(answer.status) || (answer.status == 403 && answer.code() == "BAD_ORIGIN")) << what;
  if (answer.status < 300) answered().emplace(operation.find("operationId").as_string());
  const json::Value content = contract().response(operation, answer.status).find("content");
  if (call.method == "HEAD") return;
  if (!content) {
    EXPECT_EQ(answer.body, "") << what;
    return;
  }
  const auto type = answer.reply.field("Content-Type");
  ASSERT_TRUE(content.find(type)) << what << ' ' << type;
  if (type != "application/json") return;
  const auto problems = contract().program(content.find(type).find("schema")).explain(answer.root());
  EXPECT_TRUE(problems.empty()) << what << '\n'
                                << problems[0].instance << ' ' << problems[0].schema << ": " << problems[0].message;
}

std::mt19937_64& dice() {
  thread_local std::mt19937_64 only{std::random_device{}()};
  return only;
}

}  // namespace

std::string bytes_of(const Server& server, const Call& call) {
  std::string request = call.method + ' ' + call.target + " HTTP/1.1\r\n";
  bool has_host = false;
  for (const auto& [name, value] : call.more) {
    has_host = has_host || name == "Host";
    request += name + ": " + value + "\r\n";
  }
  if (!has_host) request += "Host: " + server.host() + "\r\n";
  if (!call.token.empty()) request += "Authorization: Bearer " + call.token + "\r\n";
  if (!call.body.empty() && !call.type.empty()) request += "Content-Type: " + call.type + "\r\n";
  if (call.method != "GET" && call.method != "HEAD")
    request += "Content-Length: " + std::to_string(call.body.size()) + "\r\n";
  return request + "\r\n" + call.body;
}

Answer call(const Server& server, const Call& call) {
  Answer answer;
  answer.reply = exchange(server.port(), bytes_of(server, call));
  answer.status = answer.reply.status;
  answer.body = answer.reply.body;
  json::Limits limits;
  limits.bytes = 64 << 20;
  limits.depth = 128;
  auto parsed = json::Document::parse(answer.body, limits);
  if (!parsed) parsed = json::Document::parse("null");
  answer.json = std::move(*parsed);
  hold_to_contract(call, answer);
  return answer;
}

std::set<std::string> documented_operations() {
  std::set<std::string> operations;
  for (const auto [path, methods] : contract().root().find("paths").members())
    for (const auto [method, operation] : methods.members())
      operations.emplace(operation.find("operationId").as_string());
  return operations;
}

const std::set<std::string>& answered_operations() {
  return answered();
}

std::string make_workspace(const Server& server, const std::string& name, const std::string& more) {
  const Answer made = post(server, "/v1/workspaces", server.admin(), "{\"name\":\"" + name + "\"" + more + "}");
  EXPECT_EQ(made.status, 201) << made.body;
  return "/v1/workspaces/" + name;
}

std::string make_agent(const Server& server, const std::string& workspace, const std::string& id,
                       const std::string& profile, const std::string& role) {
  const std::string type = role.empty() ? "" : R"(,"agent_type":")" + role + '"';
  const Answer made = post(server, workspace + "/agents", server.admin(),
                           R"({"agent_id":")" + id + R"(","profile":")" + profile + '"' + type + "}");
  EXPECT_EQ(made.status, 201) << made.body;
  return made.text("/token");
}

std::string make_person(const Server& server, const std::string& workspace, const std::string& id,
                        const std::string& role) {
  const Answer made =
      post(server, workspace + "/people", server.admin(), R"({"person_id":")" + id + R"(","roles":[")" + role + "\"]}");
  EXPECT_EQ(made.status, 201) << made.body;
  return made.text("/token");
}

std::vector<std::string> make_crowd(const Server& server, const std::string& workspace, int count) {
  constexpr int together = 100;  // what both ends' buffers hold
  Wire wire(server.port());
  std::vector<std::string> tokens;
  std::string rest;
  for (int first = 0; first < count; first += together) {
    const int end = std::min(first + together, count);
    std::string requests;
    for (int i = first; i < end; ++i)
      requests += bytes_of(server, {"POST", workspace + "/agents", server.admin(),
                                    R"({"agent_id":"agent-)" + std::to_string(i) + R"(","profile":"mesh"})"});
    wire.write(requests);
    for (int i = first; i < end; ++i) {
      const Reply made = read_reply(wire, rest);
      EXPECT_EQ(made.status, 201) << made.body;
      if (made.status != 201) return tokens;
      tokens.emplace_back(json::Document::parse(made.body)->root().find("token").as_string());
    }
  }
  return tokens;
}

std::string uuid() {
  char text[40];
  const std::uint64_t a = dice()();
  const std::uint64_t b = dice()();
  std::snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>(a >> 16 & 0xFFFF), static_cast<unsigned>(a & 0xFFF),
                static_cast<unsigned>(b >> 52 & 0xFFF), static_cast<unsigned long long>(b & 0xFFFFFFFFFFFF));
  return text;
}

std::string now_text() {
  return base::to_rfc3339(base::SystemClock().wall());
}

std::string status_query(const std::string& from, const std::string& to, const std::string& id) {
  return R"({"message_id":")" + id + R"(","timestamp":")" + now_text() +
         R"(","sequence_number":1,"from_agent":{"agent_type":"architect","agent_id":")" + from +
         R"("},"to_agent":{"agent_type":"developer","agent_id":")" + to +
         R"("},"message_type":"status_query","payload":{"scope":"session"}})";
}

std::string notification(const std::string& from, const std::string& to, const std::string& id, std::size_t bytes) {
  const std::string text = bytes > 0 ? R"(,"text":")" + std::string(bytes, 'x') + '"' : "";
  return R"({"id":")" + id + R"(","from":")" + from + R"(","to":")" + to + R"(","timestamp":")" + now_text() +
         R"(","messageType":"notification","priority":"normal","content":{"status":{"state":"s"})" + text + "}}";
}

std::string broadcasts(const std::string& from, int count, std::size_t bytes) {
  std::string batch;
  for (int i = 0; i < count; ++i) batch += (i > 0 ? ',' : '[') + notification(from, "broadcast", uuid(), bytes);
  return batch + ']';
}

std::string approval_request(const std::string& from, const std::string& id, const std::string& more) {
  return R"({"message_type":"hitl_approval_request","message_id":")" + id + R"(","timestamp":")" + now_text() +
         R"(","from_agent":")" + from + R"(","to_agent":"orchestrator","approval_needed_for":"close_issue",)" +
         R"("proposed_action":{"action_type":"close_issue","issue_number":7},"rationale":"It is a duplicate.",)" +
         R"("confidence":0.9)" + more + "}";
}

}  // namespace parley::e2e
