#include "sim/chronicle.hpp"

#include <algorithm>

#include "envelope/kind.hpp"
#include "machine/receipt.hpp"
#include "machine/task.hpp"
#include "sim/time_missed.hpp"

namespace parley::sim {
namespace {

const std::string timed_out = "request_timed_out", given_up = "task_given_up";

std::string text_of(std::uint32_t workspace, std::uint32_t agent, std::uint64_t offset) {
  return "message " + std::to_string(offset) + " at agent " + std::to_string(agent) + " of workspace " +
         std::to_string(workspace);
}

// As spec/machines/receipt.json names it; what was handed over is its recipient's as what was acked is.
machine::receipt::State in_table(Chronicle::State state) {
  using machine::receipt::State;
  constexpr std::array states{State::queued,    State::offered, State::waiting,  State::acked,    State::acted,
                              State::acked,     State::expired, State::dead,     State::bounced,  State::superseded,
                              State::rescinded, State::held,    State::rejected, State::discarded};
  return states[static_cast<std::size_t>(state)];
}

bool is_move(Chronicle::State from, Chronicle::State to) {
  const machine::receipt::State here = in_table(from), there = in_table(to);
  return std::ranges::any_of(machine::receipt::moves, [&](const machine::receipt::Move& move) {
    return (move.from & machine::receipt::of(here)) != 0 && move.to == there;
  });
}

}  // namespace

// D7: a receipt goes by its table.
void Chronicle::move(const Place& place, Receipt& found, State to) {
  require(is_move(found.state, to), place, "D7: a receipt made a move that its table does not know");
  found.state = to;
}

void Chronicle::require(bool holds, const Place& place, std::string_view what) {
  if (!holds) findings_.wrong(std::string(what) + ": " + text_of(place.workspace, place.agent, place.offset));
}

Chronicle::Receipt* Chronicle::receipt(const Place& place, std::string_view event) {
  Workspace& workspace = workspaces_[place.workspace];
  const auto message = workspace.messages.find(place.offset);
  if (message != workspace.messages.end())
    if (const auto at = message->second.receipts.find(place.agent); at != message->second.receipts.end())
      return &at->second;
  require(false, place, "O4: " + std::string(event) + " of what was never sent there");
  return nullptr;
}

std::uint32_t Chronicle::attempts_allowed(std::uint32_t workspace, const Message& message) const {
  if (message.notice) return profile::RetryPolicy{}.attempts;
  const auto& agents = workspaces_.at(workspace).agents;
  // R31: what the server says is in its recipient's protocol.
  const auto whose = agents.find(message.sender == 0 ? message.receipts.begin()->first : message.sender);
  const profile::Ruleset* ruleset = whose == agents.end() ? nullptr : ruleset_of_(whose->second.profile);
  const std::uint32_t attempts = ruleset ? ruleset->retry.attempts : 0;
  return message.attempts_max > 0 ? std::min(attempts, message.attempts_max) : attempts;
}

// Called before and after a mailbox changes.
void Chronicle::count_open(Agent& agent) const {
  if (agent.counted_at != now_) agent.most_open = agent.notices = 0;
  agent.counted_at = now_;
  agent.most_open = std::max(agent.most_open, agent.open.size() + agent.dead + agent.held);
}

// Whether there was room in every moment of this block: where decisions begin and end in it, the journal does not say.
bool Chronicle::had_room(const Workspace& workspace, Agent& agent) const {
  count_open(agent);
  return workspace.settings_changed_at != now_ && agent.most_open + agent.notices < workspace.mailbox_messages;
}

// BEY-03: what the message takes the place of at once. Where it is held, that is a held one that was to take the same
// place.
bool Chronicle::is_left_by_another(const Place& place, const event::MessageAccepted& event) const {
  const auto& messages = workspaces_.at(place.workspace).messages;
  const auto state_of = [&](std::uint64_t offset) -> std::optional<State> {
    const auto message = messages.find(offset);
    if (message == messages.end()) return std::nullopt;
    const auto receipt = message->second.receipts.find(place.agent);
    return receipt == message->second.receipts.end() ? std::nullopt : std::optional(receipt->second.state);
  };
  if (event.supersedes_later())
    return std::ranges::any_of(tasks_.corrections(place.workspace), [&](const auto& correction) {
      return correction.second == event.supersedes() && state_of(correction.first) == State::held;
    });
  const auto state = state_of(event.supersedes());
  return state && (open(*state) || state == State::held || state == State::dead);
}

void Chronicle::fold(const event::Event& event, base::Instant at, const base::Digest& body_hash) {
  now_ = at;
  if (findings_.verbose()) findings_.trace("event " + event.ShortDebugString());
  bounces_ =
      event.has_request_timed_out() && requests_.is_open({event.workspace(), event.request_timed_out().request()});
  requests_.fold(event, at);
  errors_.fold(event);
  runners_.fold(event, at);
  health_.fold(event, at);
  budgets_.fold(event);
  approvals_.fold(event, at);
  collaborations_.fold(event);
  help_.fold(event, at);
  loops_.fold(event);
  tasks_.fold(event, at);
  switch (event.fact_case()) {
    case event::Event::kServerStarted:
      return move_what_waits(time_missed(event));
    case event::Event::kServerStopped:
      return;
    case event::Event::kTimeSkipped:
      sightings_.saw(Sighting::machine_suspended);
      return move_what_waits(time_missed(event));
    case event::Event::kWorkspaceCreated: {
      const auto& created = event.workspace_created();
      Workspace& workspace = workspaces_[created.number()];
      workspace.mailbox_messages = created.settings().mailbox_messages();
      workspace.rate_messages = created.settings().rate_messages();
      workspace.rate_window = base::Duration(created.settings().rate_window());
      return;
    }
    default:
      return fold_in_workspace(event, at, body_hash);
  }
}

void Chronicle::fold_in_workspace(const event::Event& event, base::Instant at, const base::Digest& body_hash) {
  const std::uint32_t number = event.workspace();
  const std::uint64_t offset = event.offset();
  Workspace& workspace = workspaces_[number];
  if (offset != workspace.head + 1)
    findings_.wrong("O3: offset " + std::to_string(offset) + " follows " + std::to_string(workspace.head));
  workspace.head = offset;

  using event::Event;
  switch (event.fact_case()) {
    case Event::kWorkspaceChanged:
      workspace.mailbox_messages = event.workspace_changed().settings().mailbox_messages();
      workspace.settings_changed_at = at;
      return;
    case Event::kAgentRegistered: {
      const auto& agent = event.agent_registered();
      workspace.agents[agent.number()] = {
          agent.agent_id(), agent.properties().profile(), false, {}, 0, 0, 0, 0, {}, {}};
      return;
    }
    case Event::kAgentRemoved:
      return fold(number, event.agent_removed());
    case Event::kMessagesBounced:
      return fold(number, event.messages_bounced());
    case Event::kMessagesSuperseded:
      return fold(number, event.messages_superseded());
    case Event::kHelpMoved:
      return pass_on(number, event.help_moved());
    case Event::kMessageTakenBack:
      return fold(number, event.message_taken_back());
    case Event::kMessageReleased:
      return fold(number, event.message_released(), body_hash);
    case Event::kMessageWithheld:
      return fold(number, event.message_withheld());
    case Event::kMessageAccepted:
      return fold(number, offset, event.message_accepted(), body_hash);
    case Event::kNoticePosted:
      return fold(number, offset, event.notice_posted(), body_hash);
    case Event::kOffered:
      return fold(number, event.offered(), at);
    case Event::kAcked:
      return fold(number, event.acked(), at);
    case Event::kActed:
      return fold(number, event.acted(), at);
    case Event::kNacked:
      return fold(number, event.nacked(), at);
    case Event::kLeasesExtended:
      return fold(number, event.leases_extended(), at);
    case Event::kLeasesEnded:
      return fold(number, event.leases_ended(), at);
    case Event::kLeasesReturned:
      return fold(number, event.leases_returned());
    case Event::kBackoffsEnded:
      return fold(number, event.backoffs_ended(), at);
    case Event::kExpired:
      return fold(number, event.expired(), at);
    case Event::kDeadLettered:
      return fold(number, event.dead_lettered(), at);
    case Event::kRedriven:
      return fold(number, event.redriven(), at);
    case Event::kDeadLetterDiscarded:
      return fold(number, event.dead_letter_discarded());
    case Event::kRequestTimedOut: {
      if (event.request_timed_out().bounces()) return fold(number, event.request_timed_out());
      Message asked;
      asked.sender = event.request_timed_out().asker();
      return owe(number, asked, timed_out, 0);
    }
    case Event::kRequestAskedAgain:
      return ask_again(number, event.request_asked_again());
    case Event::kRequestGivenUp: {
      if (event.request_given_up().bounces()) return fold(number, event.request_given_up());
      Message asked;
      asked.sender = event.request_given_up().asker();
      return owe(number, asked, timed_out, 0);
    }
    case Event::kTaskMoved: {
      if (event.task_moved().given_again()) return give_order_again(number, event.task_moved());
      if (event.task_moved().let_go()) return let_go(number, event.task_moved());
      if (event.task_moved().state() != static_cast<std::uint32_t>(TaskChronicle::State::failed)) return;
      Message assigned;
      assigned.sender = event.task_moved().assigner();
      return owe(number, assigned, given_up, 0);
    }
    case Event::kMessagesForgotten:
      workspace.forgotten_through = event.messages_forgotten().through();
      sightings_.saw(Sighting::ids_forgotten);
      return;
    default:
      return;
  }
}

void Chronicle::check_content(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& event,
                              const base::Digest& hash) {
  Workspace& workspace = workspaces_[number];
  const Place place{number, event.sender(), offset};
  const auto issued = ledger_.issued.find({number, hash});
  if (issued == ledger_.issued.end()) return require(false, place, "O2: accepted, but nobody sent these bytes");
  require(issued->second.senders.contains(event.sender()), place, "O2: accepted from another sender");
  // Forgotten (R8), one without a timestamp may be taken for new; any other is TOO_OLD (decision 0001).
  const auto [before, first] = workspace.accepted_groups.try_emplace(issued->second.group, offset);
  if (!first) {
    require(!issued->second.dated && before->second <= workspace.forgotten_through, place,
            "O2: accepted a second time, first at offset " + std::to_string(before->second));
    before->second = offset;
  }
}

// What the server says in an agent's protocol (R31); it is owed one such word for each request that was not answered,
// and for each task that was given up.
void Chronicle::take_said(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& event) {
  require(event.recipients_size() == 1, {number, 0, offset}, "R31: said to others than one");
  const auto kind = static_cast<envelope::Kind>(event.kind());
  const bool ends_a_task = kind == envelope::Kind::task_complete || kind == envelope::Kind::task_fail;
  const auto owed = owed_.find({number, event.recipients(0), ends_a_task ? given_up : timed_out, 0});
  if (owed != owed_.end()) owed_.erase(owed);
  ++workspaces_[number].agents[event.recipients(0)].notices;
}

void Chronicle::fold(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& event,
                     const base::Digest& hash) {
  if (event.sender() == 0)
    take_said(number, offset, event);
  else
    check_content(number, offset, event, hash);
  Workspace& workspace = workspaces_[number];
  Message& message = workspace.messages[offset];
  message.lane = event.lane();
  message.priority = event.priority();
  message.sender = event.sender();
  message.at_most_once = event.at_most_once();
  message.attempts_max = event.attempts_max();
  message.hash = message.sent = hash;
  if (event.has_expires_at()) message.expires = base::instant_of(event.expires_at());
  if (workspace.rate_messages > 0 && event.sender() != 0) {  // MSH-15, as a window that ends now sees it
    std::deque<base::Instant>& sent = workspace.agents[event.sender()].sent;
    sent.push_back(now_);
    while (sent.front() <= now_ - workspace.rate_window) sent.pop_front();
    require(sent.size() <= workspace.rate_messages, {number, event.sender(), offset}, "MSH-15: over the rate");
  }
  if (event.private_()) return;  // R25: to nobody's mailbox
  for (const std::uint32_t agent : event.recipients()) {
    const Place place{number, agent, offset};
    Agent& recipient = workspace.agents[agent];
    require(!recipient.removed, place, "P3: accepted for an agent that was removed");
    const std::size_t leaving = is_left_by_another(place, event) ? 1 : 0;
    require(recipient.open.size() + recipient.dead + recipient.held < workspace.mailbox_messages + leaving, place,
            "D11: accepted into a full mailbox");
    message.receipts[agent] = {};
    count_open(recipient);
    if (event.held()) {
      message.receipts[agent].state = State::held;
      ++recipient.held;
    } else {
      recipient.open.insert(offset);
    }
    count_open(recipient);
  }
  if (event.has_help_moved()) pass_on(number, event.help_moved());
  for (const std::uint32_t agent : event.bounced()) {
    message.receipts[agent].state = State::bounced;
    sightings_.saw(Sighting::bounced);
  }
}

// HND-04: a request goes to one more.
void Chronicle::pass_on(std::uint32_t number, const event::HelpMoved& moved) {
  if (moved.help() == 0 || moved.helper() == 0) return;
  const Place place{number, moved.helper(), moved.help()};
  Workspace& workspace = workspaces_[number];
  Agent& helper = workspace.agents[moved.helper()];
  Message& message = workspace.messages[moved.help()];
  require(!message.receipts.contains(moved.helper()), place, "HND-04: passed on to who had it");
  require(message.expires == base::Instant{} || message.expires > now_, place, "HND-10: passed on after its end");
  message.receipts[moved.helper()] = {};
  count_open(helper);
  helper.open.insert(moved.help());
  count_open(helper);
}

namespace {

// COL-10: an order that waits for others is held for their sake now.
bool keeps_back(const event::TaskMoved& moved) {
  const auto to = static_cast<machine::task::State>(moved.state());
  return moved.assignee() != 0 && (to == machine::task::State::waiting || to == machine::task::State::blocked);
}

}  // namespace

// SUP-04: to whom it was sent, but for who was removed since.
void Chronicle::fold(std::uint32_t number, const event::MessageReleased& event, const base::Digest& hash) {
  Workspace& workspace = workspaces_[number];
  const std::uint64_t offset = event.message();
  Message& message = workspace.messages[offset];
  if (event.changed()) {
    message.hash = hash;
    message.priority = event.as().priority();
    message.attempts_max = event.as().attempts_max();
  }
  std::size_t held = 0;
  for (auto& [number_of, receipt] : message.receipts) {
    if (receipt.state != State::held) continue;
    Agent& agent = workspace.agents[number_of];
    const auto& to = event.as().recipients();
    const bool released = std::find(to.begin(), to.end(), number_of) != to.end();
    require(released != agent.removed, {number, number_of, offset},
            "SUP-04: released to who was removed, or not to all");
    ++held;
    if (released && keeps_back(event.as().task_moved())) continue;
    count_open(agent);
    --agent.held;
    move({number, number_of, offset}, receipt, released ? State::queued : State::bounced);
    if (released) agent.open.insert(offset);
    count_open(agent);
  }
  require(held > 0, {number, 0, offset}, "SUP-04: released, though it was not held");
  if (event.as().bounced_size() > 0) owe(number, message, "bounced", offset);
}

void Chronicle::fold(std::uint32_t number, const event::MessageWithheld& event) {
  Workspace& workspace = workspaces_[number];
  for (auto& [number_of, receipt] : workspace.messages[event.message()].receipts)
    if (receipt.state == State::held)
      end_hold({number, number_of, event.message()}, receipt, event.superseded() ? State::superseded : State::rejected);
}

void Chronicle::fold(std::uint32_t number, std::uint64_t offset, const event::NoticePosted& event,
                     const base::Digest& hash) {
  Workspace& workspace = workspaces_[number];
  const auto owed = owed_.find({number, event.agent(), event.code(), event.about()});
  if (owed != owed_.end()) owed_.erase(owed);
  Message& message = workspace.messages[offset];
  message.priority = static_cast<std::uint32_t>(envelope::Priority::high);
  message.notice = true;
  message.hash = message.sent = hash;
  message.receipts[event.agent()] = {};
  Agent& told = workspace.agents[event.agent()];
  count_open(told);
  require(told.open.size() + told.dead + told.held < workspace.mailbox_messages, {number, event.agent(), offset},
          "D11: a notice into a full mailbox");
  told.open.insert(offset);
  ++told.notices;
  count_open(told);
}

// D2: what waits on agents, by the time that was missed.
void Chronicle::move_what_waits(base::Duration by) {
  for (auto& [number, workspace] : workspaces_)
    for (auto& [agent_number, agent] : workspace.agents)
      for (const std::uint64_t offset : agent.open) {
        Receipt& found = workspace.messages.at(offset).receipts.at(agent_number);
        if (found.state != State::queued) found.until += by;
      }
}

void Chronicle::owe(std::uint32_t number, const Message& message, std::string code, std::uint64_t about) {
  Workspace& workspace = workspaces_[number];
  const auto sender = workspace.agents.find(message.sender);
  const bool none = sender == workspace.agents.end() || sender->second.removed;
  if (none || !had_room(workspace, sender->second)) return;  // D11: for notices too; receipts say the same
  owed_.insert({number, message.sender, std::move(code), about});
}

void Chronicle::compare(Ledger& ledger) {
  for (const AcceptedAnswer& answer : ledger.accepted) {
    const Place place{answer.content.workspace, 0, answer.offset};
    const auto& messages = workspaces_[place.workspace].messages;
    const auto message = messages.find(answer.offset);
    if (message == messages.end()) {
      require(false, place, "O2: an accepted message is lost");
      continue;
    }
    // The same JSON value in other bytes is the same message (R8): the groups count, not the hashes.
    const auto there = ledger.issued.find({place.workspace, message->second.sent});
    const bool same = there != ledger.issued.end() && there->second.group == ledger.issued.at(answer.content).group;
    require(same, place, "O3: another message stands at the offset that was answered");
  }
  for (const ReceivedDelivery& delivery : ledger.received) {
    const Place place{delivery.offer.workspace, delivery.offer.agent, delivery.offer.offset};
    const auto offer = offers_.find(delivery.offer);
    if (offer == offers_.end()) {
      require(false, place, "O4: delivered without the record of offer " + std::to_string(delivery.offer.epoch));
      continue;
    }
    const Message& message = workspaces_[place.workspace].messages.at(place.offset);
    require(delivery.hash == message.hash, place, "P9: delivered bytes are not those that were sent");
    require(delivery.notice == message.notice, place, "D7: a notice is no agent's message");
    require(delivery.attempt == offer->second.attempt, place, "HND-09: delivered with another attempt's number");
    require(delivery.lease_until.has_value() != offer->second.final, place, "R20: the lease is not that of its class");
    if (offer->second.final)
      require(handed_over_.insert(delivery.offer).second, place, "O4: an at-most-once message came twice");
  }
  for (const OfferKey& ack : ledger.acked)
    require(acks_.contains(ack), {ack.workspace, ack.agent, ack.offset}, "P1: an ack that was answered is lost");
  ledger.accepted.clear();
  ledger.received.clear();
  ledger.acked.clear();
}

std::vector<std::uint64_t> Chronicle::open_in(std::uint32_t workspace, std::uint32_t agent) const {
  const auto here = workspaces_.find(workspace);
  if (here == workspaces_.end()) return {};
  const auto at = here->second.agents.find(agent);
  if (at == here->second.agents.end()) return {};
  return {at->second.open.begin(), at->second.open.end()};
}

std::size_t Chronicle::open_everywhere() const {
  std::size_t count = 0;
  for (const auto& [number, workspace] : workspaces_)
    for (const auto& [agent, facts] : workspace.agents)
      if (!facts.removed) count += facts.open.size();
  return count;
}

void Chronicle::check_all_ended() {
  for (const auto& [number, workspace] : workspaces_)
    for (const auto& [agent, facts] : workspace.agents)
      for (const std::uint64_t offset : facts.open)
        require(false, {number, agent, offset}, "P3: never delivered to its end");
  tasks_.check_all_ended();
  approvals_.check_all_ended();
  help_.check_all_ended();
  for (const Owed& owed : owed_)
    require(false, {owed.workspace, owed.sender, owed.about}, "D7: the sender was never told '" + owed.code + "'");
}

}  // namespace parley::sim
