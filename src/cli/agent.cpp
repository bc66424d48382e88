// `parley agent`: register, list, show, change and remove agents; set their limits; renew their tokens.
#include <ostream>

#include "base/joined.hpp"
#include "cli/registration.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/files.hpp"
#include "profile/load.hpp"

namespace parley::cli {
namespace {

struct AgentOptions {
  Online online;
  Part part;
  std::string id;
  std::string profile;
  std::string type;
  std::string instance;
  std::string specialty;
  std::vector<std::string> capabilities;
  std::optional<std::uint32_t> max_load;
  std::optional<std::uint32_t> priority;
  base::Duration grace{};
  std::string resource, limit, expires;
  bool renew = false;
};

std::string body_of(const AgentOptions& options, bool with_id) {
  std::string text;
  json::Writer out(text);
  const auto put = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out.member(name, value);
  };
  out.begin_object();
  if (with_id) out.member("agent_id", options.id);
  put("profile", options.profile);
  put("agent_type", options.type);
  put("instance_id", options.instance);
  put("specialty", options.specialty);
  if (!options.capabilities.empty()) write_texts(out, "capabilities", options.capabilities);
  if (options.max_load) out.member("max_load", *options.max_load);
  if (options.priority) out.member("priority", *options.priority);
  out.end_object();
  return text;
}

// Who has no role, in a profile that lists them all, is registered and can send nothing.
void tell_of_roles(const Terminal& terminal, const AgentOptions& options) {
  const auto files = profile::built_in_files(options.profile);
  if (files.empty()) return;
  const auto rules = profile::load(files);
  if (!rules || (*rules)->roles.empty() || (*rules)->roles_open) return;
  if (!(*rules)->role_of_agent(options.id, options.type).empty()) return;
  terminal.out << "  " << coloured("role   ", Colour::faint, terminal.out_is_tty) << "none, so it can send nothing; "
               << options.profile << " has " << base::joined((*rules)->roles) << "\n  "
               << coloured("next   ", Colour::faint, terminal.out_is_tty) << "parley agent change "
               << printable(options.id) << " --type ROLE\n";
}

base::Result<Exit> add(Context& context, const AgentOptions& options) {
  auto exit = register_one(context, options.online, "agents", options.id, body_of(options, true));
  if (exit && *exit == Exit::done && !context.json) tell_of_roles(context.terminal, options);
  return exit;
}

// What it may use (HND-12). The limit goes out as it was written: it is a decimal, and counted exactly.
base::Result<Exit> allocate(Context& context, const AgentOptions& options) {
  const auto limit = json::Document::parse(options.limit.empty() ? "null" : options.limit);
  if (!limit || !(limit->root().is_null() || limit->root().if_double()))
    return misuse("--limit: '" + options.limit + "' is no number", "Write 200000, or 1.75.");
  std::string body;
  json::Writer out(body);
  out.begin_object().key("limit").raw(options.limit.empty() ? "null" : options.limit);
  if (!options.expires.empty()) out.member("expires_at", options.expires);
  out.member("renew", options.renew).end_object();
  PARLEY_TRY(auto server, connect(options.online));
  return show(
      context,
      server.client.put(sdk::path_of(server.workspace, {"agents", options.id, "allocations", options.resource}), body));
}

// What may be changed: the profile may not.
std::vector<Option> properties(AgentOptions& options) {
  return {{"--type ROLE", "its role in the profile (agent_type)", &options.type},
          {"--instance ID", "instance_id of the running process", &options.instance},
          {"--capability NAME", "what it can do; may be repeated", &options.capabilities},
          {"--specialty", "its specialty", &options.specialty},
          {"--max-load", "how many messages it works on at once", &options.max_load},
          {"--priority", "its rank among equally loaded agents of a capability: the lowest comes first",
           &options.priority}};
}

}  // namespace

Verb agent_verb() {
  auto options = std::make_shared<AgentOptions>();
  const auto common = workspace_options(options->online);
  const Option id{"agent_id", "the agent", &options->id, true};
  const std::vector<Option> new_one{
      {"agent_id", "its id, as its messages say", &options->id, true},
      {"--profile NAME", "the protocol it speaks; `parley schema` lists them", &options->profile, true}};
  return {
      .name = "agent",
      .summary = "Register, list, show, change and remove agents; set their limits; renew their tokens",
      .examples = {"parley agent add developer-01 --profile collab --type developer"},
      .verbs = {
          {.name = "add",
           .summary = "Register an agent and keep its token",
           .examples = {"parley agent add architect-main --profile collab --type architect"},
           .options = new_one + properties(*options) + common,
           .run = [options](Context& context) { return add(context, *options); }},
          {.name = "list",
           .summary = "List the agents",
           .options = part_options(options->part) + common,
           .run =
               [options](Context& context) { return show_list(context, options->online, {"agents"}, options->part); }},
          {.name = "show",
           .summary = "Show one agent: its health, its limits, and what it has used",
           .options = std::vector<Option>{id} + common,
           .run = [options](Context& context) { return show_one(context, options->online, {"agents", options->id}); }},
          {.name = "allocate",
           .summary = "Set how much of a resource an agent may use",
           .examples = {"parley agent allocate extractor-1 tokens --limit 200000 --expires \"$(date -u -d '+30 days' "
                        "+%FT%TZ)\"",
                        "parley agent allocate extractor-1 budget"},
           .options =
               std::vector<Option>{
                   id,
                   {"resource", "what is limited", &options->resource, true, {"tokens", "cpu", "memory", "budget"}},
                   {"--limit NUMBER", "the most it may use (default: no limit)", &options->limit},
                   {"--expires DATE-TIME", "RFC 3339 time at which the limit ends (default: never)", &options->expires},
                   {"--renew", "count from zero again", &options->renew}} +
               common,
           .run = [options](Context& context) { return allocate(context, *options); }},
          {.name = "change",
           .summary = "Change an agent's properties",
           .options = std::vector<Option>{id} + properties(*options) + common,
           .run =
               [options](Context& context) {
                 return change_one(context, options->online, "agents", options->id, body_of(*options, false));
               }},
          {.name = "remove",
           .summary = "Remove an agent",
           .options = std::vector<Option>{id} + common,
           .run = [options](Context& context) { return remove_one(context, options->online, "agents", options->id); }},
          {.name = "token",
           .summary = "Replace an agent's token",
           .options =
               std::vector<Option>{id, {"--grace", "how long the old one stays valid", &options->grace}} + common,
           .run = [options](Context& context) {
             return rotate_token(context, options->online, "agents", options->id, options->grace);
           }}}};
}

}  // namespace parley::cli
