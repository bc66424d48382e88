// The worlds in which the task table is explored (task/model.hpp).
#include "task/model.hpp"

namespace parley::models::task_model {
namespace {

Scope collab() {
  return {.profile = "collab",
          .agents = {{"architect", "architect"}, {"dev-1", "developer"}, {"dev-2", "developer"}},
          .times = {.progress_after = 4s, .progress_every = 2s, .silence = 4s},
          .downtime = 2s};
}

std::optional<Broken> explore(const std::string& name, const Scope& scope, std::string_view planted) {
  TaskModel model(scope, planted_of(scope.offers ? faults_of_offers : faults, planted));
  return Explorer(model, {.rests_by_time = scope.rests_by_time}).explore(name);
}

// With deadlines, and an assigner that is removed and comes back as another.
Scope deadlines() {
  Scope scope = collab();
  scope.deadline = 4s;
  scope.comes_back = true;
  scope.epochs = 3;
  scope.ids = {"one"};
  return scope;
}
// Hand-offs, without acknowledgments and without times of tasks: an end is always within reach, but no timer brings it.
Scope handoff() {
  return {.profile = "handoff",
          .agents = {{"giver", ""}, {"first", "", {"deep"}}, {"second", "", {"deep"}}},
          .times = {},
          .downtime = 4s,
          .rests_by_time = false,
          .offers = true};
}
// One task on a longer way, and an assigner that comes back as another.
Scope far_handoff() {
  Scope scope = handoff();
  scope.epochs = 3;
  scope.comes_back = true;
  scope.ids = {"one"};
  return scope;
}
// Without acknowledgments, and each task with a time of its own; one attempt more where it is over.
Scope supervisor() {
  return {.profile = "supervisor",
          .agents = {{"orchestrator", ""}, {"triage", ""}, {"scribe", ""}},
          .times = {},
          .downtime = 60s,
          .step = 60s};
}
// With room for one task, open or over: what is over is forgotten with the next, and its id is free.
Scope little_room() {
  Scope scope = collab();
  scope.tasks = 1;
  return scope;
}

// Reviewed, by whom the roles let and by those that they do not: one task, and two who may judge it.
Scope reviews() {
  Scope scope = collab();
  scope.agents = {{"architect", "architect"}, {"dev-1", "developer"}, {"judge", "reviewer"}, {"other", "reviewer"}};
  scope.reviews = 2;
  scope.ids = {"one"};
  return scope;
}

// Up to the last iteration. A crash takes no time here: an approval's deadline stays where it is while the server is
// down, and each crash would be another state.
Scope last_review() {
  Scope scope = reviews();
  scope.limited = true;
  scope.downtime = {};
  return scope;
}

const Registered in_collab({"task", names_of(faults),
                            [](std::string_view planted) { return explore("task", collab(), planted); }});
const Registered with_deadlines({"task.deadlines", {}, [](std::string_view) {
                                   return explore("task.deadlines", deadlines(), {});
                                 }});
const Registered in_handoff({"handoff", names_of(faults_of_offers),
                             [](std::string_view planted) { return explore("handoff", handoff(), planted); }});
const Registered far_in_handoff({"handoff.far", {}, [](std::string_view) {
                                   return explore("handoff.far", far_handoff(), {});
                                 }});
const Registered in_supervisor({"task.supervisor", {}, [](std::string_view) {
                                  return explore("task.supervisor", supervisor(), {});
                                }});
const Registered with_reviews({"task.reviews", {}, [](std::string_view) {
                                 return explore("task.reviews", reviews(), {});
                               }});
const Registered to_the_last_review({"task.last_review", {}, [](std::string_view) {
                                       return explore("task.last_review", last_review(), {});
                                     }});
const Registered with_little_room({"task.little_room", {}, [](std::string_view) {
                                     return explore("task.little_room", little_room(), {});
                                   }});

}  // namespace
}  // namespace parley::models::task_model
