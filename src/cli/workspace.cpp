// `parley workspace`: make, list, show and change workspaces. Needs the admin's token.
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct WorkspaceOptions {
  Online online;
  Part part;
  std::string name;
  std::string validation;
  std::vector<std::string> profiles;
  std::vector<std::string> settings;
};

base::Result<std::string> body_of(const WorkspaceOptions& options, bool with_name) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  if (with_name) out.member("name", options.name);
  if (!options.validation.empty()) out.member("validation", options.validation);
  if (!options.profiles.empty()) write_texts(out, "profiles", options.profiles);
  if (!options.settings.empty()) {
    PARLEY_TRY(const auto settings, object_of(options.settings));
    out.key("settings").raw(settings);
  }
  out.end_object();
  return text;
}

// No profiles named means all there are.
void write_readable(json::Writer& out, json::Value workspace) {
  out.begin_object();
  for (const auto [name, value] : workspace.members())
    if (name == "profiles" && value.is_array() && value.size() == 0)
      out.member(name, std::string_view("all"));
    else
      out.member(name, value);
  out.end_object();
}

base::Result<Exit> show_readable(Context& context, const base::Result<sdk::Reply>& reply) {
  if (!reply || context.json) return show(context, reply);
  PARLEY_TRY(const auto document, json::Document::parse(reply->body, answer_limits));
  std::string text;
  json::Writer out(text);
  write_readable(out, document.root());
  return show(context, sdk::Reply{reply->status, std::move(text)});
}

base::Result<Exit> create(Context& context, const WorkspaceOptions& options) {
  PARLEY_TRY(const auto body, body_of(options, true));
  PARLEY_TRY(auto client, options.online.client());
  const auto reply = client.post("/v1/workspaces", body);
  if (!reply || context.json) return show(context, reply);
  const bool existed = reply->status == 200;  // just so
  context.terminal.out << printable(options.name) << (existed ? " is there already.\n" : " is made.\n")
                       << "  next   parley agent add NAME --profile PROFILE --workspace " << printable(options.name)
                       << '\n';
  return Exit::done;
}

base::Result<Exit> list_workspaces(Context& context, const WorkspaceOptions& options) {
  PARLEY_TRY(auto client, options.online.client());
  PARLEY_TRY(auto text, all_pages(client, "/v1/workspaces", options.part));
  if (context.json) return show(context, sdk::Reply{200, std::move(text)});
  PARLEY_TRY(const auto document, json::Document::parse(text, answer_limits));
  std::string readable;
  json::Writer out(readable);
  out.begin_object().key("items").begin_array();
  for (const auto workspace : document.root().find("items").elements()) write_readable(out, workspace);
  out.end_array().member("next", document.root().find("next")).end_object();
  return show(context, sdk::Reply{200, std::move(readable)}, {"settings"});
}

base::Result<Exit> show_workspace(Context& context, const WorkspaceOptions& options) {
  PARLEY_TRY(auto client, options.online.client());
  return show_readable(context, client.get(sdk::path_of(options.name)));
}

base::Result<Exit> set(Context& context, const WorkspaceOptions& options) {
  PARLEY_TRY(const auto body, body_of(options, false));
  PARLEY_TRY(auto client, options.online.client());
  return show_readable(context, client.patch(sdk::path_of(options.name), body));
}

std::vector<Option> properties(WorkspaceOptions& options) {
  return {{"name", "name of the workspace", &options.name, true},
          {"--validation WORD",
           "whether messages with defects are refused (strict) or accepted with warnings (lenient)",
           &options.validation,
           false,
           {"strict", "lenient"}},
          {"--profile NAME", "a profile that agents may speak; may be repeated (default: all built-in ones)",
           &options.profiles},
          {"--set NAME=VALUE", "a setting as name=value, the value JSON or text; may be repeated", &options.settings}};
}

// The names, as spec/api/openapi.json has them.
constexpr std::string_view settings_note =
    "Settings; docs/reference/http.md says what each means:\n"
    "  mailbox_messages, mailbox_bytes, recipients, remembered_ids, remembered_for, lease, sequence_back,\n"
    "  rate_messages, rate_window, kept_records, open_requests, review_timeout, review_escalation, unsigned_checks,\n"
    "  auto_revision, approvals, tasks, task_progress_after, task_progress_every, task_silence, heartbeat_every,\n"
    "  heartbeats_missed, breaker, loop_hops, loop_rounds, loop_messages, enabled_chains, risk_thresholds,\n"
    "  budget_limits\n";

}  // namespace

Verb workspace_verb() {
  auto options = std::make_shared<WorkspaceOptions>();
  const auto bound = bound_to(options);
  const auto server = server_options(options->online);
  return {.name = "workspace",
          .summary = "Make, list, show and change workspaces",
          .examples = {"parley workspace create demo", "parley workspace set demo --validation lenient"},
          .verbs = {{.name = "create",
                     .summary = "Make a workspace",
                     .examples = {"parley workspace create demo --validation lenient --profile collab"},
                     .options = properties(*options) + server,
                     .run = bound(create),
                     .notes = std::string(settings_note)},
                    {.name = "list",
                     .summary = "List the workspaces",
                     .options = part_options(options->part) + server,
                     .run = bound(list_workspaces)},
                    {.name = "show",
                     .summary = "Show one workspace",
                     .options = std::vector<Option>{{"name", "name of the workspace", &options->name, true}} + server,
                     .run = bound(show_workspace)},
                    {.name = "set",
                     .summary = "Change a workspace",
                     .examples = {"parley workspace set demo --set lease=60s"},
                     .options = properties(*options) + server,
                     .run = bound(set),
                     .notes = std::string(settings_note)}}};
}

}  // namespace parley::cli
