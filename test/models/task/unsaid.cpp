// What nobody says: time goes on, agents are removed and come back, the server crashes.
#include "task/model.hpp"

#include <set>

namespace parley::models::task_model {

void TaskModel::let_time_go_on(const Views& before, const Arrive& arrive) {
  if (!world_.comes_to_look(arrive)) return;
  findings_.at("the server looks");
  world_.decide_due();
  findings_.require(!world_.decided_nothing(), 4, "something is due and nothing is done");
  std::set<std::pair<std::uint32_t, std::string>> told;  // agent, task
  const auto hears = [&](AgentNumber agent, const std::string& id) {
    return !world_.present(agent) || told.contains({agent.value, id});
  };
  for (const engine::Fact& fact : world_.facts())
    if (fact.event.has_message_accepted() && fact.event.message_accepted().sender() == 0)
      told.emplace(fact.event.message_accepted().recipients(0), fact.event.message_accepted().task());
  world_.apply();
  check_owners();
  for (const auto& [id, is] : views()) {
    const View& was = before.at(id);
    if (is.same_but_for_time(was) || (scope_.tasks == 1 && is.state == TaskState::none)) continue;
    check_server_move(was, is);
    findings_.require(is.state != TaskState::failed || hears(was.assigner, id), 4,
                      "a task was given up and its assigner not told");
    const bool taken_back = is.open() && is.offer != was.offer;
    findings_.require(!taken_back || is.offer == Offset{}, 20, "the server offered a task");
    findings_.require(!taken_back || (hears(was.assignee, id) && hears(was.target, id)), 4,
                      "an offer is over, and its owner or its target was not told");
    findings_.require(is.open() || is.offer == Offset{}, 20, "an offer outlived its task");
  }
  arrive("the server looks", true);
}

void TaskModel::check_server_move(const View& was, const View& is) {
  findings_.require(!machine::task::is_over(was.state), 5, "the server moved a task that was over");
  const bool waited = was.state == TaskState::postponed || was.state == TaskState::escalated;
  const bool again = waited && is.state == TaskState::assigned;  // COL-16
  findings_.require(is.epoch == was.epoch + (again ? 1 : 0) && is.assignee == was.assignee, 6,
                    "the server changed an assignment");
  bool row = false;
  for (const Move& move : machine::task::moves)
    row = row ||
          (move.by == Party::server && (move.from & machine::task::of(was.state)) != 0 &&
           is.state == move.to.value_or(was.state) && (move.to || (is.late && !was.late) || is.offer != was.offer));
  findings_.require(row, 8, "the server made a move that is in no row");
}

void TaskModel::come_and_go(const Views& before, const Arrive& arrive) {
  for (const AgentNumber agent : present()) {
    const std::string step = "'" + name_of(agent) + "' is removed";
    findings_.at(step);
    (void)world_.decide(engine::RemoveAgent{team, agent});
    world_.apply();
    check_unmoved(before);
    arrive(step, false);
  }
  if (!scope_.comes_back || world_.agents() > scope_.agents.size() || world_.present(AgentNumber(1))) return;
  findings_.at("the assigner registers anew");
  enrol(scope_.agents.front());
  check_unmoved(before);
  arrive("the assigner registers anew", false);
}

void TaskModel::crash(const Views& before, const Arrive& arrive) {
  // The state is one that was loaded from its snapshot already; now the server starts with it.
  findings_.at("a crash");
  world_.now += scope_.downtime;
  world_.decide(engine::StartServer{scope_.downtime});
  world_.apply();
  check_unmoved(before);
  for (const auto& [id, is] : views())
    if (is.open() && is.state != TaskState::in_review && is.state != TaskState::escalated)
      findings_.require(is.heard_at == before.at(id).heard_at + scope_.downtime, 13,
                        "the time that the server was down counts against an assignee");
  arrive("a crash", false);
}

// INV-13.
void TaskModel::check_unmoved(const Views& before) {
  for (const auto& [id, is] : views())
    findings_.require(is.same_but_for_time(before.at(id)), 13, "a task moved that nobody moved");
}

}  // namespace parley::models::task_model
