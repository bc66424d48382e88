#include "gateway/http/bodies.hpp"

#include "base/assert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::gateway::http {
namespace {

constexpr std::string_view document_uri = "https://parley.dev/openapi.json";

// A schema by its place in the document, so that its own references into it are found.
base::Result<schema::Program> compile_at(const schema::Registry& registry, const std::string& pointer) {
  std::string reference;
  json::Writer(reference).begin_object().member("$ref", std::string(document_uri) + "#" + pointer).end_object();
  return schema::compile(reference, registry, {.assert_formats = true});
}

}  // namespace

Bodies::Bodies() {
  const auto document = json::Document::parse(openapi);
  PARLEY_ASSERT(document.has_value());
  schema::Registry registry;
  PARLEY_ASSERT(registry.add(document_uri, openapi).has_value());
  for (const auto [path, methods] : document->root().find("paths").members()) {
    for (const auto [method, operation] : methods.members()) {
      const json::Value schema = operation.at_pointer("/requestBody/content/application~1json/schema");
      if (!schema || operation.find("operationId").if_string() == "sendMessages") continue;
      std::string escaped;
      for (const char c : path) escaped += c == '/' ? "~1" : c == '{' ? "%7B" : c == '}' ? "%7D" : std::string(1, c);
      auto program = compile_at(
          registry, "/paths/" + escaped + "/" + std::string(method) + "/requestBody/content/application~1json/schema");
      PARLEY_ASSERT(program.has_value());
      programs_.emplace(operation.find("operationId").as_string(), std::move(*program));
    }
  }
}

base::Result<> Bodies::check(std::string_view operation, json::Value body) const {
  const auto program = programs_.find(operation);
  if (program == programs_.end() || program->second.accepts(body)) return {};
  base::Error error;
  error.code = base::ErrorCode::BAD_REQUEST;
  error.details = program->second.explain(body);
  error.message = "the body is not of the form that " + std::string(operation) + " takes";
  if (!error.details.empty()) {
    error.message += ": " + error.details.front().message;
    error.where = error.details.front().instance;
  }
  return std::unexpected(std::move(error));
}

}  // namespace parley::gateway::http
