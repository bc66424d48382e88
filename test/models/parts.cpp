// A task in parts (COL-16) and one that depends on it (COL-10): an architect and a developer; the whole, whose assignee
// meets a limit, its two parts, each with errors that end it or are followed by another attempt, and the next task,
// which waits for the whole. Everything is assigned, corrected, ended by its assignee's word, by its errors, by abort
// and by rescinding; removals and a crash at any step. INV-9, INV-11 to INV-13, INV-27 and INV-28 of
// docs/internals/invariants.md.
//
// Two states are one where tasks, what they depend on, and what is left of their times stand alike. Progress and
// silence are watched by nobody here: the table's own models do (task.cpp).
#include <algorithm>
#include <map>

#include "profile/rulesets.hpp"
#include "tables.hpp"
#include "world.hpp"

namespace parley::models::parts_model {
namespace {

using namespace std::chrono_literals;
using engine::SuggestedAction;
using engine::Task;
using engine::TaskErrorType;
using engine::TaskState;
using envelope::Kind;

constexpr AgentNumber architect{1}, developer{2};
const std::string whole = "whole", next = "next";
const std::map<std::string, std::uint32_t> epochs{{whole, 2}, {"one", 2}, {"two", 1}, {next, 1}};

enum class Planted { none, forgotten_part, word_of_nobody, early_start };
const std::vector<std::pair<Fault, Planted>> faults{{{"forgotten_part", 27}, Planted::forgotten_part},
                                                    {{"word_of_nobody", 27}, Planted::word_of_nobody},
                                                    {{"early_start", 28}, Planted::early_start}};

// What the model remembers of a task by itself.
struct Known {
  bool part = false;      // of the whole, as it is assigned now
  bool given_up = false;  // aborted, and nobody said so
};

struct Node : Saved {
  std::map<std::string, Known> known;
};

class PartsModel {
 public:
  using Node = parts_model::Node;

  explicit PartsModel(Planted planted)
      : planted_(planted), rules_(*profile::built_in().find("collab")), world_(rules_) {}

  Node first() {
    engine::Settings settings;
    settings.task_times = {.progress_after = 0s, .progress_every = 0s, .silence = 0s};
    world_.create_team(settings);
    for (const auto& [id, type] : {std::pair("architect", "architect"), {"developer", "developer"}}) {
      engine::AgentProperties properties;
      properties.agent_type = type;
      world_.enrol(id, properties);
    }
    return save();
  }
  Arrival first_arrival() { return arrival("the first state", false); }
  const std::optional<Broken>& broken() const { return findings_.first(); }
  bool replays(const Node& node, const std::vector<std::string>& trails) { return world_.gives(trails, node); }

  template <class Reached>
  void expand(const Node& node, bool time_only, Reached reached) {
    load(node);
    findings_.at({});
    world_.check(node, findings_);
    const auto arrive = [&](const std::string& step, bool by_time) {
      judge_whole();
      judge_next();
      reached(arrival(step, by_time), [&] { return save(); });
      load(node);
    };
    let_time_go_on(arrive);
    if (time_only) return;
    for (const auto& [id, most] : epochs) {
      if (state_of(id) == TaskState::none || find(id)->epoch < most) assign(id, arrive);
      if (!find(id)) continue;
      take(id, arrive);
      end(id, arrive);
      meet_errors(id, arrive);
      take_back(id, arrive);
    }
    come_and_go(arrive);
  }

 private:
  // ---- What there is.

  Node save() const {
    Node node;
    static_cast<Saved&>(node) = world_.save();
    node.known = known_;
    return node;
  }
  void load(const Node& node) {
    world_.load(node);
    known_ = node.known;
    before_.clear();
    for (const auto& [id, most] : epochs) before_[id] = state_of(id);
  }
  const Task* find(const std::string& id) const {
    const auto at = world_.workspace().tasks.find(id);
    return at ? &world_.workspace().tasks.at(*at) : nullptr;
  }
  TaskState state_of(const std::string& id) const {
    const Task* const task = find(id);
    return task ? task->state : TaskState::none;
  }
  Offset offset_of(const std::string& id) const { return *world_.workspace().tasks.find(id); }

  Arrival arrival(const std::string& step, bool by_time) const {
    const bool any = world_.workspace().tasks.open() > 0;
    return {step, key(), by_time, !world_.waits(), !any};
  }
  std::string key() const {
    Key key;
    for (const AgentNumber agent : {architect, developer}) {
      const bool leaving = world_.state().unfinished.leaving.contains({team, agent});
      key.add(world_.agent(agent).removed).add(leaving);
      key.add(leaving ? std::min(world_.agent(agent).open_messages, 1u) : 0);
    }
    key.add(world_.is_due());
    for (const auto& [id, most] : epochs) add_task(id, key);
    return key.take();
  }
  void add_task(const std::string& id, Key& key) const {
    const Task* const task = find(id);
    key.add(task ? static_cast<int>(task->state) : 0);
    if (!task) return;
    const auto known = known_.find(id);
    key.add(task->epoch).add(known != known_.end() && known->second.part);
    key.add(known != known_.end() && known->second.given_up);
    if (const engine::TaskDependencies* const on = world_.workspace().dependencies.find(id))
      for (const engine::Dependency& one : on->on) key.add(static_cast<int>(one.state)).add(one.part).add(one.given_up);
    if (machine::task::is_over(task->state)) return;
    const engine::Message* const order = world_.workspace().messages.find(task->assignment());
    const engine::Receipt* const receipt = order ? order->receipt_of(task->assignee) : nullptr;
    key.add(receipt ? static_cast<int>(receipt->state) : -1);
    key.add(task->watch.exceptions).add(task->split_by != Offset{});
    key.left(task->watch.again_at, world_.now).add(task->due == Instant{}).left(task->due, world_.now);
  }

  // ---- What is said.

  envelope::Envelope envelope_of(Kind kind, const std::string& id, AgentNumber to) const {
    envelope::Envelope envelope;
    envelope.kind = kind;
    envelope.message_id = "m" + std::to_string(world_.workspace().head.value);
    envelope.task = id;
    envelope.recipients = {world_.agent(to).id};
    envelope.delivery = envelope::DeliveryClass::at_most_once;
    envelope.native_type = rules_.type(*world_.type_of(kind)).name;
    return envelope;
  }
  // As the journal has the order.
  event::MessageAccepted order_of(const std::string& id) const {
    event::MessageAccepted was;
    was.set_kind(static_cast<std::uint32_t>(Kind::task_assign));
    was.set_message_id(std::string(world_.workspace().messages.at(find(id)->assignment()).id.view()));
    was.set_task(id);
    was.mutable_task_moved()->set_task(offset_of(id).value);
    was.mutable_task_moved()->set_assignee(developer.value);
    return was;
  }
  // INV-9, of a command whose answer tells whether it was taken.
  bool done(bool accepted) {
    if (!accepted) findings_.require(world_.decided_nothing(), 9, "what was refused left something behind");
    if (!accepted) return false;
    alter();
    world_.apply();
    return true;
  }

  template <class Arrive>
  void assign(const std::string& id, Arrive arrive) {
    if (!world_.present(architect) || !world_.present(developer)) return;
    for (const bool answers : {false, true})
      for (const bool corrects : {false, true}) say_assignment(id, answers, corrects, arrive);
  }
  template <class Arrive>
  void say_assignment(const std::string& id, bool answers, bool corrects, Arrive arrive) {
    const Task* const split = find(whole);
    const bool in_parts = split && split->state == TaskState::in_parts;
    if (answers && (!split || split->split_by == Offset{} || id == whole || id == next)) return;
    if (corrects && !find(id)) return;
    const std::string step = "'" + id + "' is assigned" + (answers ? " as a part" : "") + (corrects ? " anew" : "");
    findings_.at(step);
    envelope::Envelope envelope = envelope_of(Kind::task_assign, id, developer);
    if (answers) {
      const engine::Message* const request = world_.workspace().messages.find(split->split_by);
      if (!request) return;
      envelope.reply_to = request->id.view();
    }
    if (id == next) envelope.fields.push_back(field_of("dependencies", "[\"" + whole + "\"]"));
    engine::AcceptMessage command = world_.command(architect, envelope);
    event::MessageAccepted was;
    if (corrects) was = order_of(id);
    const engine::TakeBack superseded{team, corrects ? find(id)->assignment() : Offset{}, was, {}};
    if (corrects) command.supersedes = &superseded;
    if (!done(world_.decide(command).has_value())) return;
    if (id == whole) known_.clear();
    known_[id].given_up = false;
    known_[id].part = in_parts && (answers || known_[id].part);
    arrive(step, false);
  }

  template <class Arrive>
  void take(const std::string& id, Arrive arrive) {
    if (!world_.present(developer) || !world_.present(architect)) return;
    for (const bool accepts : {true, false}) {
      if (!accepts && id != "one") continue;
      const std::string step = "'" + id + "' is " + (accepts ? "taken" : "declined");
      findings_.at(step);
      envelope::Envelope envelope = envelope_of(Kind::task_ack, {}, architect);
      const engine::Message* const order = world_.workspace().messages.find(find(id)->assignment());
      if (!order) return;
      envelope.fields.push_back(field_of("message", '"' + std::string(order->id.view()) + '"'));
      envelope.fields.push_back(field_of("accepted", accepts ? "true" : "false"));
      if (done(world_.accept(developer, envelope).has_value())) arrive(step, false);
    }
  }

  template <class Arrive>
  void end(const std::string& id, Arrive arrive) {
    if (world_.present(developer) && world_.present(architect)) {
      findings_.at("'" + id + "' is completed");
      if (done(world_.accept(developer, envelope_of(Kind::task_complete, id, architect)).has_value()))
        arrive("'" + id + "' is completed", false);
    }
    if (!world_.present(architect)) {  // who manages the workspace is left
      findings_.at("'" + id + "' is aborted by who manages the workspace");
      if (done(world_.decide(engine::CancelTask{team, offset_of(id), {}, "done for", false}).has_value()))
        arrive("'" + id + "' is aborted by who manages the workspace", false);
      return;
    }
    findings_.at("'" + id + "' is aborted");
    envelope::Envelope envelope = envelope_of(Kind::task_abort, id, world_.present(developer) ? developer : architect);
    envelope.fields.push_back(field_of("scope", "\"task\""));
    if (done(world_.accept(architect, envelope).has_value())) arrive("'" + id + "' is aborted", false);
  }

  // The whole is too large; a part is tried once more, or not.
  template <class Arrive>
  void meet_errors(const std::string& id, Arrive arrive) {
    if (!world_.present(developer) || id == next || id == "two") return;
    struct Met {
      TaskErrorType type;
      SuggestedAction suggested;
    };
    const Met too_large{TaskErrorType::resource_limit, SuggestedAction::reassign};
    const std::vector<Met> all = id == whole ? std::vector<Met>{too_large}
                                             : std::vector<Met>{{TaskErrorType::exception, SuggestedAction::retry},
                                                                {TaskErrorType::exception, SuggestedAction::abort}};
    for (const Met& met : all) {
      const std::string step = "'" + id + "' meets " +
                               std::string(engine::task_error_names[static_cast<std::size_t>(met.type)]) + ", to " +
                               std::string(engine::suggested_action_names[static_cast<std::size_t>(met.suggested)]);
      findings_.at(step);
      const engine::ReportTaskError report{team,    offset_of(id), developer,    met.type,
                                           "broke", id != whole,   met.suggested};
      if (!done(world_.decide(report).has_value())) continue;
      note_given_up(id);
      arrive(step, false);
    }
  }
  void note_given_up(const std::string& id) {
    if (state_of(id) == TaskState::aborted && before_.at(id) != TaskState::aborted) known_[id].given_up = true;
  }

  template <class Arrive>
  void take_back(const std::string& id, Arrive arrive) {
    if (!world_.present(architect)) return;
    findings_.at("the order of '" + id + "' is rescinded");
    const event::MessageAccepted was = order_of(id);
    const auto taken_back = world_.decide(engine::TakeBack{team, find(id)->assignment(), was, "no more"});
    if (done(taken_back.has_value() && *taken_back)) arrive("the order of '" + id + "' is rescinded", false);
  }

  // ---- What nobody says.

  template <class Arrive>
  void let_time_go_on(Arrive arrive) {
    if (!world_.comes_to_look(arrive)) return;
    findings_.at("the server looks");
    world_.decide_due();
    findings_.require(!world_.decided_nothing(), 4, "something is due and nothing is done");
    alter();
    world_.apply();
    if (before_.at(whole) == TaskState::in_parts && state_of(whole) == TaskState::in_parts)
      for (const std::string& id : {std::string("one"), std::string("two")}) note_given_up(id);
    arrive("the server looks", true);
  }
  template <class Arrive>
  void come_and_go(Arrive arrive) {
    for (const AgentNumber agent : {architect, developer}) {
      if (!world_.present(agent)) continue;
      const std::string step = "'" + world_.agent(agent).id + "' is removed";
      findings_.at(step);
      (void)world_.decide(engine::RemoveAgent{team, agent});
      world_.apply();
      arrive(step, false);
    }
    findings_.at("a crash");
    world_.decide(engine::StartServer{});
    world_.apply();
    for (const auto& [id, was] : before_) findings_.require(state_of(id) == was, 13, "a task moved in a crash");
    arrive("a crash", false);
  }

  // ---- What must hold.

  std::vector<std::string> parts() const {
    std::vector<std::string> all;
    for (const auto& [id, known] : known_)
      if (known.part && (state_of(id) != TaskState::aborted || known.given_up)) all.push_back(id);
    return all;
  }
  static bool has_ended(TaskState state) {
    return state == TaskState::completed || state == TaskState::failed || state == TaskState::aborted;
  }

  // INV-27.
  void judge_whole() {
    const TaskState was = before_.at(whole), is = state_of(whole);
    const auto all = parts();
    const auto ended = [&](const std::string& id) { return has_ended(state_of(id)); };
    const auto completed = [&](const std::string& id) { return state_of(id) == TaskState::completed; };
    const bool over = !all.empty() && std::ranges::all_of(all, ended);
    const bool well = over && std::ranges::all_of(all, completed);
    if (was == TaskState::in_parts && is == TaskState::completed)
      findings_.require(well, 27, "a whole is completed, and its parts are not");
    if (was == TaskState::in_parts && is == TaskState::failed && world_.present(developer))
      findings_.require((over && !well) || all.empty(), 27, "a whole failed, and its parts did not");
    if (is == TaskState::in_parts && over)
      findings_.require(world_.is_due(), 27, "the parts have ended, and nobody looks at the whole");
    if (is == TaskState::in_parts && all.empty())
      findings_.require(world_.waits(), 27, "a whole waits for parts that nobody assigns");
    if (is == TaskState::aborted && !world_.is_due())
      for (const std::string& id : all)
        findings_.require(machine::task::is_over(state_of(id)), 27, "a part goes on without its whole");
  }
  // INV-28.
  void judge_next() {
    const TaskState was = before_.at(next), is = state_of(next), on = state_of(whole);
    const bool kept_back = was == TaskState::none || was == TaskState::waiting || was == TaskState::blocked;
    if (kept_back && is == TaskState::assigned)
      findings_.require(on == TaskState::completed, 28, "a task begins before what it depends on is completed");
    if (world_.is_due()) return;
    const bool in_vain = on == TaskState::failed || on == TaskState::aborted;
    if (is == TaskState::waiting)
      findings_.require(on != TaskState::completed && !in_vain, 28, "a task waits for what has ended");
    if (is == TaskState::blocked) findings_.require(in_vain, 28, "a task is blocked, and nothing has failed");
  }

  // Faults of ours.
  void alter() {
    for (engine::Fact& fact : world_.facts()) {
      event::Event& event = fact.event;
      if (planted_ == Planted::forgotten_part && event.has_message_accepted() &&
          event.message_accepted().task_moved().part_of() != 0)
        event.mutable_message_accepted()->mutable_task_moved()->clear_part_of();
      if (planted_ == Planted::word_of_nobody && event.has_task_moved()) event.mutable_task_moved()->clear_given_up();
      if (planted_ == Planted::early_start && event.has_message_accepted() &&
          event.message_accepted().task_moved().state() == static_cast<std::uint32_t>(TaskState::waiting)) {
        event::MessageAccepted& order = *event.mutable_message_accepted();
        order.set_held(false);
        order.mutable_task_moved()->set_state(static_cast<std::uint32_t>(TaskState::assigned));
      }
    }
  }

  const Planted planted_;
  profile::Ruleset rules_;
  World world_;
  Findings findings_;
  std::map<std::string, Known> known_;
  std::map<std::string, TaskState> before_;
};

std::optional<Broken> explore(std::string_view planted) {
  PartsModel model(planted_of(faults, planted));
  return Explorer(model, {}).explore("task.parts");
}

const Registered table({"task.parts", names_of(faults), explore});

}  // namespace
}  // namespace parley::models::parts_model
