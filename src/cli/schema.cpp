// `parley schema`: the profiles, their types and their schemas, offline; `parley schema lint` checks a profile's
// folder.
#include <algorithm>
#include <map>
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
  bool example = false;
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

// The files of the profile that a schema refers to, and those that these refer to.
void add_referred(json::Value value, const profile::Files& files, std::map<std::string, json::Document>& into) {
  for (const auto element : value.elements()) add_referred(element, files, into);
  for (const auto [key, member] : value.members()) {
    add_referred(member, files, into);
    const std::string_view reference = key == "$ref" ? member.if_string().value_or("") : "";
    const std::string name(reference.substr(0, reference.find('#')));
    const auto file = files.find(std::string(profile::schemas_folder) + name);
    if (name.empty() || file == files.end() || into.contains(name)) continue;
    auto document = json::Document::parse(file->second, file_limits);
    if (!document) continue;
    const auto at = into.emplace(name, std::move(*document)).first;
    add_referred(at->second.root(), files, into);
  }
}

// With what it refers to among its `$defs`: each keeps its `$id`, by which references find it (JSON Schema 2020-12,
// §9.3), so that a validator needs nothing else.
std::string bundled(json::Value schema, const profile::Files& files) {
  std::map<std::string, json::Document> referred;
  add_referred(schema, files, referred);
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto [key, value] : schema.members())
    if (key != "$defs") out.member(key, value);
  out.key("$defs").begin_object();
  for (const auto [key, value] : schema.find("$defs").members()) out.member(key, value);
  for (const auto& [name, document] : referred) out.member(name, document.root());
  out.end_object().end_object();
  return text;
}

// The plain one, or the first variant.
base::Result<std::string> example_of(const SchemaOptions& options, const profile::Files& files) {
  for (const std::string ending : {".json", "."}) {
    const std::string wanted = "examples/" + options.type + ending;
    if (const auto found = files.lower_bound(wanted); found != files.end() && found->first.starts_with(wanted))
      return found->second;
  }
  return base::fail(base::ErrorCode::NOT_FOUND, "there is no example of a \"" + options.type + "\"", options.profile,
                    "`parley schema PROFILE TYPE` prints its schema.");
}

base::Result<Exit> print_type(Context& context, const SchemaOptions& options) {
  PARLEY_TRY(const auto document, description_of(options.profile));
  const auto files = profile::built_in_files(options.profile);
  std::vector<std::string> names;
  for (const auto type : document.root().find("types").elements()) {
    names.emplace_back(type.find("name").if_string().value_or(""));
    if (names.back() != options.type) continue;
    const auto file = files.find(type.find("schema").if_string().value_or(""));
    if (file == files.end()) continue;
    PARLEY_TRY(const auto schema, json::Document::parse(file->second, file_limits));
    std::string text = bundled(schema.root(), files);
    if (options.example) {
      PARLEY_TRY(text, example_of(options, files));
    }
    PARLEY_TRY(const auto shown, json::Document::parse(text, file_limits));
    print_json(context.terminal, json::to_text(shown.root(), context.json ? 0 : 2));
    return Exit::done;
  }
  auto error = base::fail(base::ErrorCode::TYPE_UNKNOWN,
                          "\"" + options.profile + "\" has no type \"" + options.type + "\"", options.profile);
  error.error().legal_next = std::move(names);
  return error;
}

base::Result<Exit> lint(Context& context, const std::string& folder) {
  const auto files = profile::read_folder(folder);
  if (!files && files.error().details.empty()) return std::unexpected(files.error());
  auto defects = files ? profile::lint(*files) : files.error().details;
  if (!defects.empty()) {
    auto error = base::fail(base::ErrorCode::PROFILE_INVALID,
                            std::to_string(defects.size()) + (defects.size() == 1 ? " defect" : " defects"), folder,
                            "Mend each place; docs/internals/profile-format.md says what is expected.");
    error.error().details = std::move(defects);
    return error;
  }
  PARLEY_TRY(const auto rules, profile::load(*files));
  if (context.json)
    print_json(context.terminal, R"({"defects":[]})");
  else
    context.terminal.out << coloured("in order", Colour::green, context.terminal.out_is_tty) << "  " << rules->name
                         << " " << rules->version << ", " << rules->types.size() << " types and variants\n";
  return Exit::done;
}

base::Result<Exit> schema(Context& context, const SchemaOptions& options) {
  if (options.example && (options.type.empty() || options.profile == "lint"))
    return misuse("an example is one of a profile's type", "Write `parley schema PROFILE TYPE --example`.");
  if (options.profile.empty()) return list_profiles(context);
  if (options.profile == "lint") {
    if (!options.type.empty()) return lint(context, options.type);
    return misuse("`parley schema lint` needs the profile's folder");
  }
  return options.type.empty() ? list_types(context, options.profile) : print_type(context, options);
}

}  // namespace

Verb schema_verb() {
  auto options = std::make_shared<SchemaOptions>();
  return {.name = "schema",
          .summary = "Show profiles, types, schemas and examples; lint a profile's folder",
          .examples = {"parley schema", "parley schema collab", "parley schema collab task_assignment",
                       "parley schema collab task_assignment --example", "parley schema lint my-profile/"},
          .options = {{"profile", "a profile; or `lint` and then a folder", &options->profile},
                      {"type", "a type of it: its whole schema is printed", &options->type},
                      {"--example", "print an example of the type instead", &options->example}},
          .run = [options](Context& context) { return schema(context, *options); }};
}

}  // namespace parley::cli
