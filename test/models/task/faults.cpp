// Faults of ours: what the engine refused happens all the same, or its facts are others.
#include "task/model.hpp"

namespace parley::models::task_model {

bool TaskModel::smuggled(const Said& said, const Views& before) const {
  const View& was = before.at(said.task);
  if (planted_ == Planted::two_owners)
    return said.kind == Kind::task_assign && was.open() && name_of(was.assignee) != said.to &&
           said.sender == was.assigner;
  if (planted_ == Planted::double_decision)
    return said.kind == Kind::task_complete && was.state == TaskState::completed && said.sender == was.assignee;
  if (planted_ == Planted::double_answer)
    return said.offer == was.assignment && said.sender == was.assignee && was.open() && *said.accepts;
  return false;
}

// As if the engine had not refused it.
void TaskModel::smuggle(Said said) {
  const Task& task = *find(said.task);
  const auto offset = *world_.workspace().tasks.find(said.task);
  if (planted_ == Planted::two_owners) {
    said.task = "another";
    (void)decide(said);
    world_.facts().front().event.mutable_message_accepted()->set_task(std::string(task.id.view()));
  } else if (planted_ == Planted::double_answer) {
    said.kind = Kind::status_report;  // a message that concerns no task
    said.task = "";
    (void)decide(said);
    event::TaskMoved& moved = *world_.facts().front().event.mutable_message_accepted()->mutable_task_moved();
    moved.set_task(offset.value);
    moved.set_state(static_cast<std::uint32_t>(TaskState::active));
    moved.set_epoch(task.epoch + 1);
    moved.set_assignee(said.sender.value);
    moved.mutable_offer()->set_state(event::TaskOffer::ACCEPTED);
  } else {
    said.kind = Kind::task_abort;  // of a session: a message that concerns no task
    said.sender = task.assigner;
    said.to = name_of(task.assignee);
    said.task = "";
    (void)decide(said);
    event::TaskMoved& moved = *world_.facts().front().event.mutable_message_accepted()->mutable_task_moved();
    moved.set_task(offset.value);
    moved.set_state(static_cast<std::uint32_t>(TaskState::completed));
    moved.set_epoch(task.epoch);
  }
}

void TaskModel::alter(event::Event& event) const {
  if (!event.has_message_accepted() || !event.message_accepted().has_task_moved()) return;
  event::MessageAccepted& message = *event.mutable_message_accepted();
  if (message.task_moved().has_offer()) return alter_offer(message);
  if (planted_ == Planted::lost_completion && message.kind() == static_cast<std::uint32_t>(Kind::task_complete))
    message.clear_task_moved();
  else if (planted_ == Planted::skipped_epoch && message.task_moved().epoch() > 1)
    message.mutable_task_moved()->set_epoch(message.task_moved().epoch() + 1);
}

void TaskModel::alter_offer(event::MessageAccepted& message) const {
  using event::TaskOffer;
  event::TaskMoved& moved = *message.mutable_task_moved();
  if (planted_ == Planted::early_owner && moved.offer().state() == TaskOffer::OFFERED) {
    moved.set_assigner(message.sender());
    moved.set_assignee(message.recipients(0));
    moved.clear_offer();
  }
  if (moved.offer().state() != TaskOffer::ACCEPTED) return;
  if (planted_ == Planted::skipped_epoch_of_offer) moved.set_epoch(moved.epoch() + 1);
  if (planted_ == Planted::lost_answer) message.clear_task_moved();
}

}  // namespace parley::models::task_model
