// What tasks depend on (R35, COL-10): set by whoever assigns them, read by every member.
#include "broker/dependencies.hpp"
#include "broker/named_task.hpp"
#include "broker/rights.hpp"
#include "broker/work_calls.hpp"
#include "engine/tasks/depend.hpp"

namespace parley::broker {
namespace {

base::Result<engine::SetDependencies> read(json::Value body, std::string_view task_id) {
  PARLEY_CHECK(check_named_task(body, task_id));
  engine::SetDependencies command;
  command.task = task_id;
  command.soft = body.find("dependency_type").if_string() == "soft";
  for (const json::Value id : body.find("depends_on").elements()) command.on.emplace_back(id.if_string().value_or(""));
  return command;
}

}  // namespace

base::Result<Answer> WorkCalls::dependencies(const Caller& caller, std::string_view workspace_name,
                                             std::string_view task_id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object().member("task_id", task_id);
  write_dependencies(writer, core_.state().workspace(number), task_id);
  writer.end_object();
  return answer;
}

base::Result<Answer> WorkCalls::set_dependencies(const Caller& caller, std::string_view workspace_name,
                                                 std::string_view task_id, json::Value body) {
  const Right right = caller.kind == Caller::Kind::agent ? Right::read : Right::manage;
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, right));
  PARLEY_TRY(engine::SetDependencies command, read(body, task_id));
  command.workspace = number;
  command.by = caller.agent;
  PARLEY_CHECK(core_.decide_for(caller, command));
  return dependencies(caller, workspace_name, task_id);
}

}  // namespace parley::broker
