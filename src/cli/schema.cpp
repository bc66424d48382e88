// `parley schema`: the profiles, and the schemas of their types and records, offline; `parley schema lint` checks a
// profile's folder.
#include <algorithm>
#include <ostream>

#include "base/joined.hpp"
#include "cli/errors.hpp"
#include "cli/named_schemas.hpp"
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
  std::string name;
  bool example = false;
};

constexpr std::string_view record_kind = "record";

base::Result<json::Document> description_of(const std::string& profile) {
  const auto files = profile::built_in_files(profile);
  const auto found = files.find("profile.json");
  if (found != files.end()) return json::Document::parse(found->second, profile_file_limits);
  auto error = base::fail(base::ErrorCode::PROFILE_UNKNOWN, "no built-in profile is named \"" + profile + "\"");
  error.error().legal_next = profile::built_in_names();
  return error;
}

std::string words_of(json::Value words) {
  const std::string text = base::joined(words.elements(), [](json::Value word) { return cell_of(word); });
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

// A type as profile.json has it; a variant with its name and kind, whatever it leaves out; a record as of that kind.
void write_listed(json::Writer& out, const NamedSchema& named) {
  out.begin_object().member("name", named.name);
  if (named.is_record())
    out.member("kind", record_kind);
  else
    out.member("kind", named.find("kind"));
  for (const auto [key, value] : named.entry.members())
    if (key != "name" && key != "kind") out.member(key, value);
  out.end_object();
}

// A record has no words in profile.json.
std::string title_of(const NamedSchema& named, const profile::Files& files) {
  if (const auto title = named.find("title")) return cell_of(title);
  const auto file = files.find(named.file);
  if (file == files.end()) return {};
  const auto schema = json::Document::parse(file->second, profile_file_limits);
  return schema ? cell_of(schema->root().find("title")) : std::string();
}

Row row_of(const NamedSchema& named, const profile::Files& files) {
  const bool is_record = named.is_record();
  return {named.name,
          is_record ? std::string(record_kind) : cell_of(named.find("kind")),
          is_record ? "" : words_of(named.find("from")),
          is_record ? "" : words_of(named.find("to")),
          title_of(named, files),
          cell_of(named.find("source"))};
}

base::Result<Exit> list_schemas(Context& context, const std::string& profile) {
  PARLEY_TRY(const auto document, description_of(profile));
  const auto files = profile::built_in_files(profile);
  std::string text;
  json::Writer out(text);
  std::vector<Row> rows;
  out.begin_object().key("items").begin_array();
  for (const NamedSchema& named : named_schemas(document.root())) {
    write_listed(out, named);
    rows.push_back(row_of(named, files));
  }
  out.end_array().end_object();
  if (context.json)
    print_json(context.terminal, text);
  else
    print_table(context.terminal.out, {"NAME", "KIND", "FROM", "TO", "TITLE", "SOURCE"}, rows,
                context.terminal.out_is_tty);
  return Exit::done;
}

base::Result<Exit> print_schema(Context& context, const SchemaOptions& options) {
  PARLEY_TRY(const auto document, description_of(options.profile));
  const auto all = named_schemas(document.root());
  const auto named = std::ranges::find(all, options.name, &NamedSchema::name);
  if (named == all.end()) {
    auto error =
        base::fail(base::ErrorCode::TYPE_UNKNOWN,
                   "\"" + options.profile + "\" has no type or record \"" + options.name + "\"", options.profile);
    for (const auto& other : all) error.error().legal_next.push_back(other.name);
    return error;
  }
  const auto files = profile::built_in_files(options.profile);
  PARLEY_TRY(const auto text, options.example ? example_of(*named, files) : whole_schema(named->file, files));
  PARLEY_TRY(const auto shown, json::Document::parse(text, profile_file_limits));
  print_json(context.terminal, json::to_text(shown.root(), context.json ? 0 : 2));
  return Exit::done;
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
  if (options.example && (options.name.empty() || options.profile == "lint"))
    return misuse("an example is one of a profile's type or record", "Write `parley schema PROFILE NAME --example`.");
  if (options.profile.empty()) return list_profiles(context);
  if (options.profile == "lint") {
    if (!options.name.empty()) return lint(context, options.name);
    return misuse("`parley schema lint` needs the profile's folder");
  }
  return options.name.empty() ? list_schemas(context, options.profile) : print_schema(context, options);
}

}  // namespace

Verb schema_verb() {
  auto options = std::make_shared<SchemaOptions>();
  return {
      .name = "schema",
      .summary = "Show profiles, types, schemas and examples; lint a profile's folder",
      .examples = {"parley schema", "parley schema collab", "parley schema collab task_assignment",
                   "parley schema collab task_assignment --example", "parley schema handoff SharedState",
                   "parley schema lint my-profile/"},
      .options = {{"profile", "a profile; or `lint` and then a folder", &options->profile},
                  {"name", "a type or a record of it, as it lists them: the whole schema is printed", &options->name},
                  {"--example", "print an example instead", &options->example}},
      .run = [options](Context& context) { return schema(context, *options); }};
}

}  // namespace parley::cli
