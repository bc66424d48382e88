// What parties ask of tasks by calls: that an attempt failed, more time, its end; and the parts of what is too large
// (COL-16), and the end of a session (COL-20).
#include <algorithm>

#include "sim/fields.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {
namespace {

using envelope::Kind;
using namespace std::chrono_literals;

constexpr base::Duration parts_within = 10min;  // 000 names none; the profile does

}  // namespace

// Who may ask, then whether there is something to ask for.
TaskChronicle::Judged TaskChronicle::judge_call(const Workspace& workspace, const TaskWord& word) const {
  using Call = TaskWord::Call;
  const auto at = workspace.by_id.find(word.task);
  if (at == workspace.by_id.end()) return {Verdict::unknown, nullptr, {}};
  const Task& task = tasks_.at(at->second);
  const bool as_assignee = word.sender == task.assignee && word.call != Call::abort;
  const bool as_assigner = word.sender == task.assigner && word.call != Call::report_error;
  if (!as_assignee && !as_assigner) return {Verdict::not_party, &at->second, {}};
  const bool goes_on = task.state == State::assigned || task.state == State::active || task.state == State::stalled;
  const bool has_time = task.timeout > base::Duration{} || task.deadline != base::Instant{};
  const bool there_is_some = word.call == Call::abort ? !task.over() : goes_on;
  const bool legal = there_is_some && (word.call != Call::extend || has_time);
  return {legal ? Verdict::legal : Verdict::out_of_sequence, &at->second, {}};
}

void TaskChronicle::judge_done(std::uint32_t number, const Workspace& workspace, const Answered& done) {
  const Judged judged = judge(workspace, done.word);
  findings_.require(judged.verdict == Verdict::legal, {number, done.head},
                    "BEY-02: of '" + done.word.task + "' was done what is " + std::string(code_of(judged.verdict)));
  if (judged.task && done.word.call == TaskWord::Call::abort) tasks_.at(*judged.task).ended_by_call = true;
}

void TaskChronicle::note_error(const Place& place, Task& task, const event::TaskError& error) {
  task.error = static_cast<Error>(error.type());
  if (error.reporter() == 0) return;
  const bool goes_on = task.state == State::assigned || task.state == State::active || task.state == State::stalled;
  findings_.require(error.reporter() == task.assignee && goes_on, place,
                    "COL-16: an error was reported by who does not work on it");
  sightings_.saw(Sighting::task_error_reported);
}

// SUP-09, R38: never for less.
void TaskChronicle::extend(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at) {
  const base::Duration timeout(moved.timeout());
  const base::Instant deadline = moved.deadline() == 0 ? base::Instant{} : base::instant_of(moved.deadline());
  findings_.require(static_cast<State>(moved.state()) == task.state, place, "SUP-09: extended, and it moved");
  findings_.require(timeout >= task.timeout && deadline >= task.deadline, place, "SUP-09: extended to less");
  const bool as_before = (timeout == base::Duration{}) == (task.timeout == base::Duration{}) &&
                         (deadline == base::Instant{}) == (task.deadline == base::Instant{});
  findings_.require(as_before, place, "SUP-09: extended is a time that it does not have");
  task.timeout = timeout;
  task.deadline = deadline;
  task.heard_at = at;
  sightings_.saw(Sighting::task_extended);
}

// What answers the request for parts, by who was asked, is one, as long as they are awaited.
void TaskChronicle::note_part(const Workspace& workspace, const TaskWord& word, const Place& place,
                              const event::MessageAccepted& message) {
  const auto asked = workspace.splits.find(word.answers);
  Task* whole = asked == workspace.splits.end() ? nullptr : &tasks_.at(asked->second.whole);
  if (whole && (whole->split_by != asked->second.request || whole->state != State::in_parts)) whole = nullptr;
  if (whole && (whole->id == word.task || (word.sender != whole->assigner && is_here(workspace, whole->assigner))))
    whole = nullptr;
  const std::uint64_t part_of = message.task_moved().part_of();
  if (whole && part_of == 0 && whole->split_by <= workspace.forgotten_through) return;  // R8: its id names nothing
  findings_.require(part_of == (whole ? asked->second.whole.second : 0), place,
                    "COL-16: a part of another task than was asked for, or of none");
  if (!whole) return;
  whole->parts.insert(word.task);
  sightings_.saw(Sighting::part_assigned);
}

void TaskChronicle::split(Workspace& workspace, const Place& place, Task& task, const event::TaskMoved& moved,
                          base::Instant at) {
  const bool too_large = moved.error().reporter() != 0 && task.error == Error::resource_limit;
  findings_.require(too_large && task.profile == "collab", place, "COL-16: in parts, and nobody says it is too large");
  const Said& said = workspace.said;
  const bool asked = said.offset == moved.split_by() && said.to == std::vector<std::uint32_t>{task.assigner};
  findings_.require(asked, place, "COL-16: its assigner is not asked for its parts");
  task.again_at = at + parts_within;
  findings_.require(base::instant_of(moved.again_at()) == task.again_at, place,
                    "COL-16: its parts are awaited for another time");
  task.parts.clear();
  task.split_by = moved.split_by();
  workspace.splits[said.id] = {place, said.offset};
  sightings_.saw(Sighting::task_split);
}

bool TaskChronicle::parts_ended(const Workspace& workspace, const Task& task) const {
  return !task.parts.empty() && std::ranges::all_of(task.parts, [&](const std::string& part) {
    const State state = tasks_.at(workspace.by_id.at(part)).state;
    return state == State::completed || state == State::failed || state == State::aborted;
  });
}

void TaskChronicle::look_at_parts(const Workspace& workspace, const Place& place, const Task& task, State to,
                                  base::Instant at) {
  const bool over = task.parts.empty() && task.again_at <= at;
  const bool ended = parts_ended(workspace, task);
  const bool all = ended && std::ranges::all_of(task.parts, [&](const std::string& part) {
                     return tasks_.at(workspace.by_id.at(part)).state == State::completed;
                   });
  const State expected = all ? State::completed : ended || over ? State::failed : State::in_parts;
  findings_.require(to == expected, place, "COL-16: it ends, or does not, against its parts");
  if (to == State::completed) sightings_.saw(Sighting::task_joined);
  if (to == State::failed) sightings_.saw(Sighting::parts_failed);
}

// Every open task of its sender's profile; in R3's words the session is the workspace.
void TaskChronicle::end_session(const Workspace& workspace, const Place& place, const event::MessageAccepted& message,
                                base::Instant at) {
  const std::string& profile = workspace.agents.at(message.sender()).profile;
  const bool held = message.held() && message.approval_timeout() > 0;
  const bool ends = profile == "collab" && static_cast<Kind>(message.kind()) == Kind::task_abort && !held &&
                    unquoted(field(message, "scope")) == "session" &&
                    unquoted(field(message, "target")) == workspace.name;
  findings_.require(message.has_session_aborted() == ends, place, "COL-20: it ends its session, or does not");
  if (!ends) return;
  for (auto& [of, task] : tasks_)
    if (of.first == place.first && task.profile == profile && !task.over() && task.session_over == base::Instant{})
      task.session_over = at;
  sightings_.saw(Sighting::session_aborted);
}

}  // namespace parley::sim
