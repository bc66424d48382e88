#include "gateway/http/contract.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace parley::gateway::http {
namespace {

constexpr std::string_view document_uri = "https://parley.dev/openapi.json";
constexpr std::string_view body_schema = "/requestBody/content/application~1json/schema";

schema::Program compiled(const schema::Registry& registry, const std::string& schema_json) {
  schema::CompileOptions options;
  options.assert_formats = true;
  auto program = schema::compile(schema_json, registry, options);
  PARLEY_ASSERT(program.has_value());
  return std::move(*program);
}

// A schema by its place in the document, so that its own references into it are found.
std::string reference_to(json::Value root, json::Value place) {
  std::string fragment;
  for (const char c : json::pointer_to(root, place)) {
    if (c == '{' || c == '}')
      fragment += c == '{' ? "%7B" : "%7D";  // RFC 3986 has neither in a fragment
    else
      fragment += c;
  }
  std::string reference;
  json::Writer(reference).begin_object().member("$ref", std::string(document_uri) + '#' + fragment).end_object();
  return reference;
}

json::Value resolved(json::Value root, json::Value place) {
  const auto reference = place.find("$ref").if_string();
  return reference ? root.at_pointer(reference->substr(1)) : place;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text == "0" || text[0] != '0');
}

// Members of a body that are ids.
std::set<std::string, std::less<>> ids_in(json::Value root, json::Value schema) {
  std::set<std::string, std::less<>> ids;
  for (const auto [name, member] : resolved(root, schema).find("properties").members())
    if (member.find("$ref").if_string() == "#/components/schemas/Id") ids.emplace('/' + std::string(name));
  return ids;
}

std::vector<std::string> names_in(json::Value object) {
  std::vector<std::string> names;
  for (const auto [name, member] : object.members()) names.emplace_back(name);
  return names;
}

// Of the body itself, and of the objects that are members of it.
std::map<std::string, std::vector<std::string>, std::less<>> names_by_object(json::Value root, json::Value schema) {
  const json::Value members = resolved(root, schema).find("properties");
  std::map<std::string, std::vector<std::string>, std::less<>> names{{"", names_in(members)}};
  for (const auto [name, member] : members.members())
    if (const json::Value inner = resolved(root, member).find("properties"))
      names.emplace('/' + std::string(name), names_in(inner));
  return names;
}

// Whether the first defect is a member of a name that is none.
bool is_of_a_name(const base::Error& error) {
  return !error.details.empty() && error.details.front().schema.ends_with("/additionalProperties");
}

base::Error broken(std::string message, const schema::Program& program, json::Value document) {
  base::Error error;
  error.code = base::ErrorCode::BAD_REQUEST;
  error.details = program.explain(document);
  error.message = std::move(message);
  if (!error.details.empty()) {
    error.message += ": " + error.details.front().message;
    error.where = error.details.front().instance;
  }
  return error;
}

}  // namespace

Contract::Contract() {
  const auto document = json::Document::parse(openapi_document);
  PARLEY_ASSERT(document.has_value());
  const json::Value root = document->root();
  schema::Registry registry;
  PARLEY_ASSERT(registry.add(document_uri, openapi_document).has_value());
  for (const auto [path, methods] : root.find("paths").members()) {
    for (const auto [method, described] : methods.members()) {
      const std::string name(described.find("operationId").as_string());
      Operation& operation = operations_[name];
      // What a native message must be, its profile says (ingress).
      if (const json::Value schema = described.at_pointer(body_schema); schema && name != "sendMessages") {
        operation.body = compiled(registry, reference_to(root, schema));
        operation.ids = ids_in(root, schema);
        operation.names = names_by_object(root, schema);
      }

      std::string query;
      json::Writer writer(query);
      writer.begin_object().key("properties").begin_object();
      for (const json::Value listed : described.find("parameters").elements()) {
        const json::Value parameter = resolved(root, listed);
        if (parameter.find("in").as_string() != "query") continue;
        const std::string_view key = parameter.find("name").as_string();
        writer.key(key).raw(reference_to(root, parameter.find("schema")));
        if (resolved(root, parameter.find("schema")).find("type").if_string() == "integer")
          operation.numbers.emplace(key);
      }
      writer.end_object().member("additionalProperties", false).end_object();
      operation.query = compiled(registry, query);
    }
  }
}

base::Result<> Contract::check_body(std::string_view operation, json::Value body) const {
  const Operation& known = operations_.find(operation)->second;
  const auto& program = known.body;
  if (!program || program->accepts(body)) return {};
  base::Error error = broken("the body is not of the form that " + std::string(operation) + " takes", *program, body);
  const bool of_an_id = known.ids.contains(error.where) && error.details.front().schema.ends_with("/pattern");
  if (of_an_id) error.code = base::ErrorCode::BAD_ID;
  if (is_of_a_name(error))
    if (const auto names = known.names.find(error.where.substr(0, error.where.rfind('/'))); names != known.names.end())
      error.legal_next = names->second;
  return std::unexpected(std::move(error));
}

base::Result<> Contract::check_query(std::string_view operation, const net::http::QueryParameters& query) const {
  if (query.empty()) return {};
  const Operation& known = operations_.find(operation)->second;
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  for (const auto& [name, value] : query) {
    writer.key(name);
    if (known.numbers.contains(name) && is_number(value))
      writer.raw(value);
    else
      writer.string(value);
  }
  writer.end_object();
  PARLEY_TRY(const json::Document document, json::Document::parse(text));
  if (known.query.accepts(document.root())) return {};
  base::Error error =
      broken(std::string(operation) + " does not take these query parameters", known.query, document.root());
  if (error.where.starts_with('/')) error.where[0] = '?';
  return std::unexpected(std::move(error));
}

}  // namespace parley::gateway::http
