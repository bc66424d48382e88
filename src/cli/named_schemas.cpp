#include "cli/named_schemas.hpp"

#include <map>

#include "json/writer.hpp"
#include "schema/program.hpp"

namespace parley::cli {
namespace {

std::string text_of(json::Value value) {
  return std::string(value.if_string().value_or(""));
}

// "schemas/task_handoff.schema.json" → "task_handoff"
std::string stem_of(const std::string& file) {
  if (!profile::is_schema(file)) return file;
  return file.substr(profile::schemas_folder.size(),
                     file.size() - profile::schemas_folder.size() - profile::schema_ending.size());
}

// The files of the profile that a schema refers to, and those that these refer to.
void add_referred(json::Value value, const profile::Files& files, std::map<std::string, json::Document>& into) {
  for (const auto element : value.elements()) add_referred(element, files, into);
  for (const auto [key, member] : value.members()) {
    add_referred(member, files, into);
    const std::string_view reference = key == "$ref" ? member.if_string().value_or("") : "";
    const std::string name(reference.substr(0, reference.find('#')));
    const auto file = files.find(std::string(profile::schemas_folder) + name);
    if (name.empty() || file == files.end() || into.contains(name)) continue;
    auto document = json::Document::parse(file->second, profile_file_limits);
    if (!document) continue;
    const auto at = into.emplace(name, std::move(*document)).first;
    add_referred(at->second.root(), files, into);
  }
}

}  // namespace

std::vector<NamedSchema> named_schemas(json::Value description) {
  std::vector<NamedSchema> all;
  for (const auto type : description.find("types").elements()) {
    const std::string name = text_of(type.find("name")), examples = "examples/" + name + '.';
    all.push_back({name, text_of(type.find("schema")), examples, type, {}});
    for (const auto variant : type.find("variants").elements())
      if (const std::string file = text_of(variant.find("schema")); !file.empty())
        all.push_back({stem_of(file), file, examples, variant, type});
  }
  for (const auto record : description.find("records").elements()) {
    const std::string file = text_of(record.find("schema"));
    all.push_back({text_of(record.find("name")), file, "examples/records/" + stem_of(file) + '.', record, {}});
  }
  return all;
}

base::Result<std::string> whole_schema(const std::string& file, const profile::Files& files) {
  const auto bytes = files.find(file);
  if (bytes == files.end()) return base::fail(base::ErrorCode::NOT_FOUND, "the profile has no such file", file);
  PARLEY_TRY(const auto schema, json::Document::parse(bytes->second, profile_file_limits));
  std::map<std::string, json::Document> referred;
  add_referred(schema.root(), files, referred);
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto [key, value] : schema.root().members())
    if (key != "$defs") out.member(key, value);
  out.key("$defs").begin_object();
  for (const auto [key, value] : schema.root().find("$defs").members()) out.member(key, value);
  for (const auto& [name, document] : referred) out.member(name, document.root());
  out.end_object().end_object();
  return text;
}

base::Result<std::string> example_of(const NamedSchema& named, const profile::Files& files) {
  PARLEY_TRY(const auto schema, whole_schema(named.file, files));
  PARLEY_TRY(const auto program, schema::compile(schema, schema::Registry{}, {.assert_formats = true}));
  const auto fits = [&](const std::string& bytes) {
    const auto example = json::Document::parse(bytes, profile_file_limits);
    return example && program.accepts(example->root());
  };
  const auto plain = files.find(named.examples + "json");
  if (plain != files.end() && fits(plain->second)) return plain->second;
  for (auto at = files.lower_bound(named.examples); at != files.end() && at->first.starts_with(named.examples); ++at)
    if (fits(at->second)) return at->second;
  return base::fail(base::ErrorCode::NOT_FOUND, "there is no example of \"" + named.name + "\"", named.file,
                    "`parley schema PROFILE NAME` prints its schema.");
}

}  // namespace parley::cli
