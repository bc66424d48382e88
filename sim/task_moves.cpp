// What the server does with tasks by itself: held against their times, and against what they wait for.
#include <algorithm>

#include "sim/fields.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t suggested_manual = 4;  // as journaled

// COL-16: an exception is followed by one more attempt, where the profile has such.
int retries(const TaskChronicle::Task& task) {
  return task.profile == "collab" ? 1 : 0;
}

bool is_reported(const event::TaskMoved& moved) {
  return moved.has_error() && moved.error().reporter() != 0;
}

}  // namespace

// A move of the server's own.
void TaskChronicle::fold(std::uint32_t number, std::uint64_t offset, const event::TaskMoved& moved, base::Instant at) {
  Workspace& workspace = workspaces_[number];
  const Place place{number, moved.task()};
  const auto found = tasks_.find(place);
  if (found == tasks_.end())
    return findings_.require(false, place, "COL-08: the server moved a task that was never assigned");
  Task& task = found->second;
  const auto to = static_cast<State>(moved.state());
  findings_.require(!task.over() || (to == State::aborted && task.can_be_aborted()), place,
                    "COL-08: the server moved a task that was over");
  findings_.require(moved.epoch() == task.epoch + (moved.given_again() ? 1 : 0), place,
                    "BEY-03: the server changed an epoch");
  if (moved.has_error()) note_error(place, task, moved.error());
  if (to == State::aborted) task.given_up = moved.has_error();
  judge_move(place, task, moved, at);
  if (moved.late() != task.told_late && !moved.extended()) {
    findings_.require(moved.late() && task.deadline != base::Instant{} && task.deadline <= at, place,
                      "COL-07: late before its deadline");
    sightings_.saw(Sighting::task_late);
  }
  if (moved.has_offer()) end_offer(place, task, moved, at);
  task.told_late = moved.late();
  if (task.state != State::held || to != State::held) {
    task.held_by = 0;
    task.moved_at = at;
  }
  come_to(workspaces_[place.first], task, to, at);
  note_who_waits(number, at);
  const bool nobody_begins = task.state == State::escalated || task.state == State::in_parts;  // SUP-04
  if (task.over() || nobody_begins) ended_.insert({number, offset});
  if (task.over()) close(task);
  check_due(workspace, place, moved.due());
}

// R21: its time is over, its sender takes it back, its target is removed, or the attempt that it was made in has
// failed.
void TaskChronicle::end_offer(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at) {
  const auto to = static_cast<State>(moved.state());
  const bool failed = to == State::postponed || to == State::escalated || to == State::in_parts;
  const bool over = task.offer && (task.offer->taken_back || task.offer->target_removed ||
                                   (task.offer->due != base::Instant{} && task.offer->due <= at));
  findings_.require(moved.offer().state() == event::TaskOffer::OVER && (over || (task.offer && failed)), place,
                    "HND-02: an offer was taken back before its time");
  task.offer.reset();
}

void TaskChronicle::judge_move(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at) {
  Workspace& workspace = workspaces_[place.first];
  const auto to = static_cast<State>(moved.state());
  if (to == State::aborted && moved.has_error())
    return findings_.require(is_abandoned(task, moved), place, "COL-16: aborted by an error that is none's end");
  if (to == State::aborted) return cancel(place, task, at);
  if (task.state == State::in_parts) return look_at_parts(workspace, place, task, to, at);
  if (task.kept_back()) {
    check_kept_back(place, task, to, at);
    if (to == State::assigned) {
      task.assigned_at = task.heard_at = at;
      task.lost_at = {};
    }
    return;
  }
  if (moved.extended()) return extend(place, task, moved, at);
  if (moved.given_again()) {
    const bool decided = task.state == State::escalated;  // by a human: approvals.hpp
    findings_.require(decided || (task.state == State::postponed && task.again_at <= at), place,
                      "COL-16: given again before its time");
    return give_again(place, task, moved, at);
  }
  if (to == State::in_parts) return split(workspace, place, task, moved, at);
  if (to == State::postponed) return postpone(place, task, moved, at);
  if (to == State::escalated) return escalate(place, task, moved, at);
  if (to == State::failed) return give_up(place, task, moved, at);
  if (to == State::stalled) {
    findings_.require(task.state == State::stalled || stalls_at(workspace, task) <= at, place,
                      "COL-07: stalled before progress was due");
    if (task.state != State::stalled) sightings_.saw(Sighting::task_stalled);
  } else if (task.state == State::held && to == State::active) {
    findings_.require(task.end_rejected, place, "SUP-04: a held task goes on, though nobody rejected its end");
    const bool asks = task.asked_since != base::Instant{};
    task.assigned_at += at - (asks ? std::min(task.asked_since, task.moved_at) : task.moved_at);
    if (asks) task.asked_since = at;
    if (task.timeout > base::Duration{} && task.assigned_at + task.timeout <= at) task.assigned_at = at;
    task.heard_at = at;
    if (task.began_at == base::Instant{}) task.began_at = at;
  } else if (task.state == State::in_review &&
             (to == State::completed || to == State::partial || to == State::planning)) {
    end_review(workspace, place, to, at);
  } else {
    findings_.require(to == task.state, place, "COL-08: the server made a move that is not its own");
  }
}

// R36, 000 §5.3: as its assignee suggests, or after the last exception that may be tried again.
bool TaskChronicle::is_abandoned(const Task& task, const event::TaskMoved& moved) {
  constexpr std::uint32_t abort = 3;
  const bool was_last = task.error == Error::exception && moved.error().recoverable() &&
                        task.exceptions >= retries(task) && task.profile == "collab";
  return is_reported(moved) && (was_last || moved.error().suggested() == abort);
}

void TaskChronicle::give_up(const Place& place, const Task& task, const event::TaskMoved& moved, base::Instant at) {
  const Workspace& workspace = workspaces_[place.first];
  const bool gone = !is_here(workspace, task.assignee);
  const bool hopeless = task.state == State::postponed && task.again_at <= at;  // the order cannot be had any more
  const bool over = task.state != State::held && gives_up_at(workspace, task) <= at;
  const bool returned = goes_back(workspace, task);
  const bool by_itself = gone || hopeless || over || returned || task.state == State::escalated;
  findings_.require(by_itself || is_reported(moved), place, "COL-08: given up before its time");
  findings_.require(by_itself || !is_abandoned(task, moved), place, "COL-16: failed, and was to be aborted");
  if (returned) sightings_.saw(Sighting::task_returned);
  sightings_.saw(Sighting::task_given_up);
}

// SUP-09, COL-16: by its time, or by what its assignee says.
void TaskChronicle::postpone(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at) {
  const bool by_time = task.error == Error::timeout;
  int& before = by_time ? task.timeouts : task.exceptions;
  const base::Duration wait =
      by_time && task.profile == "supervisor" ? base::Duration(1s) * (1 << task.timeouts) : base::Duration{};
  findings_.require(is_reported(moved) ? moved.error().recoverable() : times_out(task, at), place,
                    "COL-16: postponed before its time was over");
  findings_.require(before < (by_time ? attempts(task) : retries(task)), place,
                    "COL-16: given again more often than its profile says");
  task.again_at = at + wait;
  findings_.require(base::instant_of(moved.again_at()) == task.again_at, place, "SUP-09: postponed for another time");
  ++before;
  sightings_.saw(by_time ? Sighting::task_postponed : Sighting::task_retried);
}

void TaskChronicle::escalate(const Place& place, const Task& task, const event::TaskMoved& moved, base::Instant at) {
  const bool reported = is_reported(moved);
  const bool asked = reported && moved.error().suggested() == suggested_manual;
  const bool failed = reported ? moved.error().recoverable() && task.error == Error::timeout : times_out(task, at);
  const bool last = task.profile == "supervisor" && failed && task.timeouts == attempts(task);
  findings_.require(asked || last, place, "SUP-09: a human is asked before the last attempt has failed");
  findings_.require(!moved.approval_id().empty(), place, "SUP-09: it waits for a human whom nobody asks");
  sightings_.saw(asked ? Sighting::human_asked_for : Sighting::task_escalated);
}

void TaskChronicle::cancel(const Place& place, const Task& task, base::Instant at) {
  end_parts(workspaces_[place.first], task, at);
  const bool session_is_over = task.ends_since != base::Instant{};
  findings_.require(task.taken_back || task.ended_by_call || session_is_over, place,
                    "BEY-03: ended by the server, though its order stands");
  if (session_is_over) sightings_.saw(Sighting::session_task_ended);
  auto& reviews = workspaces_[place.first].reviews;
  if (const auto of_it = reviews.find(task.review); task.state == State::in_review && of_it != reviews.end())
    of_it->second.waits = false;
}

// The server lets an order go, or says why not: by what it waits for alone.
void TaskChronicle::check_kept_back(const Place& place, const Task& task, State to, base::Instant at) {
  if (to == State::failed) {
    const bool gone = !is_here(workspaces_[place.first], task.assignee);
    const bool expired = task.expires_at != base::Instant{} && task.expires_at <= at;
    const bool returned = goes_back(workspaces_[place.first], task);
    // Who takes nothing new gets no order that waited either (HND-05).
    const bool goes_out = readiness(workspaces_[place.first], task.depends_on) == State::assigned;
    findings_.require(gone || expired || returned || goes_out, place, "COL-10: given up while it waits");
    if (returned) sightings_.saw(Sighting::task_returned);
    return sightings_.saw(Sighting::task_given_up);
  }
  findings_.require(to == task.state || to == readiness(workspaces_[place.first], task.depends_on), place,
                    "COL-10: it waits, is blocked or goes out against what it depends on");
  if (to == State::assigned) sightings_.saw(Sighting::task_let_go);
  if (to == State::blocked && task.state != to) sightings_.saw(Sighting::task_blocked);
}

// 000 §5.3: with more time.
void TaskChronicle::give_again(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at) {
  const int longer = task.profile == "collab" && task.error == Error::timeout ? 2 : 1;
  if (task.deadline != base::Instant{} && (longer > 1 || task.deadline <= at))
    task.deadline =
        at + std::min<base::Duration>((std::max(task.deadline, task.assigned_at) - task.assigned_at) * longer,
                                      std::chrono::days(30));
  task.timeout = std::min<base::Duration>(task.timeout * longer, std::chrono::days(30));
  findings_.require(moved.timeout() == task.timeout.count(), place, "COL-16: given again with another time");
  findings_.require(moved.deadline() == (task.deadline == base::Instant{} ? 0 : base::unix_us(task.deadline)), place,
                    "COL-16: given again with another deadline");
  task.assigned_at = task.heard_at = at;
  task.began_at = {};
  task.told_late = false;
  task.lost_at = {};
  ++task.epoch;
  sightings_.saw(Sighting::task_given_again);
}

// An order that nobody took, an offer that nobody read (COL-08).
void TaskChronicle::lose(std::uint32_t number, std::uint64_t offset, std::uint32_t agent, base::Instant at) {
  for (auto& [place, task] : tasks_) {
    if (place.first != number || task.over()) continue;
    if (task.offer && task.offer->offset == offset) task.offer->due = at;
    if (task.state == State::assigned && task.assignee == agent && task.order == offset) {
      task.lost_at = at;
      sightings_.saw(Sighting::task_order_lost);
    }
  }
}

}  // namespace parley::sim
