// A schema file names itself, says what it describes, and serves a type, a record, or others by $ref.
#include <algorithm>

#include "profile/lint/lint_rules.hpp"

namespace parley::profile::lint_rules {
namespace {

bool is_used(const Subject& subject, const std::string& path) {
  const auto& compiled = subject.reading().schema_files;
  if (std::find(compiled.begin(), compiled.end(), path) != compiled.end()) return true;
  const std::string reference = '"' + path.substr(schemas_folder.size()) + '#';
  return std::any_of(subject.files.begin(), subject.files.end(),
                     [&](const auto& file) { return file.second.find(reference) != std::string::npos; });
}

}  // namespace

void schema_files(const Subject& subject, Problems& problems) {
  const std::string base = "https://parley.dev/profiles/" + subject.rules.name + '/' +
                           subject.rules.version.substr(0, subject.rules.version.find('.')) + '/';
  for (const auto& [path, bytes] : subject.files) {
    if (!is_schema(path)) continue;
    const auto document = json::Document::parse(bytes);
    if (!document) continue;  // loading has said so, if it is used
    const json::Value root = document->root();
    if (root.find("$id").if_string() != base + path.substr(schemas_folder.size()))
      problems.add(path, "/$id", "schema_files", "The $id is not " + base + path.substr(schemas_folder.size()));
    for (const std::string_view key : {"title", "description"})
      if (root.find(key).if_string().value_or(std::string_view()).empty())
        problems.add(path, "", "schema_files", "The schema has no " + std::string(key));
    if (!is_used(subject, path)) problems.add(path, "", "schema_files", "No type, record or schema uses this file");
  }
}

}  // namespace parley::profile::lint_rules
