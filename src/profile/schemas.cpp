#include "profile/schemas.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "json/parser.hpp"
#include "profile/embedded.hpp"
#include "profile/files.hpp"

namespace parley::profile {
namespace {

constexpr std::size_t problems_max = 50;

// The file's own $id; a file without one goes by its name.
std::string uri_of(std::string_view path, std::string_view bytes) {
  const auto document = json::Document::parse(bytes);
  const auto id = document ? document->root().find("$id").if_string() : std::nullopt;
  return std::string(id ? *id : path.substr(schemas_folder.size()));
}

schema::Program compile_embedded(std::string_view path) {
  const auto files = embedded_files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& f) { return f.path == path; });
  PARLEY_ASSERT(file != files.end());
  auto program = schema::compile(file->bytes);
  PARLEY_ASSERT(program.has_value());
  return *program;
}

std::vector<base::Problem> explain(const schema::Program& program, json::Value value) {
  if (program.accepts(value)) return {};
  return program.explain(value, {problems_max, false});
}

}  // namespace

Schemas::Schemas(const Files& files) : files_(files) {
  for (const auto& [path, bytes] : files) {
    if (!is_schema(path) || !filled_) continue;
    filled_ = registry_.add(uri_of(path, bytes), bytes);
    if (!filled_) filled_.error().where = path + '#' + filled_.error().where;
  }
}

base::Result<schema::Program> Schemas::compile(const std::string& path) const {
  PARLEY_CHECK(filled_);
  const auto file = files_.find(path);
  if (file == files_.end()) return base::fail(base::ErrorCode::SCHEMA_INVALID, "The profile has no such file", path);
  schema::CompileOptions options;
  options.base_uri = uri_of(path, file->second);
  options.assert_formats = true;
  return schema::compile(std::string_view(file->second), registry_, options);
}

std::vector<base::Problem> explain_profile(json::Value description) {
  static const schema::Program program = compile_embedded("profiles/profile.schema.json");
  return explain(program, description);
}

std::vector<base::Problem> explain_story(json::Value story) {
  static const schema::Program program = compile_embedded("profiles/story.schema.json");
  return explain(program, story);
}

}  // namespace parley::profile
