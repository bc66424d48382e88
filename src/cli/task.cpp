// `parley task`: who works on what, how it stands, and who may do what next.
#include <algorithm>
#include <chrono>
#include <ostream>

#include "base/clock.hpp"
#include "base/joined.hpp"
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct TaskOptions {
  Online online;
  std::string task_id, agent;
  std::string state = "all";
  Part part;
  std::uint32_t epoch = 1;
  std::vector<std::string> task_ids;
  std::string until = "all";
  std::optional<base::Duration> timeout;
  base::Duration time{};
  std::string reason, error_type, suggested = "retry";
  bool final = false, cleanup = false, soft = false;
  std::vector<std::string> on;
};

const Row unlisted{"assignments", "legal_next", "profile", "heard_at"};

base::Result<Exit> list_tasks(Context& context, const TaskOptions& options) {
  return show_list(context, options.online, {"tasks"}, options.part,
                   {{"state", unless_all(options.state)}, {"agent", options.agent}}, unlisted);
}

base::Result<Exit> show_task(Context& context, const TaskOptions& options) {
  return show_one(context, options.online, {"tasks", options.task_id});
}

// Exit status 1 where it is not to be acted upon any more, so that a script stops there.
base::Result<Exit> check_task(Context& context, const TaskOptions& options) {
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

base::Result<Exit> show_awaited(Context& context, const sdk::Reply& reply, json::Value tasks) {
  if (context.json) return show(context, reply);
  return show(context, sdk::Reply{200, R"({"items":)" + json::to_text(tasks) + '}'}, unlisted);
}

// Exit status 1 where one of them is over without success. Where the time is over that is an error, as in `parley
// wait`.
base::Result<Exit> wait_for(Context& context, const TaskOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  sdk::Workspace workspace(server.client, server.workspace);
  base::SystemClock clock;
  const base::Duration start = clock.monotonic();
  bool reached = false;  // the first look does not wait: a server that never was there is told at once
  while (true) {
    const base::Duration left = options.timeout ? start + *options.timeout - clock.monotonic() : poll_time;
    const auto reply = workspace.wait_for_tasks(
        options.task_ids, options.until, reached ? std::clamp(left, base::Duration{}, poll_time) : base::Duration{});
    if (!reply && !(reached && is_passing(reply.error()) && left > base::Duration{}))
      return std::unexpected(reply.error());
    if (!reply) {
      reconnect(options.online, server);
      continue;
    }
    reached = true;
    PARLEY_TRY(const auto document, json::Document::parse(reply->body));
    const bool done = document.root().find("done").if_bool().value_or(false);
    if (!done && left > base::Duration{}) continue;
    const json::Value tasks = document.root().find("tasks");
    if (!done && !context.json) PARLEY_CHECK(show_awaited(context, *reply, tasks));
    if (!done)
      return base::fail(base::ErrorCode::REQUEST_TIMEOUT, "not over in " + base::to_text(*options.timeout),
                        base::joined(options.task_ids), "Wait again, or longer with --timeout.");
    PARLEY_TRY(const Exit shown, show_awaited(context, *reply, tasks));
    return document.root().find("failed").if_uint() == 0 ? shown : Exit::refused;
  }
}

base::Result<Exit> post(Context& context, const TaskOptions& options, std::string_view what, std::string_view body) {
  PARLEY_TRY(auto server, connect(options.online));
  return show(context, server.client.post(sdk::path_of(server.workspace, {"tasks", options.task_id, what}), body),
              unlisted);
}

base::Result<Exit> extend(Context& context, const TaskOptions& options) {
  std::string body;
  json::Writer(body)
      .begin_object()
      .member("timeout_seconds", std::chrono::duration<double>(options.time).count())
      .member("reason", options.reason)
      .end_object();
  return post(context, options, "extend", body);
}

base::Result<Exit> report(Context& context, const TaskOptions& options) {
  std::string body;
  json::Writer(body)
      .begin_object()
      .member("error_type", options.error_type)
      .member("error_message", options.reason)
      .member("recoverable", !options.final)
      .member("suggested_action", options.suggested)
      .end_object();
  return post(context, options, "errors", body);
}

base::Result<Exit> abort(Context& context, const TaskOptions& options) {
  std::string body;
  json::Writer(body)
      .begin_object()
      .member("reason", options.reason)
      .member("cleanup_required", options.cleanup)
      .end_object();
  return post(context, options, "abort", body);
}

// In place of what it depended on in this way.
base::Result<Exit> depends(Context& context, const TaskOptions& options) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object();
  write_texts(writer, "depends_on", options.on);
  writer.member("dependency_type", std::string_view(options.soft ? "soft" : "hard")).end_object();
  PARLEY_TRY(auto server, connect(options.online));
  return show(context,
              server.client.put(sdk::path_of(server.workspace, {"tasks", options.task_id, "dependencies"}), body));
}

}  // namespace

Verb task_verb() {
  auto options = std::make_shared<TaskOptions>();
  const auto common = admin_or_agent_options(options->online);
  const auto bound = bound_to(options);
  return {
      .name = "task",
      .summary = "List, show, await, extend and abort tasks; set dependencies; check an order",
      .examples = {"parley task list --state stalled", "parley task show TASK_ID"},
      .verbs = {
          {.name = "list",
           .summary = "List the tasks of the workspace",
           .options =
               std::vector<Option>{{"--state STATE",
                                    "only those in this state",
                                    &options->state,
                                    false,
                                    {"all", "waiting", "blocked", "in_parts", "escalated", "assigned", "active",
                                     "stalled", "completed", "partial", "failed", "aborted", "held", "postponed",
                                     "in_review", "changes_requested", "planning"}},
                                   {"--agent NAME", "only those this agent assigned or works on", &options->agent}} +
               part_options(options->part) + common,
           .run = bound(list_tasks)},
          {.name = "show",
           .summary = "Show one task, and who may send what about it",
           .options = std::vector<Option>{{"task_id", "id of the task", &options->task_id, true}} + common,
           .run = bound(show_task)},
          {.name = "check",
           .summary = "Ask whether an order is still to be acted upon",
           .options = std::vector<Option>{{"task_id", "id of the task", &options->task_id, true},
                                          {"--epoch", "the task_epoch of the delivery that brought the order",
                                           &options->epoch}} +
                      common,
           .run = bound(check_task)},
          {.name = "depends",
           .summary = "Set what a task waits for (replaces the earlier list; without --on: nothing)",
           .examples = {"parley task depends task-3 --on task-1 --on task-2",
                        "parley task depends task-3 --on task-0 --soft"},
           .options =
               std::vector<Option>{{"task_id", "id of the task, which may be assigned later", &options->task_id, true},
                                   {"--on TASK_ID", "a task that must be completed first", &options->on},
                                   {"--soft", "do not wait for it; only tell the assignee its state", &options->soft}} +
               common,
           .run = bound(depends)},
          {.name = "extend",
           .summary = "Give a task more time, counted from now",
           .options = std::vector<Option>{{"task_id", "id of the task", &options->task_id, true},
                                          {"time", "how much", &options->time, true},
                                          {"--reason", "why", &options->reason}} +
                      common,
           .run = bound(extend)},
          {.name = "error",
           .summary = "Report that work on a task went wrong",
           .options = std::vector<Option>{{"task_id", "id of the task", &options->task_id, true},
                                          {"type",
                                           "what went wrong",
                                           &options->error_type,
                                           true,
                                           {"timeout", "exception", "scope_violation", "resource_limit"}},
                                          {"--message", "in words", &options->reason},
                                          {"--final", "another attempt would fail as well", &options->final},
                                          {"--suggest WORD",
                                           "what should be done",
                                           &options->suggested,
                                           false,
                                           {"retry", "reassign", "abort", "manual"}}} +
                      common,
           .run = bound(report)},
          {.name = "abort",
           .summary = "End a task",
           .options = std::vector<Option>{{"task_id", "id of the task", &options->task_id, true},
                                          {"--reason", "why", &options->reason},
                                          {"--cleanup", "what was done so far must be undone", &options->cleanup}} +
                      common,
           .run = bound(abort)},
          {.name = "wait",
           .summary = "Wait until tasks are over; fails where one of them did",
           .examples = {"parley task wait task-1 task-2 --until first_failure --timeout 20m"},
           .options =
               std::vector<Option>{
                   {"task_id", "ids of the tasks", &options->task_ids, true},
                   {"--until WORD", "what to wait for", &options->until, false, {"all", "any", "first_failure"}},
                   {"--timeout", "give up after this long: REQUEST_TIMEOUT, exit status 1 (default: never)",
                    &options->timeout}} +
               common,
           .run = bound(wait_for)}}};
}

}  // namespace parley::cli
