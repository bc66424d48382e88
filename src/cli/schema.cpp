// `parley schema`: the profiles, their types and their schemas, offline; `parley schema lint` checks a profile's
// folder.
#include <algorithm>
#include <ostream>

#include "cli/errors.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/files.hpp"
#include "profile/lint.hpp"
#include "profile/load.hpp"
#include "profile/ruleset.hpp"

namespace parley::cli {
namespace {

struct SchemaOptions {
  std::string profile;
  std::string type;
};

constexpr json::Limits file_limits{.bytes = 16 << 20};

base::Result<json::Document> description_of(const std::string& profile) {
  const auto files = profile::built_in_files(profile);
  const auto found = files.find("profile.json");
  if (found != files.end()) return json::Document::parse(found->second, file_limits);
  auto error = base::fail(base::ErrorCode::PROFILE_UNKNOWN, "no built-in profile is named \"" + profile + "\"");
  error.error().legal_next = profile::built_in_names();
  return error;
}

std::string joined(json::Value words) {
  std::string text;
  for (const auto word : words.elements()) text += (text.empty() ? "" : ", ") + cell_of(word);
  return text.empty() ? "any" : text;
}

base::Result<Exit> list_profiles(Context& context) {
  std::string text;
  json::Writer out(text);
  std::vector<Row> rows;
  out.begin_object().key("items").begin_array();
  for (const auto& name : profile::built_in_names()) {
    PARLEY_TRY(const auto document, description_of(name));
    const auto root = document.root();
    rows.push_back({name, cell_of(root.find("version")), std::to_string(root.find("types").size()),
                    cell_of(root.find("title")), cell_of(root.find("source"))});
    out.begin_object().member("profile", name);
    for (const auto member : {"version", "title", "source", "summary"}) out.member(member, root.find(member));
    out.key("types").begin_array();
    for (const auto type : root.find("types").elements()) out.value(type.find("name"));
    out.end_array().end_object();
  }
  out.end_array().end_object();
  if (context.json)
    print_json(context.terminal, text);
  else
    print_table(context.terminal.out, {"PROFILE", "VERSION", "TYPES", "TITLE", "SOURCE"}, rows,
                context.terminal.out_is_tty);
  return Exit::done;
}

base::Result<Exit> list_types(Context& context, const std::string& profile) {
  PARLEY_TRY(const auto document, description_of(profile));
  const auto types = document.root().find("types");
  if (context.json) {
    print_json(context.terminal, json::to_text(types));
    return Exit::done;
  }
  std::vector<Row> rows;
  for (const auto type : types.elements())
    rows.push_back({cell_of(type.find("name")), cell_of(type.find("kind")), joined(type.find("from")),
                    joined(type.find("to")), cell_of(type.find("title")), cell_of(type.find("source"))});
  print_table(context.terminal.out, {"TYPE", "KIND", "FROM", "TO", "TITLE", "SOURCE"}, rows,
              context.terminal.out_is_tty);
  return Exit::done;
}

base::Result<Exit> print_schema(Context& context, const SchemaOptions& options) {
  PARLEY_TRY(const auto document, description_of(options.profile));
  std::vector<std::string> names;
  for (const auto type : document.root().find("types").elements()) {
    names.emplace_back(type.find("name").if_string().value_or(""));
    if (names.back() != options.type) continue;
    const auto files = profile::built_in_files(options.profile);
    const auto schema = files.find(type.find("schema").if_string().value_or(""));
    if (schema == files.end()) continue;
    PARLEY_TRY(const auto text, json::Document::parse(schema->second, file_limits));
    print_json(context.terminal, json::to_text(text.root(), context.json ? 0 : 2));
    return Exit::done;
  }
  auto error = base::fail(base::ErrorCode::TYPE_UNKNOWN,
                          "\"" + options.profile + "\" has no type \"" + options.type + "\"", options.profile);
  error.error().legal_next = std::move(names);
  return error;
}

base::Result<Exit> lint(Context& context, const std::string& folder) {
  PARLEY_TRY(const auto files, profile::read_folder(folder));
  auto defects = profile::lint(files);
  if (!defects.empty()) {
    auto error = base::fail(base::ErrorCode::PROFILE_INVALID,
                            std::to_string(defects.size()) + (defects.size() == 1 ? " defect" : " defects"), folder,
                            "Mend each place; docs/internals/profile-format.md says what is expected.");
    error.error().details = std::move(defects);
    return error;
  }
  PARLEY_TRY(const auto rules, profile::load(files));
  if (context.json)
    print_json(context.terminal, R"({"defects":[]})");
  else
    context.terminal.out << coloured("in order", Colour::green, context.terminal.out_is_tty) << "  " << rules->name
                         << " " << rules->version << ", " << rules->types.size() << " types and variants\n";
  return Exit::done;
}

base::Result<Exit> schema(Context& context, const SchemaOptions& options) {
  if (options.profile.empty()) return list_profiles(context);
  if (options.profile == "lint") {
    if (!options.type.empty()) return lint(context, options.type);
    return misuse("`parley schema lint` needs the profile's folder");
  }
  return options.type.empty() ? list_types(context, options.profile) : print_schema(context, options);
}

}  // namespace

Verb schema_verb() {
  auto options = std::make_shared<SchemaOptions>();
  return {.name = "schema",
          .summary = "Show profiles, types and their schemas; lint a profile's folder",
          .examples = {"parley schema", "parley schema collab", "parley schema collab task_assignment",
                       "parley schema lint my-profile/"},
          .options = {{"profile", "a profile; or `lint`, then a folder", &options->profile},
                      {"type", "a type of it", &options->type}},
          .run = [options](Context& context) { return schema(context, *options); }};
}

}  // namespace parley::cli
