// What parties ask of tasks by calls: that an attempt failed, more time, the end; mostly by whose it is to ask, and
// while there is something to ask for. And an architect that ends its session (COL-20). Whether it was right to do or
// refuse it the chronicle judges by itself (task_asked.cpp).
#include "json/writer.hpp"
#include "sim/workload.hpp"

namespace parley::sim {
namespace {

using Asked = TaskWord::Call;
using engine::TaskState;

constexpr std::string_view architect = "architect-main";

bool goes_on(const engine::Task& task) {
  return task.state == TaskState::assigned || task.state == TaskState::active || task.state == TaskState::stalled;
}

}  // namespace

std::uint64_t Workload::head_of(std::uint32_t workspace) {
  return world_.broker().engine().state().workspace(base::WorkspaceNumber(workspace)).head.value;
}

void Workload::ask_of_a_task() {
  const std::string& space = dice_.among(workspaces_);
  const auto number = world_.broker().engine().state().find_workspace(space);
  if (!number) return;
  const engine::Workspace& here = world_.broker().engine().state().workspace(*number);
  std::vector<const engine::Task*> some;
  for (const auto& [offset, task] : here.tasks.all())
    if (goes_on(*task) || dice_.one_in(8)) some.push_back(task.get());
  if (some.empty()) return;
  const engine::Task& task = *dice_.among(some);
  const std::uint64_t choice = dice_.below(16);
  const Asked call = choice < 12 ? Asked::report_error : choice < 15 ? Asked::extend : Asked::abort;
  const bool by_assignee = (call == Asked::report_error) != dice_.one_in(12);
  const auto& by = here.registry.agent(by_assignee ? task.assignee : task.assigner);
  if (const auto client = client_of(space, by.id)) ask(space, std::string(task.id.view()), *client, call);
}

std::string Workload::asked_with(Asked call) {
  static constexpr std::array<std::string_view, 6> types{"timeout",         "exception",      "exception",
                                                         "scope_violation", "resource_limit", "resource_limit"};
  static constexpr std::array<std::string_view, 7> actions{"retry", "retry",    "retry", "retry",
                                                           "retry", "reassign", "manual"};
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("reason", std::string_view("Simulated"));
  if (call == Asked::extend) writer.member("timeout_seconds", dice_.between(1, 900));
  if (call == Asked::report_error) {
    writer.member("error_type", dice_.among(types)).member("error_message", std::string_view("Simulated"));
    writer.member("recoverable", !dice_.one_in(4)).member("suggested_action", dice_.among(actions));
  }
  writer.end_object();
  return body;
}

void Workload::ask(const std::string& space, const std::string& task, std::size_t client, Asked call) {
  if (!clients_[client].active()) return;
  const broker::Caller& caller = *clients_[client].caller;
  const std::uint32_t number = workspace_number(clients_[client]);
  TaskWord word;
  word.call = call;
  word.task = task;
  word.sender = caller.agent.value;
  const std::uint64_t head = head_of(number);
  const auto body = json::Document::parse(asked_with(call));
  broker::Broker& broker = world_.broker();
  const auto done = call == Asked::report_error
                        ? broker.port().work.report_task_error(caller, space, task, body->root())
                    : call == Asked::extend ? broker.port().work.extend_task(caller, space, task, body->root())
                                            : broker.port().work.abort_task(caller, space, task, body->root());
  findings_.trace(std::string(call == Asked::report_error ? "an error"
                              : call == Asked::extend     ? "more time"
                                                          : "the end") +
                  " of task '" + task + "' by " + clients_[client].agent_id +
                  (done ? "" : ": " + done.error().message));
  if (done) return world_.chronicle().tasks().done(number, head, std::move(word));
  const base::ErrorCode code = done.error().code;
  if (code == base::ErrorCode::NOT_PARTY || code == base::ErrorCode::OUT_OF_SEQUENCE)
    return world_.chronicle().tasks().refused(number, head, std::move(word), code);
  if (!for_want_of_room(done.error())) findings_.wrong("COL-16: refused was a call: " + done.error().message);
}

void Workload::abort_session() {
  const std::string& space = dice_.among(workspaces_);
  const auto client = client_of(space, architect);
  if (!client || !clients_[*client].active()) return;
  Wish wish;
  Sending sending = begun(*client, natives_.example_named("collab", "abort.session.json"), wish);
  const std::string target = dice_.one_in(4) ? "elsewhere" : space;
  json::append_string(wish.edits["/payload/target_id"], target);
  write(sending, wish);
  findings_.trace("abort the session '" + target + "' " + sending.id);
  send(std::move(sending));
}

}  // namespace parley::sim
