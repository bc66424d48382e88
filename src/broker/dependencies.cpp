#include "broker/dependencies.hpp"

namespace parley::broker {
namespace {

std::string_view type_name(const engine::Dependency& on) {
  return on.part ? "part" : on.soft ? "soft" : "hard";
}

}  // namespace

void write_dependencies(json::Writer& writer, const engine::Workspace& workspace, std::string_view task_id) {
  writer.key("dependencies").begin_array();
  if (const engine::TaskDependencies* const all = workspace.dependencies.find(task_id))
    for (const engine::Dependency& on : all->on) {
      const auto known = workspace.tasks.find(on.id.view());
      const engine::TaskState state = known ? workspace.tasks.at(*known).state : on.state;
      writer.begin_object().member("task_id", on.id.view()).member("dependency_type", type_name(on));
      if (state != engine::TaskState::none) writer.member("state", machine::task::name(state));
      writer.end_object();
    }
  writer.end_array();
}

std::vector<std::string> pending_results(const engine::Workspace& workspace, base::Offset assignment) {
  std::vector<std::string> pending;
  if (workspace.dependencies.empty()) return pending;
  const engine::Task& task = workspace.tasks.at(*workspace.tasks.of_assignment(assignment));
  const engine::TaskDependencies* const all = workspace.dependencies.find(task.id.view());
  if (!all) return pending;
  for (const engine::Dependency& on : all->on)
    if (on.soft && on.state != engine::TaskState::completed) pending.emplace_back(on.id.view());
  return pending;
}

}  // namespace parley::broker
