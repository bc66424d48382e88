// Whether a message that was accepted moved its task as the table says, which is read here on its own.
#include "task/model.hpp"

#include <map>

namespace parley::models::task_model {

void TaskModel::judge(const Said& said, const Views& before) {
  check_owners();
  const Views after = views();
  for (const std::string& id : scope_.ids)
    if (id != said.task && (scope_.tasks > 1 || after.at(id).state != TaskState::none))
      findings_.require(after.at(id).same_but_for_time(before.at(id)), 8, "a message moved another task than its own");
  const View& was = before.at(said.task);
  const View& is = after.at(said.task);
  const bool given_up = said.kind == Kind::task_abort && engine::can_be_aborted(was.state);  // sent back by its review
  const bool ended_twice =
      machine::task::is_over(was.state) && machine::task::is_over(is.state) && is.epoch == was.epoch;
  findings_.require(!ended_twice || given_up, 2, "an assignment that was over came to an end again");
  findings_.require(said.answers == 0 || answers_newest(said, was), 7, "what answers an older assignment was accepted");
  findings_.require(was.offer != Offset{} || said.offer == Offset{}, 20, "an offer was answered that is over");
  findings_.require(said.offer == was.offer || said.offer == Offset{}, 7,
                    "what answers an offer that is over was accepted");
  const Move* const row = row_of(said, was);
  findings_.require(row != nullptr, 8, "accepted, though no row of the table allows it");
  if (!row) return;
  findings_.require(is.state == row->to.value_or(was.state), 3,
                    "what was accepted did not bring the task to '" +
                        std::string(machine::task::name(row->to.value_or(was.state))) + "'");
  const bool assigns = said.kind == Kind::task_assign;
  const bool takes_over = said.offer != Offset{} && *said.accepts;
  judge_offer(said, was, is);
  findings_.require(is.epoch == was.epoch + (assigns || takes_over ? 1 : 0), 6,
                    "an epoch that rose without, or not by one with an assignment");
  findings_.require(assigns || takes_over || (is.assigner == was.assigner && is.assignee == was.assignee), 1,
                    "the task went to another without an assignment");
  findings_.require(!assigns || (is.assigner == said.sender && name_of(is.assignee) == said.to), 3,
                    "assigned to another than was said");
}

// INV-20.
void TaskModel::judge_offer(const Said& said, const View& was, const View& is) {
  if (said.kind == Kind::task_handoff) {
    const bool was_free = was.offer == Offset{} || !world_.present(was.target);
    findings_.require(was_free, 20, "a task is offered to two");
    findings_.require(is.offer == world_.workspace().head && name_of(is.target) == said.to, 20,
                      "offered to another than was said");
    findings_.require(is.assignee == was.assignee, 20, "who is offered a task has it before it takes it");
    return;
  }
  if (said.offer != Offset{}) {
    findings_.require(is.offer == Offset{}, 20, "an offer that was answered is open");
    const AgentNumber owner = *said.accepts ? said.sender : was.assignee;
    findings_.require(is.assignee == owner && is.assigner == was.assigner, 3,
                      "what was taken, or declined, went to another");
    findings_.require(is.assignment == (*said.accepts ? said.offer : was.assignment), 3,
                      "the offer that was taken is not the order");
    return;
  }
  const Offset stays = is.open() ? was.offer : Offset{};
  findings_.require(is.offer == stays, 20, "an offer ended, or outlived its task");
}

// The table read on its own.
const Move* TaskModel::row_of(const Said& said, const View& was) const {
  for (const Move& move : machine::task::moves) {
    if (move.on != said.kind || (move.from & machine::task::of(was.state)) == 0) continue;
    if (move.when == Guard::takes && !said.accepts.value_or(false)) continue;
    if (move.when == Guard::declines && said.accepts.value_or(true)) continue;
    if (move.when == Guard::needs_no_ack && rules_.tasks->needs_ack) continue;
    if (move.when == Guard::is_free && was.offer != Offset{} && world_.present(was.target)) continue;
    if (move.when == Guard::passes && said.verdict != engine::ReviewState::approved) continue;
    const bool changes = said.verdict == engine::ReviewState::changes_requested;
    const bool last = scope_.limited && reviews_of(said.task) >= scope_.reviews;
    if (move.when == Guard::needs_changes && (!changes || last)) continue;
    if (move.when == Guard::needs_a_human && (!changes || !last)) continue;
    if (move.when == Guard::is_exhausted) continue;  // no workspace of ours has it so
    if (move.when == Guard::is_rejected && said.verdict != engine::ReviewState::rejected) continue;
    const bool of_a_hold =  // no message of this world asks for a human
        move.when == Guard::is_held || move.when == Guard::is_held_at_once || move.when == Guard::is_released;
    if (move.when == Guard::is_in_part || move.when == Guard::is_in_part_at_once) continue;  // nor is done in part
    if (of_a_hold || move.when == Guard::must_wait || move.when == Guard::cannot_begin) continue;  // nor depends on one
    if (move.by == Party::assignee && said.sender != was.assignee) continue;
    if (move.by == Party::reviewer && said.sender != was.reviewer) continue;
    if (move.by == Party::target && (said.sender != was.target || said.looser)) continue;
    if (move.by == Party::assigner && said.sender != was.assigner && world_.present(was.assigner)) continue;
    return &move;
  }
  return nullptr;
}

// INV-1, of whatever state.
void TaskModel::check_owners() {
  std::map<std::string, int> open;
  for (const auto& [offset, task] : world_.workspace().tasks.all())
    if (!machine::task::is_over(task->state)) ++open[std::string(task->id.view())];
  for (const auto& [id, count] : open)
    findings_.require(count == 1, 1, "'" + id + "' is the task of two agents at once");
  for (std::uint32_t i = 1; i <= world_.agents(); ++i)
    for (const Offset offset : world_.workspace().tasks.of(AgentNumber(i)))
      findings_.require(world_.workspace().tasks.at(offset).assignee == AgentNumber(i), 1,
                        "a task stands with an agent that is not its assignee");
}

}  // namespace parley::models::task_model
