// What ends copies from outside their mailbox: holds, removals, tasks and requests that are over, and what their sender
// takes back (P3, O4, BEY-03).

#include "sim/chronicle.hpp"

namespace parley::sim {

// COL-16: who had read it has it before it once more.
void Chronicle::give_again(std::uint32_t number, std::uint32_t agent_number, std::uint64_t order) {
  const Place place{number, agent_number, order};
  Receipt* const found = receipt(place, "an order or a request given again");
  if (!found || open(found->state)) return;
  const bool was_read =
      found->state == State::acked || found->state == State::acted || found->state == State::handed_over;
  // Or it was taken out of the mailbox while a human decided (SUP-04), or had no reply in time (BEY-01).
  const bool comes_again = found->state == State::superseded || found->state == State::bounced;
  require(was_read || comes_again, place, "COL-16: given again, though it cannot be had");
  found->begin_anew();
  Agent& agent = workspaces_[number].agents[agent_number];
  count_open(agent);
  agent.open.insert(order);
  count_open(agent);
}

// Where it was not acked yet it comes again too, as if it had never been tried.
void Chronicle::give_order_again(std::uint32_t number, const event::TaskMoved& event) {
  const std::uint64_t order = tasks_.order_of(number, event.task());
  const Place place{number, event.assignee(), order};
  Receipt* const found = receipt(place, "an order given again");
  if (!found) return;
  const bool is_here = !workspaces_[number].agents[event.assignee()].removed;
  if (found->state == State::bounced && !is_here) return tasks_.lose(number, order, event.assignee(), now_);
  if (!open(found->state)) return give_again(number, event.assignee(), order);
  begin_anew(place, *found);
}

void Chronicle::ask_again(std::uint32_t number, const event::RequestAskedAgain& event) {
  if (!event.given()) return;
  if (!event.anew()) return give_again(number, event.agent(), event.request());
  const Place place{number, event.agent(), event.request()};
  Receipt* const found = receipt(place, "a request given again");
  if (!found || !open(found->state)) return;
  begin_anew(place, *found);
  sightings_.saw(Sighting::request_asked_anew);
}

void Chronicle::begin_anew(const Place& place, Receipt& receipt) {
  if (receipt.state == State::leased) give_back_lane(place, workspaces_[place.workspace].messages.at(place.offset));
  receipt.begin_anew();
}

// COL-10: what it waited for is completed.
void Chronicle::let_go(std::uint32_t number, const event::TaskMoved& event) {
  const std::uint64_t order = tasks_.order_of(number, event.task());
  const Place place{number, event.assignee(), order};
  Receipt* const found = receipt(place, "an order that was kept back");
  if (!found) return;
  require(found->state == State::held, place, "COL-10: it goes out, and was not kept back");
  end_hold(place, *found, State::queued);
  Agent& agent = workspaces_[number].agents[event.assignee()];
  agent.open.insert(order);
  count_open(agent);
}

void Chronicle::end_hold(const Place& place, Receipt& receipt, State to) {
  Agent& agent = workspaces_[place.workspace].agents[place.agent];
  count_open(agent);
  --agent.held;
  move(place, receipt, to);
}

void Chronicle::fold(std::uint32_t number, const event::AgentRemoved& event) {
  workspaces_[number].agents[event.number()].removed = true;
  sightings_.saw(Sighting::agent_removed);
}

void Chronicle::fold(std::uint32_t number, const event::MessagesBounced& event) {
  Workspace& workspace = workspaces_[number];
  std::set<std::uint32_t> told;
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "a bounce");
    if (!found) return;
    require(workspace.agents[event.agent()].removed, place, "P3: bounced at an agent that is here");
    require(open(found->state), place, "O4: bounced after its end");
    Message& message = workspace.messages.at(offset);
    if (told.insert(message.sender).second) owe(number, message, "bounced", offset);
    end(place, *found, State::bounced);
  }
}

// COL-20, BEY-03: the abort of a task ends what waits of it, and who it is given to anew the old order; nothing of
// another task.
void Chronicle::fold(std::uint32_t number, const event::MessagesSuperseded& event) {
  Workspace& workspace = workspaces_[number];
  const auto by = workspace.messages.find(event.by());
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "what is superseded");
    if (!found) return;
    const std::uint64_t lane = workspace.messages.at(offset).lane;
    const bool same_task = by != workspace.messages.end() && lane != 0 && lane == by->second.lane;
    const bool of_its_task = (same_task && offset < event.by()) || tasks_.replaced(number, offset, event.by()) ||
                             tasks_.ended(number, event.by()) || help_.ended(number, offset);
    require(of_its_task, place, "P3: superseded, and what it is about goes on");
    if (found->state == State::held) end_hold(place, *found, State::superseded);
    if (!open(found->state)) continue;
    end(place, *found, State::superseded);
    sightings_.saw(Sighting::superseded);
  }
}

// BEY-03: by its sender, once; wherever it had not come to an end it ends.
void Chronicle::fold(std::uint32_t number, const event::MessageTakenBack& event) {
  Workspace& workspace = workspaces_[number];
  const std::uint64_t offset = event.message();
  const Place place{number, 0, offset};
  Message& message = workspace.messages[offset];
  require(!message.taken_back, place, "BEY-03: taken back twice");
  require(event.sender() == message.sender && message.sender != 0, place, "BEY-03: taken back by another");
  require(event.by() == 0 || event.by() > offset, place, "BEY-03: an older message stands in its place");
  message.taken_back = true;
  const State final = event.by() == 0 ? State::rescinded : State::superseded;
  for (const std::uint32_t agent : event.agents()) {
    Receipt* const found = receipt({number, agent, offset}, "what is taken back");
    if (!found) return;
    Agent& recipient = workspace.agents[agent];
    count_open(recipient);
    if (found->state == State::held) --recipient.held;
    if (found->state == State::dead) --recipient.dead;
    require(open(found->state) || found->state == State::held || found->state == State::dead, {number, agent, offset},
            "BEY-03: taken back after its end");
    move({number, agent, offset}, *found, final);
    recipient.open.erase(offset);
  }
  for (const auto& [agent, receipt_there] : message.receipts)
    require(!open(receipt_there.state) && receipt_there.state != State::held, {number, agent, offset},
            "BEY-03: taken back, and still to come");
  sightings_.saw(event.by() == 0 ? Sighting::rescinded : Sighting::put_in_its_place);
}

// BEY-01: a reply that did not come in time; where it ended otherwise in the same turn nothing was awaited any more.
void Chronicle::fold(std::uint32_t number, const event::RequestTimedOut& event) {
  if (!bounces_) return;
  const std::uint64_t offset = event.request();
  for (const std::uint32_t agent : event.silent()) {
    const Place place{number, agent, offset};
    Receipt* const found = receipt(place, "a reply that did not come");
    if (!found) return;
    if (open(found->state)) {
      end(place, *found, State::bounced);
      tasks_.lose(number, offset, agent, now_);
    } else if (found->state == State::acked || found->state == State::handed_over) {
      move(place, *found, State::bounced);
    }
  }
  owe(number, workspaces_[number].messages[offset], "bounced", offset);
  sightings_.saw(Sighting::reply_missed);
}

// BEY-01: nor comes one any more from who was removed; what is still in its mailbox bounces with its mail.
void Chronicle::fold(std::uint32_t number, const event::RequestGivenUp& event) {
  bool taken = false;
  for (const std::uint32_t agent : event.agents()) {
    const Place place{number, agent, event.request()};
    Receipt* const found = receipt(place, "a reply that cannot come");
    if (!found) return;
    taken |= found->state == State::acked || found->state == State::handed_over || found->state == State::acted;
    if (found->state == State::acked || found->state == State::handed_over) move(place, *found, State::bounced);
  }
  if (taken) owe(number, workspaces_[number].messages[event.request()], "bounced", event.request());
}

}  // namespace parley::sim
