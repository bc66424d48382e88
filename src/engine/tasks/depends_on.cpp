// What a task may depend on (R35): set by a call, also before it is assigned, or named by its assignment.
#include <algorithm>

#include "base/quoted.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/engine.hpp"
#include "engine/messages/directions.hpp"
#include "engine/messages/fields.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/refusal.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using base::quoted;

// D11.
constexpr std::size_t pairs_max = 200'000;  // of a workspace; a tenth of them set by one agent
constexpr std::size_t id_bytes_max = 512;
constexpr std::size_t cycle_steps = 5'000;  // of the search for a cycle
constexpr std::size_t cycle_shown = 20;

std::unexpected<base::Error> full(std::string what) {
  return base::fail(ErrorCode::DEPENDENCIES_FULL, std::move(what), "dependencies");
}

// From what `task` is to depend on back to it, the shortest way: each with the place of the one before.
class Search {
 public:
  Search(const Dependencies& all, std::string_view task) : all_(all), task_(task) {}

  void begin(std::string_view id) { visit(id, nowhere); }
  void begin_below(std::string_view id, std::size_t on) { visit(id, on); }
  std::size_t newest() const { return found_.size() - 1; }
  // Whether it could be told in so many steps.
  bool run() {
    for (std::size_t at = 0; at < found_.size() && end_ == nowhere; ++at) {
      const TaskDependencies* const next = all_.find(found_[at].id);
      if (!next) continue;
      for (const Dependency& on : next->on) {
        if (++steps_ > cycle_steps) return false;
        visit(on.id.view(), at);
      }
    }
    return true;
  }
  bool found() const { return end_ != nowhere; }
  // "'a' → 'b' → 'a'"
  std::string cycle() const {
    std::vector<std::string_view> way;
    for (std::size_t at = end_; at != nowhere; at = found_[at].before) way.push_back(found_[at].id);
    std::string text = quoted(task_);
    for (std::size_t i = way.size(); i-- > 0;) {
      const bool shown = way.size() - i < cycle_shown || i == 0;
      if (shown) text += " → " + quoted(way[i]);
      if (!shown && way.size() - i == cycle_shown) text += " → …";
    }
    return text;
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  struct Place {
    std::string_view id;
    std::size_t before;
  };

  void visit(std::string_view id, std::size_t before) {
    if (end_ != nowhere || !seen_.insert(id).second) return;
    found_.push_back({id, before});
    if (id == task_) end_ = found_.size() - 1;
  }

  const Dependencies& all_;
  std::string_view task_;
  std::vector<Place> found_;
  absl::btree_set<std::string_view> seen_;
  std::size_t end_ = nowhere, steps_ = 0;
};

// `below`: what the last of them is to depend on itself.
base::Result<> check_no_cycle(const Dependencies& all, std::string_view task, const std::vector<std::string>& on,
                              const std::vector<std::string>& below = {}) {
  const auto among = [task](const std::vector<std::string>& ids) { return std::ranges::find(ids, task) != ids.end(); };
  if (all.dependents(task).empty() && !among(on) && !among(below)) return {};  // nothing leads back to it
  Search search(all, task);
  for (const std::string& id : on) search.begin(id);
  const std::size_t last = search.newest();
  for (const std::string& id : below) search.begin_below(id, last);
  const bool told = search.run();
  if (search.found())
    return base::fail(ErrorCode::DEPENDENCY_CYCLE, "tasks would wait for each other: " + search.cycle(),
                      "dependencies");
  if (told) return {};
  return full("what " + quoted(task) + " would depend on depends on more than " + std::to_string(cycle_steps) +
              " others in turn");
}

bool has(const TaskDependencies* before, std::string_view id) {
  return before && std::ranges::any_of(before->on, [id](const Dependency& d) { return d.id.view() == id; });
}

base::Result<> check_id(std::string_view id, std::string_view whose, std::string_view where) {
  if (!id.empty() && id.size() <= id_bytes_max) return {};
  return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                    "the id of " + std::string(whose) + " has " + std::to_string(id.size()) + " bytes; it takes 1 to " +
                        std::to_string(id_bytes_max),
                    std::string(where));
}

// `on`: what is new or stays, each once.
base::Result<> check_bounds(const Workspace& workspace, const TaskDependencies* before, AgentNumber by,
                            const std::vector<std::string>& on, std::size_t all) {
  if (all > dependencies_max)
    return full("a task depends on at most " + std::to_string(dependencies_max) + " others, not on " +
                std::to_string(all));
  std::size_t added = 0;
  for (const std::string& id : on) {
    PARLEY_CHECK(check_id(id, "a task it depends on", "dependencies"));
    if (has(before, id)) continue;
    ++added;
    if (workspace.dependencies.dependents(id).size() >= dependents_max)
      return full(std::to_string(dependents_max) + " tasks depend on " + quoted(id) + ", which is the limit");
  }
  const Dependencies& known = workspace.dependencies;
  if (by != AgentNumber{} && known.set_by(by) + added > pairs_max / 10)
    return full(quoted(workspace.registry.agent(by).id) + " has set " + std::to_string(known.set_by(by)) +
                " dependencies; the limit is " + std::to_string(pairs_max / 10));
  if (known.size() + added > pairs_max)
    return full(quoted(workspace.name) + " has " + std::to_string(known.size()) + " dependencies; the limit is " +
                std::to_string(pairs_max));
  return {};
}

void keep_first_of_each(std::vector<std::string>& ids) {
  std::vector<std::string> each;
  for (std::string& id : ids)
    if (std::ranges::find(each, id) == each.end()) each.push_back(std::move(id));
  ids = std::move(each);
}

bool may_assign(const profile::Ruleset* rules, const Agent& agent) {
  if (!rules) return false;
  const std::string_view role = role_of(*rules, agent);
  for (std::size_t i = 0; i < rules->types.size(); ++i)
    if (rules->types[i].kind == envelope::Kind::task_assign &&
        rules->may_send(profile::TypeIndex(static_cast<std::uint16_t>(i)), role))
      return true;
  return false;
}

std::unexpected<base::Error> not_for(const Workspace& workspace, AgentNumber by, std::string_view task,
                                     const std::string& whose) {
  return base::fail(
      ErrorCode::NOT_PARTY,
      "what " + quoted(task) + " depends on is " + whose + " to say, not " + quoted(workspace.registry.agent(by).id),
      "task_id");
}

// Before it goes out: then nothing waits any more.
base::Result<> check_may_change(const Task& task) {
  constexpr auto open_to_change = machine::task::of(TaskState::waiting) | machine::task::of(TaskState::blocked) |
                                  machine::task::of(TaskState::partial) | machine::task::of(TaskState::failed) |
                                  machine::task::of(TaskState::changes_requested) |
                                  machine::task::of(TaskState::planning);
  if ((machine::task::of(task.state) & open_to_change) != 0) return {};
  return base::fail(ErrorCode::OUT_OF_SEQUENCE,
                    "task " + quoted(task.id.view()) + " is " + std::string(machine::task::name(task.state)) +
                        ": its order went out, and waits for nothing any more",
                    "task_id", "Set what a task depends on before it is assigned, or while it waits.");
}

base::Result<> check_who(const Workspace& workspace, const SetDependencies& command, const profile::Ruleset* rules) {
  const auto known = workspace.tasks.find(command.task);
  if (known) PARLEY_CHECK(check_may_change(workspace.tasks.at(*known)));
  if (command.by == AgentNumber{}) return {};
  if (known) {
    const Task& task = workspace.tasks.at(*known);
    const Agent& assigner = workspace.registry.agent(task.assigner);
    if (command.by == task.assigner || assigner.removed) return {};
    return not_for(workspace, command.by, command.task, quoted(assigner.id));
  }
  const TaskDependencies* const before = workspace.dependencies.find(command.task);
  if (before && before->by != command.by && before->by != AgentNumber{} &&
      !workspace.registry.agent(before->by).removed)
    return not_for(workspace, command.by, command.task, quoted(workspace.registry.agent(before->by).id));
  if (may_assign(rules, workspace.registry.agent(command.by))) return {};
  return not_for(workspace, command.by, command.task, "whoever may assign it");
}

// Named by the order in whose place this one comes (BEY-03).
bool was_named(const AcceptMessage& command, const Workspace& workspace, std::string_view id) {
  const TakeBack* const before = in_force(command);
  if (!before) return false;
  const auto known = task_named(command, workspace);
  if (!known || !supersedes_order(command, workspace.tasks.at(*known))) return false;
  const auto& named = before->was.task_moved().depends_on();
  return std::ranges::find(named, id) != named.end();
}

}  // namespace

base::Result<std::vector<Dependency>> dependencies_of(const AcceptMessage& command, const Workspace& workspace) {
  std::vector<std::string> named = texts_in(command.envelope, "dependencies");
  if (named.size() > dependencies_max) PARLEY_CHECK(check_bounds(workspace, nullptr, {}, {}, named.size()));
  keep_first_of_each(named);
  const std::string& task = command.envelope.task;
  const TaskDependencies* const before = workspace.dependencies.find(task);
  std::vector<Dependency> all;
  for (const std::string& id : named) all.push_back(dependency_on(workspace, id, false, before));
  if (before)
    for (const Dependency& kept : before->on)
      if (std::ranges::find(named, kept.id.view()) == named.end() && !was_named(command, workspace, kept.id.view()))
        all.push_back(copy_of(kept));
  if (named.empty()) return all;
  PARLEY_CHECK(check_bounds(workspace, before, command.sender, named, all.size()));
  PARLEY_CHECK(check_no_cycle(workspace.dependencies, task, named));
  return all;
}

void decide_named_dropped(Decided& decided, const AcceptMessage& command, const Workspace& workspace) {
  if (!command.supersedes || command.envelope.kind != envelope::Kind::task_assign) return;
  const TaskDependencies* const before = workspace.dependencies.find(command.envelope.task);
  const auto after = dependencies_of(command, workspace);
  const auto stays = [&](const Dependency& one) {
    return std::ranges::any_of(*after, [&](const Dependency& other) { return other.id.view() == one.id.view(); });
  };
  if (!before || !after || std::ranges::all_of(before->on, stays)) return;
  event::TaskDependenciesSet& event = *decided.add(command.workspace).mutable_task_dependencies_set();
  event.set_task(command.envelope.task);
  event.set_agent(command.sender.value);
  for (const Dependency& one : *after)
    if (!one.part) (one.soft ? event.mutable_soft() : event.mutable_hard())->Add(std::string(one.id.view()));
}

base::Result<> check_part(const AcceptMessage& assignment, const Workspace& workspace, std::string_view whole) {
  const std::string& part = assignment.envelope.task;
  const TaskDependencies* const before = workspace.dependencies.find(whole);
  if (!has(before, part))
    PARLEY_CHECK(check_bounds(workspace, before, assignment.sender, {part}, (before ? before->on.size() : 0) + 1));
  return check_no_cycle(workspace.dependencies, whole, {part}, texts_in(assignment.envelope, "dependencies"));
}

base::Result<> Engine::decide(const SetDependencies& command, const Context&, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  PARLEY_CHECK(check_id(command.task, "the task", "task_id"));
  const profile::Ruleset* const rules =
      command.by == AgentNumber{} ? nullptr : ruleset_of_(workspace.registry.agent(command.by).properties.profile);
  PARLEY_CHECK(check_who(workspace, command, rules));
  const TaskDependencies* const before = workspace.dependencies.find(command.task);
  if (command.on.size() > dependencies_max) PARLEY_CHECK(check_bounds(workspace, nullptr, {}, {}, command.on.size()));
  std::vector<std::string> on = command.on, kept;
  keep_first_of_each(on);
  if (before)
    for (const Dependency& one : before->on)
      if (one.soft != command.soft && !one.part && std::ranges::find(on, one.id.view()) == on.end())
        kept.emplace_back(one.id.view());
  PARLEY_CHECK(check_bounds(workspace, before, command.by, on, on.size() + kept.size()));
  if (auto checked = check_no_cycle(workspace.dependencies, command.task, on); !checked) {
    if (rules && rules->tasks) checked.error().legal_next = legal_about(workspace, command.task, *rules, command.by);
    return checked;
  }
  event::TaskDependenciesSet& event = *decided.add(command.workspace).mutable_task_dependencies_set();
  event.set_task(std::string(command.task));
  event.set_agent(command.by.value);
  for (const std::string& id : command.soft ? kept : on) event.add_hard(id);
  for (const std::string& id : command.soft ? on : kept) event.add_soft(id);
  return {};
}

}  // namespace parley::engine
