// `parley task`: who works on what, how it stands, and who may do what next.
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct TaskOptions {
  Online online;
  std::string task_id, state, agent;
  std::uint32_t limit = 100;
  std::uint32_t epoch = 1;
};

base::Result<Exit> list(Context& context, const TaskOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  std::string path = sdk::path_of(server.workspace, {"tasks"});
  char before = '?';
  for (const auto& [name, value] : {std::pair("state", &options.state), std::pair("agent", &options.agent)})
    if (!value->empty()) path += std::exchange(before, '&') + std::string(name) + '=' + sdk::escape(*value);
  PARLEY_TRY(auto text, all_pages(server.client, path, options.limit));
  return show(context, sdk::Reply{200, std::move(text)}, {"assignments", "legal_next", "profile", "heard_at"});
}

base::Result<Exit> show_one(Context& context, const TaskOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  return show(context, server.client.get(sdk::path_of(server.workspace, {"tasks", options.task_id})));
}

// Exit status 1 where it is not to be acted upon any more, so that a script stops there.
base::Result<Exit> check(Context& context, const TaskOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  std::string body;
  json::Writer(body).begin_object().member("epoch", options.epoch).end_object();
  PARLEY_TRY(const auto reply,
             server.client.post(sdk::path_of(server.workspace, {"tasks", options.task_id, "check"}), body));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body));
  const bool current = document.root().find("status").if_string() == "current";
  PARLEY_TRY(const Exit shown, show(context, reply));
  return current ? shown : Exit::refused;
}

}  // namespace

Verb task_verb() {
  auto options = std::make_shared<TaskOptions>();
  const auto common =
      std::vector<Option>{{"--as", "the agent to act as (else the admin)", &options->online.wanted.agent}} +
      workspace_options(options->online);
  const auto bound = [options](auto what) { return [options, what](Context& c) { return what(c, *options); }; };
  return {
      .name = "task",
      .summary = "List tasks, look at one, ask whether an order is current",
      .examples = {"parley task list --state stalled", "parley task show TASK_ID"},
      .verbs = {{.name = "list",
                 .summary = "List the tasks of the workspace",
                 .options = std::vector<Option>{{"--state", "only those in this state", &options->state},
                                                {"--agent", "only those it assigned or works on", &options->agent},
                                                {"-n,--limit", "how many at most", &options->limit}} +
                            common,
                 .run = bound(list)},
                {.name = "show",
                 .summary = "Show one task, and who may send what about it",
                 .options = std::vector<Option>{{"task_id", "as it was assigned", &options->task_id, true}} + common,
                 .run = bound(show_one)},
                {.name = "check",
                 .summary = "Ask whether an order is still to be acted upon",
                 .options = std::vector<Option>{{"task_id", "as it was assigned", &options->task_id, true},
                                                {"--epoch", "the frame's task_epoch", &options->epoch}} +
                            common,
                 .run = bound(check)}}};
}

}  // namespace parley::cli
