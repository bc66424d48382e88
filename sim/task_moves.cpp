// What the server does with tasks by itself: held against their times, and against what they wait for.
#include <algorithm>

#include "sim/fields.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;

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
  findings_.require(!task.over(), place, "COL-08: the server moved a task that was over");
  const bool kept_back = task.kept_back();
  if (kept_back) check_kept_back(place, task, to, at);
  findings_.require(moved.epoch() == task.epoch + (moved.given_again() ? 1 : 0), place,
                    "BEY-03: the server changed an epoch");
  if (kept_back) {
    if (to == State::assigned) {
      task.assigned_at = task.heard_at = at;
      task.lost_at = {};
    }
  } else if (to == State::stalled) {
    findings_.require(task.state == State::stalled || stalls_at(workspace, task) <= at, place,
                      "COL-07: stalled before progress was due");
    if (task.state != State::stalled) sightings_.saw(Sighting::task_stalled);
  } else if (task.state == State::held && to == State::active) {
    findings_.require(task.end_rejected, place, "SUP-04: a held task goes on, though nobody rejected its end");
    task.assigned_at += at - task.moved_at;
    task.heard_at = at;
    if (task.began_at == base::Instant{}) task.began_at = at;
  } else if (to == State::postponed) {
    const base::Duration wait = task.profile == "supervisor" ? base::Duration(1s) * (1 << task.timeouts) : 0s;
    findings_.require(times_out(task, at), place, "COL-16: postponed before its time was over");
    findings_.require(task.timeouts < attempts(task), place, "COL-16: given again more often than its profile says");
    task.again_at = at + wait;
    findings_.require(base::instant_of(moved.again_at()) == task.again_at, place, "SUP-09: postponed for another time");
    ++task.timeouts;
    task.offer.reset();
    sightings_.saw(Sighting::task_postponed);
  } else if (to == State::escalated) {
    findings_.require(task.profile == "supervisor" && times_out(task, at) && task.timeouts == attempts(task), place,
                      "SUP-09: a human is asked before the last attempt has failed");
    findings_.require(!moved.approval_id().empty(), place, "SUP-09: it waits for a human whom nobody asks");
    task.offer.reset();
    sightings_.saw(Sighting::task_escalated);
  } else if (moved.given_again()) {
    const bool decided = task.state == State::escalated;  // by a human: approvals.hpp
    findings_.require(decided || (task.state == State::postponed && task.again_at <= at), place,
                      "COL-16: given again before its time");
    give_again(place, task, moved, at);
  } else if (task.state == State::in_review && (to == State::completed || to == State::planning)) {
    end_review(workspace, place, to, at);
  } else if (to == State::failed) {
    const bool gone = !is_here(workspace, task.assignee);
    const bool hopeless = task.state == State::postponed && task.again_at <= at;  // the order cannot be had any more
    const bool over = task.state != State::held && gives_up_at(workspace, task) <= at;
    const bool returned = goes_back(workspace, task);
    findings_.require(gone || hopeless || over || returned || task.state == State::escalated, place,
                      "COL-08: given up before its time");
    if (returned) sightings_.saw(Sighting::task_returned);
    sightings_.saw(Sighting::task_given_up);
  } else if (to == State::aborted) {
    findings_.require(task.taken_back, place, "BEY-03: ended by the server, though its order stands");
  } else {
    findings_.require(to == task.state, place, "COL-08: the server made a move that is not its own");
  }
  if (moved.late() != task.told_late) {
    findings_.require(moved.late() && task.deadline != base::Instant{} && task.deadline <= at, place,
                      "COL-07: late before its deadline");
    sightings_.saw(Sighting::task_late);
  }
  if (moved.has_offer()) {
    const bool over =
        task.offer && (task.offer->taken_back || (task.offer->due != base::Instant{} && task.offer->due <= at));
    findings_.require(moved.offer().state() == event::TaskOffer::OVER && over, place,
                      "HND-02: an offer was taken back before its time");
    task.offer.reset();
  }
  task.told_late = moved.late();
  task.held_by = 0;
  task.state = to;
  task.moved_at = at;
  note_who_waits(number, at);
  if (task.over()) ended_.insert({number, offset});
  if (task.over()) task.offer.reset();
  check_due(workspace, place, moved.due());
}

// The server lets an order go, or says why not: by what it waits for alone.
void TaskChronicle::check_kept_back(const Place& place, const Task& task, State to, base::Instant at) {
  if (to == State::failed) {
    const bool gone = !is_here(workspaces_[place.first], task.assignee);
    const bool expired = task.expires_at != base::Instant{} && task.expires_at <= at;
    const bool returned = goes_back(workspaces_[place.first], task);
    findings_.require(gone || expired || returned, place, "COL-10: given up while it waits");
    if (returned) sightings_.saw(Sighting::task_returned);
    return sightings_.saw(Sighting::task_given_up);
  }
  if (to == State::aborted)
    return findings_.require(task.taken_back, place, "BEY-03: ended by the server, though its order stands");
  findings_.require(to == task.state || to == readiness(workspaces_[place.first], task.depends_on), place,
                    "COL-10: it waits, is blocked or goes out against what it depends on");
  if (to == State::assigned) sightings_.saw(Sighting::task_let_go);
  if (to == State::blocked && task.state != to) sightings_.saw(Sighting::task_blocked);
}

// 000 §5.3: with more time.
void TaskChronicle::give_again(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at) {
  const int longer = task.profile == "collab" ? 2 : 1;
  if (task.deadline != base::Instant{} && task.deadline <= at)
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
