// Offers that are taken back (BEY-03).
#include "task/model.hpp"

#include <set>

namespace parley::models::task_model {

void TaskModel::take_offers_back(const Views& before, const Arrive& arrive) {
  for (const std::string& id : scope_.ids)
    for (const Offset offer : offers_of(id)) {
      const AgentNumber sender = world_.workspace().messages.at(offer).sender;
      if (!world_.present(sender)) continue;
      const std::string what = "offer " + std::to_string(offer.value) + " of '" + id + "'";
      rescind(id, offer, what, before, arrive);
      if (before.at(id).offer == offer || before.at(id).assignment == offer) supersede(id, offer, what, before, arrive);
    }
}

// As the journal has it.
event::MessageAccepted TaskModel::was_of(Offset task, const Task& of_task) {
  event::MessageAccepted was;
  was.set_kind(static_cast<std::uint32_t>(Kind::task_handoff));
  was.mutable_task_moved()->set_task(task.value);
  was.mutable_task_moved()->set_state(static_cast<std::uint32_t>(of_task.state));
  was.mutable_task_moved()->mutable_offer()->set_state(event::TaskOffer::OFFERED);
  return was;
}

void TaskModel::rescind(const std::string& id, Offset offer, const std::string& what, const Views& before,
                        const Arrive& arrive) {
  findings_.at(what + " is rescinded");
  const event::MessageAccepted was = was_of(offset_of(id), *find(id));
  const bool stands = !world_.decide(engine::TakeBack{team, offer, was, "changed my mind"});
  if (stands && planted_ == Planted::taken_back_late && before.at(id).assignment == offer && before.at(id).open())
    (void)world_.decide(engine::CancelTask{team, offset_of(id), before.at(id).assigner, "changed my mind"});
  judge_taken_back(id, offer, before, arrive, what + " is rescinded");
}

// By a message that is about no task; one that offers it anew is refused.
void TaskModel::supersede(const std::string& id, Offset offer, const std::string& what, const Views& before,
                          const Arrive& arrive) {
  const AgentNumber sender = world_.workspace().messages.at(offer).sender;
  const event::MessageAccepted was = was_of(offset_of(id), *find(id));
  for (const bool anew : {true, false}) {
    const std::string step = what + " is superseded" + (anew ? " by another" : "");
    findings_.at(step);
    Said said{.kind = anew ? Kind::task_handoff : Kind::help_reply, .sender = sender, .task = id, .to = {}};
    said.to = first_other(sender);  // who has the offer may be gone
    if (said.to == name_of(sender)) continue;
    envelope::Envelope envelope;
    envelope.kind = said.kind;
    envelope.native_type = rules_.type(*world_.type_of(said.kind)).name;
    envelope.message_id = "m" + std::to_string(world_.workspace().head.value);
    envelope.recipients = {said.to};
    envelope.delivery = envelope::DeliveryClass::at_most_once;
    if (anew) {
      envelope.task = id;
      write_offer(said, envelope);
    }
    engine::AcceptMessage command = world_.command(sender, envelope);
    const engine::TakeBack superseded{team, offer, was, {}};
    command.supersedes = &superseded;
    const bool accepted = world_.decide(command).has_value();
    findings_.require(!accepted || !anew || before.at(id).offer != offer, 20, "a task is offered in an offer's place");
    if (accepted && anew) {  // in the place of one that is over: an offer like others
      world_.load(*node_);
      continue;
    }
    judge_taken_back(id, offer, before, arrive, step);
  }
}

// INV-20: an open offer is over, and its target told; one that was taken stands, and with it whose the task is.
void TaskModel::judge_taken_back(const std::string& id, Offset offer, const Views& before, const Arrive& arrive,
                                 const std::string& step) {
  const View& was = before.at(id);
  if (world_.decided_nothing())
    return findings_.require(was.offer != offer || step.ends_with("by another"), 20,
                             "an open offer cannot be taken back");
  const AgentNumber sender = world_.workspace().messages.at(offer).sender;
  std::set<std::uint32_t> told;
  for (const engine::Fact& fact : world_.facts())
    if (fact.event.has_message_accepted() && fact.event.message_accepted().sender() == 0)
      told.insert(fact.event.message_accepted().recipients(0));
  world_.apply();
  check_owners();
  const Views after = views();
  for (const std::string& other : scope_.ids)
    findings_.require(other == id || after.at(other).same_but_for_time(before.at(other)), 8,
                      "another task moved with an offer that was taken back");
  View wanted = was;
  const bool ends = was.offer == offer && after.at(id).offer == Offset{};
  if (ends) wanted.offer = {};
  // Whose task it is may end it: it takes back an order of its own.
  const bool cancels =
      was.assignment == offer && after.at(id).state == TaskState::aborted && was.open() && sender == was.assigner;
  if (cancels) return arrive(step, false);
  findings_.require(after.at(id).same_but_for_time(wanted), 20, "a task moved with an offer that was taken back");
  findings_.require(!ends || !world_.present(was.target) || told.contains(was.target.value), 4,
                    "an offer was taken back and its target not told");
  findings_.require(ends || was.offer != offer, 20, "an open offer cannot be taken back");
  if (ends) return arrive(step, false);
  world_.load(*node_);
}

}  // namespace parley::models::task_model
