#include "engine/tasks/parts.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/messages/said.hpp"
#include "engine/tasks/depend.hpp"

namespace parley::engine {
namespace {

using machine::task::Step;

constexpr std::size_t named_max = 10;

bool has_ended(TaskState state) {
  return state == TaskState::completed || state == TaskState::failed || state == TaskState::aborted;
}

// "'a' (completed), 'b' (failed)"
std::string listed(const std::vector<Dependency>& on) {
  std::string text;
  std::size_t count = 0;
  for (const Dependency& part : on) {
    if (!part.part || ++count > named_max) continue;
    text += (count > 1 ? ", '" : "'") + base::excerpt(part.id.view(), 128) + "' (" +
            std::string(machine::task::name(part.state)) + ")";
  }
  return count > named_max ? text + ", …" : text;
}

const std::vector<Dependency>* parts_of(const Workspace& workspace, const Task& task) {
  const TaskDependencies* const all = workspace.dependencies.find(task.id.view());
  if (!all || std::ranges::none_of(all->on, [](const Dependency& d) { return d.part; })) return nullptr;
  return &all->on;
}

}  // namespace

bool parts_ended(const std::vector<Dependency>& on) {
  bool any = false;
  for (const Dependency& part : on) {
    if (!part.part) continue;
    any = true;
    if (!has_ended(part.state)) return false;
  }
  return any;
}

bool ask_for_parts(const TaskScene& scene, const event::TaskError& error, const std::string& why) {
  const Task& task = scene.task();
  if (!scene.rules || !scene.rules->tasks || scene.rules->tasks->parts_within <= base::Duration{}) return false;
  const base::Duration within = scene.rules->tasks->parts_within;
  Making making{Step::split, task.watch.late,
                opening(scene.workspace(), task) + " is too large: " + why +
                    " Answer this message with their assignments within " + base::to_text(within) +
                    ": it ends when its parts do."};
  making.error = &error;
  const machine::task::Move& move = machine::task::move_of(making.step);
  const Offset request(scene.decided.next_offset(scene.number));
  tell(scene, move, making);
  if (scene.decided.next_offset(scene.number) == request.value) return false;  // nobody hears of it
  event::TaskMoved& moved = begin_move(scene);
  moved.set_state(static_cast<std::uint32_t>(*move.to));
  moved.set_why(making.text);
  *moved.mutable_error() = error;
  moved.set_split_by(request.value);
  moved.set_again_at(base::unix_us(scene.context.now + within));
  moved.set_due(moved.again_at());
  if (task.offer) moved.mutable_offer()->set_state(event::TaskOffer::OVER);
  return true;
}

void look_at_parts(const TaskScene& scene) {
  const Task& task = scene.task();
  const auto fails = [&scene](const std::string& why) {
    give_up(scene, error_of(TaskErrorType::resource_limit, false, why), why);
  };
  const std::vector<Dependency>* const on = parts_of(scene.workspace(), task);
  if (!on && task.watch.again_at <= scene.context.now) return fails("nobody assigned it in parts.");
  if (!on || !parts_ended(*on)) {
    if (!on)
      begin_move(scene).set_due(base::unix_us(task.watch.again_at));
    else
      begin_move(scene);
    return;
  }
  const bool all =
      std::ranges::all_of(*on, [](const Dependency& d) { return !d.part || d.state == TaskState::completed; });
  if (!all) return fails("its parts ended, not all with a result: " + listed(*on) + ".");
  make(scene, {Step::join, task.watch.late,
               opening(scene.workspace(), task) + " is completed in parts: " + listed(*on) + "."});
}

base::Result<std::optional<Offset>> split_answered(const AcceptMessage& command, const Workspace& workspace) {
  const std::string& answers = command.envelope.reply_to;
  const auto message = answers.empty() ? std::nullopt : workspace.ids.find(id_key_of(answers));
  const auto whole = message ? workspace.tasks.of_split(*message) : std::nullopt;
  if (!whole) return std::nullopt;
  const Task& task = workspace.tasks.at(*whole);
  const bool may = command.sender == task.assigner || workspace.registry.agent(task.assigner).removed;
  if (!may || task.id.view() == command.envelope.task) return std::nullopt;
  PARLEY_CHECK(check_depends_on(workspace, task.id.view(), command.sender, command.envelope.task));
  return whole;
}

}  // namespace parley::engine
