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
  const auto at = workspace.by_id.find(word.task);
  if (at == workspace.by_id.end()) return {Verdict::unknown, nullptr, {}};
  const Task& task = tasks_.at(at->second);
  const bool as_assignee = word.sender == task.assignee && word.call != TaskWord::Call::abort;
  const bool as_assigner = word.sender == task.assigner && word.call != TaskWord::Call::report_error;
  if (!as_assignee && !as_assigner) return {Verdict::not_party, &at->second, {}};
  const bool goes_on = task.state == State::assigned || task.state == State::active || task.state == State::stalled;
  const bool has_time = task.timeout > base::Duration{} || task.deadline != base::Instant{};
  const bool there_is_some = word.call == TaskWord::Call::abort ? task.can_be_aborted() : goes_on;
  const bool legal = there_is_some && (word.call != TaskWord::Call::extend || has_time);
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
const Place* TaskChronicle::whole_of(const Workspace& workspace, std::uint32_t sender, const std::string& task,
                                     const std::string& answers) const {
  const auto asked = workspace.splits.find(answers);
  if (asked == workspace.splits.end()) return nullptr;
  const Task& whole = tasks_.at(asked->second.whole);
  const bool awaited = whole.split_by == asked->second.request && whole.state == State::in_parts;
  const bool may = sender == whole.assigner || !is_here(workspace, whole.assigner);
  return awaited && may && whole.id != task ? &asked->second.whole : nullptr;
}

// In the place of one that a human had yet to decide about: what is replaced there the journal does not say (BEY-03).
bool TaskChronicle::may_be_held_part_anew(const TaskWord& word, const Place& whole) const {
  return word.supersedes != 0 && std::ranges::any_of(held_as_part_, [&](const auto& held) {
           return held.second.whole == whole && held.second.task == word.task &&
                  tasks_.at(whole).held_parts.contains(held.first.second);
         });
}

void TaskChronicle::note_part(const Workspace& workspace, const TaskWord& word, const Place& place,
                              const event::MessageAccepted& message) {
  const Place* whole = whole_of(workspace, word.sender, word.task, word.answers);
  for (const auto& [of, task] : tasks_)  // what was held is what it was then
    if (word.released != 0 && of.first == place.first && task.held_parts.contains(word.released)) whole = &of;
  const std::uint64_t part_of = message.task_moved().part_of();
  const auto told = tasks_.find({place.first, part_of});
  if (!whole && told != tasks_.end() && may_be_held_part_anew(word, told->first)) whole = &told->first;
  if (whole && part_of == 0 && tasks_.at(*whole).split_by <= workspace.forgotten_through) return;  // R8
  findings_.require(part_of == (whole ? whole->second : 0), place,
                    "COL-16: a part of another task than was asked for, or of none");
  if (!whole) return;
  tasks_.at(*whole).parts.insert(word.task);
  sightings_.saw(Sighting::part_assigned);
}

void TaskChronicle::hold_part(const Place& place, const event::MessageAccepted& message) {
  if (message.approval_part_of() == 0) return;
  const auto whole = tasks_.find({place.first, message.approval_part_of()});
  const bool right = whole != tasks_.end() && whole->second.state == State::in_parts;
  findings_.require(right, place, "COL-16: held as a part of what is not in parts");
  if (right) whole->second.held_parts.insert(place.second);
  held_as_part_[place] = {{place.first, message.approval_part_of()}, message.task()};
  sightings_.saw(Sighting::part_held);
}

void TaskChronicle::drop_held_part(std::uint32_t number, std::uint64_t message, base::Instant at) {
  for (auto& [place, task] : tasks_)
    if (place.first == number && task.held_parts.erase(message) > 0) return note_who_waits(number, at);
}

// But those that their assigner took back or aborted.
std::set<std::string> TaskChronicle::parts_of(const Workspace& workspace, const Task& whole) const {
  std::set<std::string> parts = whole.parts;
  std::erase_if(parts, [&](const std::string& id) {
    const Task& part = tasks_.at(workspace.by_id.at(id));
    return part.state == State::aborted && !part.given_up;
  });
  return parts;
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
  task.held_parts.clear();
  task.none_since = {};
  task.split_by = moved.split_by();
  workspace.splits[said.id] = {place, said.offset};
  sightings_.saw(Sighting::task_split);
}

// With their whole.
void TaskChronicle::end_parts(const Workspace& workspace, const Task& whole, base::Instant at) {
  if (whole.state != State::in_parts) return;
  for (const std::string& id : whole.parts) {
    Task& part = tasks_.at(workspace.by_id.at(id));
    if (part.can_be_aborted() && part.ends_since == base::Instant{}) part.ends_since = at;
  }
}

bool TaskChronicle::parts_ended(const Workspace& workspace, const Task& task) const {
  const auto parts = parts_of(workspace, task);
  return !parts.empty() && task.held_parts.empty() && std::ranges::all_of(parts, [&](const std::string& part) {
    const State state = tasks_.at(workspace.by_id.at(part)).state;
    return state == State::completed || state == State::failed || state == State::aborted;
  });
}

void TaskChronicle::look_at_parts(const Workspace& workspace, const Place& place, const Task& task, State to,
                                  base::Instant at) {
  const auto parts = parts_of(workspace, task);
  const bool over = parts.empty() && task.held_parts.empty() && task.again_at <= at;
  const bool ended = parts_ended(workspace, task);
  const bool all = ended && std::ranges::all_of(parts, [&](const std::string& part) {
                     return tasks_.at(workspace.by_id.at(part)).state == State::completed;
                   });
  const State expected = all ? State::completed : ended || over ? State::failed : State::in_parts;
  const bool tells_of_deadline = to == State::in_parts && task.deadline != base::Instant{} && task.deadline <= at;
  // Decided in the turn in which a part ended: it is looked at again in the next.
  const bool ends_next = to == State::in_parts && std::ranges::any_of(parts, [&](const std::string& part) {
                           return tasks_.at(workspace.by_id.at(part)).moved_at == at;
                         });
  findings_.require(to == expected || tells_of_deadline || ends_next, place,
                    "COL-16: it ends, or does not, against its parts");
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
    if (of.first == place.first && task.profile == profile && task.can_be_aborted() &&
        task.ends_since == base::Instant{})
      task.ends_since = at;
  sightings_.saw(Sighting::session_aborted);
}

}  // namespace parley::sim
