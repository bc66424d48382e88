#include "engine/tasks/depend.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/tasks/parts.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

using base::quoted;

constexpr std::size_t dependencies_named = 10;  // in a text
constexpr std::size_t error_bytes = 256;

bool has_failed(TaskState state) {
  return state == TaskState::failed || state == TaskState::aborted || state == TaskState::partial;
}

std::string_view how_it_failed(TaskState state) {
  if (state == TaskState::partial) return "was completed in part";
  return state == TaskState::failed ? "has failed" : "was aborted";
}

std::string_view state_name(TaskState state) {
  return state == TaskState::none ? "not assigned yet" : machine::task::name(state);
}

// The first few, separated.
class List {
 public:
  void add(const std::string& text) {
    if (++count_ <= dependencies_named) text_ += (count_ > 1 ? ", " : "") + text;
  }
  std::string take() { return count_ > dependencies_named ? text_ + ", …" : std::move(text_); }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

void look_where_it_stands_otherwise(State& state, Workspace& workspace, WorkspaceNumber number, std::string_view id,
                                    Instant at) {
  const auto offset = workspace.tasks.find(id);
  if (!offset) return;
  Task& task = workspace.tasks.at(*offset);
  if (stands_otherwise(workspace, task))
    look_at(state, number, *offset, task, at);
  else if (task.state == TaskState::in_parts && awaits_parts(workspace, task))
    look_at(state, number, *offset, task, std::max(at, due_in_parts(workspace, task, task.watch)));
}

void add_author(std::vector<AgentNumber>& authors, AgentNumber author) {
  if (std::ranges::find(authors, author) == authors.end()) authors.push_back(author);
}

// BEY-05: who did a part of the work judges none of it.
void hand_on_authors(Workspace& workspace, const Task& part, const TaskDependencies& of_whole) {
  const auto is_it = [&part](const Dependency& one) { return one.part && one.id.view() == part.id.view(); };
  const auto whole = workspace.tasks.find(of_whole.task.view());
  if (!whole || std::ranges::none_of(of_whole.on, is_it)) return;
  std::vector<AgentNumber> authors;
  if (const ReviewedTask* const known = workspace.reviews.of_task(part.assignments.front())) authors = known->authors;
  add_author(authors, part.assignee);
  for (const AgentNumber author : authors) add_author(workspace.reviews.task(*whole).authors, author);
}

TaskState state_of(const Workspace& workspace, std::string_view id, TaskState otherwise) {
  const auto offset = workspace.tasks.find(id);
  return offset ? workspace.tasks.at(*offset).state : otherwise;
}

// It is remembered how it stood, where it is forgotten by now.
TaskState state_before(const TaskDependencies* before, std::string_view id) {
  if (!before) return TaskState::none;
  const auto at = std::ranges::find_if(before->on, [id](const Dependency& d) { return d.id.view() == id; });
  return at == before->on.end() ? TaskState::none : at->state;
}

}  // namespace

bool mark_kept_back(const event::TaskMoved& moved, event::MessageAccepted& message) {
  if (!keeps_back(moved)) return false;
  message.set_held(true);
  message.set_approval_why(moved.why());
  return true;
}

Readiness readiness_of(const std::vector<Dependency>& on) {
  Readiness readiness = Readiness::ready;
  for (const Dependency& dependency : on) {
    if (dependency.soft || dependency.part || dependency.state == TaskState::completed) continue;
    if (has_failed(dependency.state)) return Readiness::blocked;
    readiness = Readiness::waits;
  }
  return readiness;
}

std::string pending(const std::vector<Dependency>& on, bool soft) {
  List list;
  for (const Dependency& dependency : on)
    if (dependency.soft == soft && !dependency.part && dependency.state != TaskState::completed)
      list.add(quoted(dependency.id.view()) + " (" + std::string(state_name(dependency.state)) + ")");
  return list.take();
}

std::string why_blocked(const Workspace& workspace, const std::vector<Dependency>& on) {
  List list;
  for (const Dependency& dependency : on) {
    if (dependency.soft || dependency.part || !has_failed(dependency.state)) continue;
    std::string text = quoted(dependency.id.view()) + " " + std::string(how_it_failed(dependency.state));
    const auto offset = workspace.tasks.find(dependency.id.view());
    const Task* const task = offset ? &workspace.tasks.at(*offset) : nullptr;
    if (task && task->error) text += " (" + base::excerpt(task->error->message, error_bytes) + ")";
    list.add(text);
  }
  return list.take();
}

Dependency copy_of(const Dependency& dependency) {
  return {base::PackedText(dependency.id.view()), dependency.soft, dependency.state, dependency.part,
          dependency.given_up};
}

Dependency dependency_on(const Workspace& workspace, std::string_view id, bool soft, const TaskDependencies* before) {
  return {base::PackedText(id), soft, state_of(workspace, id, state_before(before, id))};
}

bool stands_otherwise(const Workspace& workspace, const Task& task) {
  if (!is_kept_back(task.state) && task.state != TaskState::in_parts) return false;
  const TaskDependencies* const all = workspace.dependencies.find(task.id.view());
  if (task.state == TaskState::in_parts) return parts_have_ended(workspace, task);
  const Readiness readiness = all ? readiness_of(all->on) : Readiness::ready;
  return readiness != (task.state == TaskState::waiting ? Readiness::waits : Readiness::blocked);
}

void note_moved(State& state, Workspace& workspace, WorkspaceNumber number, const Task& task, Instant at) {
  for (const IdKey& dependent : workspace.dependencies.dependents(task.id.view())) {
    workspace.dependencies.note(dependent, task.id.view(), task.state, task.given_up);
    if (task.state == TaskState::completed) hand_on_authors(workspace, task, *workspace.dependencies.find(dependent));
    look_where_it_stands_otherwise(state, workspace, number, workspace.dependencies.find(dependent)->task.view(), at);
  }
}

void drop_parts(Workspace& workspace, const Task& whole) {
  if (workspace.dependencies.empty()) return;
  const TaskDependencies* const before = workspace.dependencies.find(whole.id.view());
  if (!before || std::ranges::none_of(before->on, [](const Dependency& d) { return d.part; })) return;
  TaskDependencies after{base::PackedText(whole.id.view()), before->by, {}};
  for (const Dependency& on : before->on)
    if (!on.part) after.on.push_back(copy_of(on));
  workspace.dependencies.set(std::move(after));
}

void apply_part(Workspace& workspace, const event::MessageAccepted& event) {
  if (event.task_moved().part_of() == 0) return;
  const Task& whole = workspace.tasks.at(Offset(event.task_moved().part_of()));
  const TaskDependencies* const before = workspace.dependencies.find(whole.id.view());
  TaskDependencies after{base::PackedText(whole.id.view()), before ? before->by : whole.assigner, {}};
  if (before)
    for (const Dependency& on : before->on)
      if (on.id.view() != event.task()) after.on.push_back(copy_of(on));
  Dependency part = dependency_on(workspace, event.task(), false, nullptr);
  part.part = true;
  after.on.push_back(std::move(part));
  workspace.dependencies.set(std::move(after));
}

void apply_named(Workspace& workspace, const event::MessageAccepted& event) {
  const auto& named = event.task_moved().depends_on();
  if (named.empty()) return;
  const TaskDependencies* const before = workspace.dependencies.find(event.task());
  TaskDependencies after{base::PackedText(event.task()), before ? before->by : AgentNumber(event.sender()), {}};
  for (auto id = named.begin(); id != named.end(); ++id)
    if (std::find(named.begin(), id, *id) == id) after.on.push_back(dependency_on(workspace, *id, false, before));
  if (before)
    for (const Dependency& kept : before->on)
      if (std::ranges::find(named, kept.id.view()) == named.end()) after.on.push_back(copy_of(kept));
  workspace.dependencies.set(std::move(after));
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::TaskDependenciesSet& event,
           Instant at) {
  const TaskDependencies* const before = workspace.dependencies.find(event.task());
  TaskDependencies after{base::PackedText(event.task()), AgentNumber(event.agent()), {}};
  for (const std::string& id : event.hard()) after.on.push_back(dependency_on(workspace, id, false, before));
  for (const std::string& id : event.soft()) after.on.push_back(dependency_on(workspace, id, true, before));
  if (before)  // its parts are none that anybody sets
    for (const Dependency& one : before->on) {
      const auto is_it = [&one](const Dependency& other) { return other.id.view() == one.id.view(); };
      if (one.part && std::ranges::none_of(after.on, is_it)) after.on.push_back(copy_of(one));
    }
  workspace.dependencies.set(std::move(after));
  look_where_it_stands_otherwise(state, workspace, number, event.task(), at);
}

}  // namespace parley::engine
