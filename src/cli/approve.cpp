// `parley approve`: what agents ask humans to decide: list it, look at it, decide it. A decision is about what was
// shown: its hash goes along, and another content is refused.
#include <ostream>

#include "cli/contents.hpp"
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct ApproveOptions {
  Online online{.wanted = {.prefers_person = true}};
  std::string id, rationale, shown, action;
  std::string state = "waiting";
  Part part;
};

std::string path_of(const Connected& server, const ApproveOptions& options) {
  return sdk::path_of(server.workspace, {"approvals", options.id});
}

base::Result<Exit> list_approvals(Context& context, const ApproveOptions& options) {
  return show_list(context, options.online, {"approvals"}, options.part, {{"state", unless_all(options.state)}},
                   {"message", "shown", "offset", "options", "opened_at", "timeout", "decision", "task"});
}

// What there is to know, then the message as the agent wrote it.
void print_approval(const Terminal& terminal, json::Value approval) {
  std::string known;
  json::Writer writer(known);
  writer.begin_object();
  for (const auto [name, value] : approval.members())
    if (name != "message") writer.member(name, value);
  writer.end_object();
  if (const auto document = json::Document::parse(known)) print_members(terminal, document->root());
  terminal.out << printable_json(json::to_text(approval.find("message"), 2)) << '\n';
}

base::Result<Exit> show_approval(Context& context, const ApproveOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  PARLEY_TRY(const auto reply, server.client.get(path_of(server, options)));
  if (context.json) return show(context, reply);
  PARLEY_TRY(const auto document, json::Document::parse(reply.body, answer_limits));
  print_approval(context.terminal, document.root());
  return Exit::done;
}

std::string decision_of(const ApproveOptions& options, std::string_view decision, std::string_view shown,
                        std::string_view action) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("decision", decision).member("rationale", options.rationale).member("shown", shown);
  if (!action.empty()) writer.key("modified_action").raw(action);
  writer.end_object();
  return body;
}

// Without --shown it is about what is printed now; to who reads JSON nothing is.
base::Result<Exit> decide(Context& context, const ApproveOptions& options, std::string_view decision,
                          const std::string& action = {}) {
  if (context.json && options.shown.empty())
    return misuse("with --json a decision names what was seen",
                  "Add --shown HASH, with the `shown` of `parley approve show " + options.id + " --json`.");
  PARLEY_TRY(auto server, connect(options.online));
  std::string shown = options.shown;
  if (shown.empty()) {
    PARLEY_TRY(const auto reply, server.client.get(path_of(server, options)));
    PARLEY_TRY(const auto document, json::Document::parse(reply.body, answer_limits));
    shown = document.root().find("shown").if_string().value_or("");
    print_approval(context.terminal, document.root());
    if (!flush(context.terminal)) return Exit::refused;  // nobody has seen it
  }
  const auto reply =
      server.client.post(path_of(server, options) + "/decision", decision_of(options, decision, shown, action));
  if (!reply || context.json) return show(context, reply);
  PARLEY_TRY(const auto document, json::Document::parse(reply->body, answer_limits));
  context.terminal.out << coloured(printable(document.root().find("state").if_string().value_or("")), Colour::strong,
                                   context.terminal.out_is_tty)
                       << "  " << printable(options.id) << '\n';
  return Exit::done;
}

// JSON on the command line, or @FILE.
base::Result<Exit> modify(Context& context, const ApproveOptions& options) {
  std::string action = options.action;
  if (action.starts_with('@')) {
    PARLEY_TRY(action, contents_of(action.substr(1)));
  }
  if (const auto document = json::Document::parse(action); !document || !document->root().is_object())
    return misuse("--action: the changed action is no JSON object",
                  "Write it as '{\"action_type\": …}', or name a file with it as @FILE.");
  return decide(context, options, "modify", action);
}

}  // namespace

Verb approve_verb() {
  auto options = std::make_shared<ApproveOptions>();
  const auto common = std::vector<Option>{{"--as NAME", "the person to act as; the token is kept in the data folder",
                                           &options->online.wanted.agent}} +
                      workspace_options(options->online);
  const Option id{"approval_id", "as the list shows it", &options->id, true};
  const std::vector<Option> why{
      id,
      {"--rationale", "why, in a sentence; the agents see it, and the log keeps it", &options->rationale, true},
      {"--shown HASH",
       "hash of what you saw, from `show` (default: of what is printed now; with --json it must be given)",
       &options->shown}};
  const auto bound = bound_to(options);
  return {
      .name = "approve",
      .summary = "Decide what agents ask for: list, show, approve, reject or modify",
      .examples = {"parley approve list", "parley approve yes APPROVAL_ID --as ada --rationale \"Same crash indeed\""},
      .verbs = {{.name = "list",
                 .summary = "List what waits for a decision",
                 .options = std::vector<Option>{{"--state STATE",
                                                 "only those in this state",
                                                 &options->state,
                                                 false,
                                                 {"waiting", "all", "open", "escalated", "approved", "rejected",
                                                  "modified", "lapsed", "withdrawn"}}} +
                            part_options(options->part) + common,
                 .run = bound(list_approvals)},
                {.name = "show",
                 .summary = "Show one approval, with the message that asks",
                 .options = std::vector<Option>{id} + common,
                 .run = bound(show_approval)},
                {.name = "yes",
                 .summary = "Approve what is proposed",
                 .examples = {"parley approve yes APPROVAL_ID --as ada --rationale \"Same crash indeed\""},
                 .options = why + common,
                 .run = bound([](Context& c, const ApproveOptions& o) { return decide(c, o, "approve"); })},
                {.name = "no",
                 .summary = "Reject what is proposed",
                 .examples = {"parley approve no APPROVAL_ID --as ada --rationale \"They are two crashes\""},
                 .options = why + common,
                 .run = bound([](Context& c, const ApproveOptions& o) { return decide(c, o, "reject"); })},
                {.name = "modify",
                 .summary = "Approve a changed action instead of the proposed one",
                 .examples =
                     {"parley approve modify APPROVAL_ID --as ada --rationale \"Say it kindly\" --action @action.json"},
                 .options = why +
                            std::vector<Option>{
                                {"--action JSON",
                                 "the changed action (for a held message: a JSON merge patch), as JSON or @FILE",
                                 &options->action, true}} +
                            common,
                 .run = bound(modify)}}};
}

}  // namespace parley::cli
