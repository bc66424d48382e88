// The document and the routes say the same, in both directions; every example in it is of its schema.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gateway/http/contract.hpp"
#include "gateway/http/routes.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace parley::gateway::http {
namespace {

constexpr std::string_view uri = "https://parley.dev/openapi.json";

const json::Document& document() {
  static const json::Document parsed = json::Document::parse(openapi_document).value();
  return parsed;
}

json::Value root() {
  return document().root();
}

std::string upper(std::string_view method) {
  std::string text(method);
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  return text;
}

struct Documented {
  json::Value operation;
  std::string method;
  std::string path;
};

std::map<std::string, Documented> documented() {
  std::map<std::string, Documented> all;
  for (const auto [path, methods] : root().find("paths").members())
    for (const auto [method, operation] : methods.members())
      all[std::string(operation.find("operationId").as_string())] = {operation, upper(method), std::string(path)};
  return all;
}

// COR-07
TEST(OpenApi, Has_every_route_and_no_other) {
  const auto all = documented();
  std::set<std::string> routed;
  for (const Route& route : routes()) {
    const std::string name(route.operation);
    EXPECT_TRUE(routed.insert(name).second) << name << " twice";
    ASSERT_TRUE(all.contains(name)) << name << " is routed and not documented";
    EXPECT_EQ(all.at(name).method, route.method) << name;
    EXPECT_EQ(all.at(name).path, route.pattern) << name;
  }
  for (const auto& [name, described] : all) EXPECT_TRUE(routed.contains(name)) << name << " is documented, not routed";
}

TEST(OpenApi, Says_which_calls_need_a_token_and_which_take_a_body) {
  const auto all = documented();
  EXPECT_EQ(root().find("security").size(), 1u);
  for (const Route& route : routes()) {
    const json::Value operation = all.at(std::string(route.operation)).operation;
    const json::Value security = operation.find("security");
    EXPECT_EQ(route.access == Access::anyone, bool(security)) << route.operation;
    if (security) {
      EXPECT_EQ(security.size(), 0u) << route.operation;
    }
    EXPECT_EQ(route.body_bytes_max > 0, bool(operation.find("requestBody"))) << route.operation;
    EXPECT_TRUE(operation.find("summary").is_string()) << route.operation;
    EXPECT_TRUE(operation.at_pointer("/responses/default")) << route.operation;
    EXPECT_TRUE(operation.at_pointer("/responses/400")) << route.operation << ": a query parameter it does not have";
    EXPECT_EQ(route.access == Access::anyone, !operation.at_pointer("/responses/401")) << route.operation;
  }
}

TEST(OpenApi, Names_every_parameter_of_every_path) {
  for (const auto& [name, described] : documented()) {
    std::set<std::string> in_path;
    for (std::size_t at = described.path.find('{'); at != std::string::npos; at = described.path.find('{', at + 1))
      in_path.insert(described.path.substr(at + 1, described.path.find('}', at) - at - 1));
    std::set<std::string> named;
    for (const json::Value listed : described.operation.find("parameters").elements()) {
      const json::Value parameter = root().at_pointer(listed.find("$ref").as_string().substr(1));
      ASSERT_TRUE(parameter) << json::to_text(listed);
      if (parameter.find("in").as_string() == "path") named.emplace(parameter.find("name").as_string());
    }
    EXPECT_EQ(named, in_path) << name;
  }
}

// Walks everything; `visit` gets each object with the text of where it stands.
template <class Visit>
void walk(json::Value value, const Visit& visit) {
  if (value.is_object()) visit(value);
  for (const auto [key, member] : value.members()) walk(member, visit);
  for (const json::Value element : value.elements()) walk(element, visit);
}

TEST(OpenApi, Refers_only_to_what_is_there) {
  int references = 0;
  walk(root(), [&](json::Value object) {
    const auto reference = object.find("$ref").if_string();
    if (!reference) return;
    ++references;
    ASSERT_TRUE(reference->starts_with("#/"));
    EXPECT_TRUE(root().at_pointer(reference->substr(1))) << *reference;
  });
  EXPECT_GT(references, 200);
}

TEST(OpenApi, Uses_every_component) {
  std::set<std::string> used;
  walk(root(), [&](json::Value object) {
    if (const auto reference = object.find("$ref").if_string()) used.emplace(*reference);
  });
  for (const std::string_view kind : {"schemas", "parameters", "responses"})
    for (const auto [name, component] : root().find("components").find(kind).members())
      EXPECT_TRUE(used.contains("#/components/" + std::string(kind) + '/' + std::string(name))) << name;
}

schema::Program schema_at(json::Value place) {
  schema::Registry registry;
  EXPECT_TRUE(registry.add(uri, openapi_document));
  std::string fragment;
  for (const char c : json::pointer_to(root(), place))
    fragment += c == '{' ? "%7B" : c == '}' ? "%7D" : std::string(1, c);
  schema::CompileOptions options;
  options.assert_formats = true;
  auto program = schema::compile(R"({"$ref":")" + std::string(uri) + '#' + fragment + "\"}", registry, options);
  EXPECT_TRUE(program) << fragment << (program ? "" : program.error().message);
  return *program;
}

void expect_fits(json::Value schema, json::Value example) {
  const auto problems = schema_at(schema).explain(example);
  EXPECT_TRUE(problems.empty()) << json::to_text(example) << '\n'
                                << problems[0].instance << " breaks " << problems[0].schema << ": "
                                << problems[0].message;
}

TEST(OpenApi, Has_examples_that_fit_their_schemas) {
  int examples = 0;
  for (const auto [name, schema] : root().at_pointer("/components/schemas").members())
    for (const json::Value example : schema.find("examples").elements()) {
      expect_fits(schema, example);
      ++examples;
    }
  walk(root().find("paths"), [&](json::Value object) {
    for (const auto [name, example] : object.find("examples").members()) {
      expect_fits(object.find("schema"), example.find("value"));
      ++examples;
    }
  });
  EXPECT_GT(examples, 30);
}

// A request body of ours, as its example has it, with a member that nobody named.
TEST(OpenApi, Refuses_bodies_with_a_member_misspelt) {
  const Contract contract;
  int bodies = 0;
  for (const Route& route : routes()) {
    if (route.body_bytes_max == 0 || route.call == Call::send_messages || route.call == Call::supersede_message)
      continue;
    ++bodies;
    const auto misspelt = json::Document::parse(R"({"mispelt": 1})").value();
    const auto refused = contract.check_body(route.operation, misspelt.root());
    ASSERT_FALSE(refused) << route.operation;
    EXPECT_EQ(refused.error().code, base::ErrorCode::BAD_REQUEST);
    EXPECT_THAT(refused.error().details, testing::Contains(testing::Field(&base::Problem::instance, "/mispelt")));
  }
  EXPECT_GE(bodies, 12);
}

TEST(Contract, Of_a_member_that_is_none_lists_those_there_are) {
  const Contract contract;
  const auto legal_next = [&](std::string_view body) {
    const json::Document document = json::Document::parse(body).value();
    return contract.check_body("changeWorkspace", document.root()).error().legal_next;
  };
  EXPECT_EQ(legal_next(R"({"validaton":"strict"})"), (std::vector<std::string>{"validation", "profiles", "settings"}));
  EXPECT_THAT(legal_next(R"({"settings":{"leas":"60s"}})"), testing::Contains("lease"));
  EXPECT_THAT(legal_next(R"({"settings":{"lease":60}})"), testing::IsEmpty());
}

TEST(Contract, Checks_query_parameters_by_name_and_form) {
  const Contract contract;
  EXPECT_TRUE(contract.check_query("listAgents", {}));
  EXPECT_TRUE(contract.check_query("listAgents", {{"after", "007"}, {"limit", "1000"}}));
  for (const auto& [name, value] : {std::pair("limit", "0"),
                                    {"limit", "1001"},
                                    {"limit", "ten"},
                                    {"limit", ""},
                                    {"limit", "01"},
                                    {"limit", "1e3"},
                                    {"Limit", "1"},
                                    {"wait", "1s"}}) {
    const auto refused = contract.check_query("listAgents", {{name, value}});
    ASSERT_FALSE(refused) << name << '=' << value;
    EXPECT_EQ(refused.error().where, '?' + std::string(name));
  }
  EXPECT_TRUE(contract.check_query("readLog", {{"from", "0"}, {"max", "1"}, {"wait", "20s"}}));
  EXPECT_FALSE(contract.check_query("readLog", {{"wait", "20"}}));
}

TEST(Routes, Know_what_is_not_found_and_what_is_not_allowed) {
  EXPECT_EQ(match("GET", "/v1/workspaces/demo/agents/a%2Eb/inbox")->parameters,
            (std::vector<std::string>{"demo", "a.b"}));
  EXPECT_EQ(match("HEAD", "/v1/workspaces")->route->operation, "listWorkspaces");
  for (const std::string_view path :
       {"", "/", "*", "/v1", "/v1/workspaces/", "/v1/workspaces//agents", "/v1/workspaces/a/",
        "/v1/workspaces/demo/agents/a/inbox/take/more/and/more", "/V1/workspaces"})
    EXPECT_EQ(match("GET", path).error().code, base::ErrorCode::NOT_FOUND) << path;
  EXPECT_EQ(match("PUT", "/v1/workspaces").error().code, base::ErrorCode::METHOD_NOT_ALLOWED);
  EXPECT_EQ(match("PUT", "/v1/workspaces").error().where, "/v1/workspaces");
  EXPECT_EQ(match("PUT", "/v1/workspaces").error().legal_next, (std::vector<std::string>{"POST", "GET", "HEAD"}));
  EXPECT_EQ(match("get", "/v1/workspaces").error().code, base::ErrorCode::METHOD_NOT_ALLOWED);
  EXPECT_EQ(match("HEAD", "/v1/workspaces/demo/stream").error().code, base::ErrorCode::METHOD_NOT_ALLOWED);
  EXPECT_EQ(match("GET", "/v1/workspaces/%zz").error().code, base::ErrorCode::BAD_REQUEST);
}

}  // namespace
}  // namespace parley::gateway::http
