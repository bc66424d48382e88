#include "engine/steps.hpp"

#include <algorithm>

#include "engine/appliers.hpp"
#include "engine/deciding.hpp"
#include "engine/help/watch.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/mailboxes/open_messages.hpp"
#include "engine/messages/notice.hpp"
#include "engine/requests/give_up.hpp"
#include "engine/retry.hpp"
#include "engine/reviews/time_out.hpp"
#include "engine/tasks/returned.hpp"
#include "engine/tasks/session.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t help_weight = 20;  // in messages: each may look at every agent (D11)

std::string_view what_ended(bool server_stopped) {
  return server_stopped ? "server stopped" : "connection lost";
}

std::vector<Offset> offsets_of(const google::protobuf::RepeatedField<std::uint64_t>& values) {
  std::vector<Offset> offsets;
  offsets.reserve(static_cast<std::size_t>(values.size()));
  for (const std::uint64_t value : values) offsets.emplace_back(value);
  return offsets;
}

// How many went back, dead ones too.
std::size_t decide_returned(const Deciding& deciding, const LostSession& lost, bool server_stopped, std::size_t most) {
  const Workspace& workspace = deciding.workspace();
  const auto offsets = workspace.registry.agent(lost.agent).mailbox.leased_to(lost.session, most);
  for (const Offset offset : offsets)
    if (workspace.messages.at(offset).receipt_of(lost.agent)->uncounted + 1 >= uncounted_offers_max)
      decide_dead(deciding, lost.agent, offset,
                  "its readers were lost " + std::to_string(uncounted_offers_max) + " times",
                  {what_ended(server_stopped), {}});
  event::LeasesReturned& event = *deciding.decided.add(deciding.number).mutable_leases_returned();
  event.set_agent(lost.agent.value);
  event.set_session(lost.session.value);
  event.set_server_stopped(server_stopped);
  for (const Offset offset : offsets) event.add_offsets(offset.value);
  return offsets.size();
}

// D7: the senders are told, each once a step. How many bounced.
std::size_t decide_bounced(const Deciding& deciding, AgentNumber agent, std::size_t most) {
  const Workspace& workspace = deciding.workspace();
  event::MessagesBounced& event = *deciding.decided.add(deciding.number).mutable_messages_bounced();
  event.set_agent(agent.value);
  absl::btree_map<AgentNumber, std::vector<Offset>> by_sender;
  OpenMessages open(workspace.registry.agent(agent).mailbox);
  for (Offset offset = open.next(); offset != Offset{}; offset = open.next()) {
    event.add_offsets(offset.value);
    by_sender[workspace.messages.at(offset).sender].push_back(offset);
    if (static_cast<std::size_t>(event.offsets_size()) == most) break;
  }
  const auto bounced = static_cast<std::size_t>(event.offsets_size());
  for (const auto& [sender, offsets] : by_sender)
    post_notice(deciding, sender,
                {.code = "bounced", .about = offsets, .agents = {agent}, .reason = "the recipient was removed"});
  return bounced;
}

}  // namespace

void Engine::decide(const ReturnLeases& command, const Context& context, Decided& decided) const {
  const Agent& agent = state_.workspace(command.workspace).registry.agent(command.agent);
  if (agent.removed || agent.mailbox.leased_count(command.session) == 0) return;
  decide_returned({decided, state_, command.workspace, context}, {command.workspace, command.agent, command.session},
                  false, command.most);
}

// First what others await of it and what it was offered, then its mail, the help that it was asked for and its tasks,
// then its reviews. What ended otherwise meanwhile (expired, aborted) may leave nothing to do: a step without messages
// says that it is done.
std::size_t Engine::decide_leaving(WorkspaceNumber number, AgentNumber agent, std::size_t most, const Context& context,
                                   Decided& decided) const {
  const Deciding deciding{decided, state_, number, context};
  const Workspace& workspace = deciding.workspace();
  const auto awaited = workspace.requests.awaited_from(agent, most);
  for (const Offset request : awaited) {
    const Agent& asker = workspace.registry.agent(workspace.requests.find(request)->asker);
    decide_given_up(deciding, request, agent, ruleset_of_(asker.properties.profile));
  }
  if (!awaited.empty()) return awaited.size();
  if (const auto& offers = workspace.tasks.offers_to(agent); !offers.empty()) {  // HND-02
    std::size_t over = 0;
    for (auto offer = offers.begin(); offer != offers.end() && over < most; ++offer, ++over) {
      const Offset task = *workspace.tasks.of_offer(*offer);
      const Agent& assigner = workspace.registry.agent(workspace.tasks.at(task).assigner);
      decide_offer_over(deciding, task, ruleset_of_(assigner.properties.profile),
                        "its target was removed, it stays with its owner.");
    }
    return over;
  }
  const bool has_work = !workspace.tasks.of(agent).empty() || !workspace.reviews.of(agent).empty() ||
                        !workspace.help.at_helper(agent).empty();
  if (workspace.registry.agent(agent).open_messages > 0 || !has_work) return decide_bounced(deciding, agent, most);
  std::size_t count = 0;
  for (const Offset help : workspace.help.at_helper(agent)) {
    if (count >= most) return count;
    count += help_weight;
    const Agent& asker = workspace.registry.agent(workspace.help.at(help).asker);
    decide_helper_lost(deciding, help, ruleset_of_(asker.properties.profile));
  }
  for (const Offset task : workspace.tasks.of(agent)) {
    if (count++ >= most) break;
    const Agent& assigner = workspace.registry.agent(workspace.tasks.at(task).assigner);
    decide_given_up(deciding, task, ruleset_of_(assigner.properties.profile), "its assignee was removed.");
  }
  if (count > 0) return count;
  for (const Offset review : workspace.reviews.of(agent)) {
    if (count++ == most) break;
    const Agent& asker = workspace.registry.agent(workspace.reviews.at(review).asker);
    decide_review_lapsed(deciding, review, ruleset_of_(asker.properties.profile), "its reviewer was removed.");
  }
  return count;
}

void Engine::decide_unfinished(std::size_t most, const Context& context, Decided& decided) const {
  std::size_t done = 0;
  for (const auto& [lost, server_stopped] : state_.unfinished.lost) {
    if (done >= most) return;
    const Deciding deciding{decided, state_, lost.workspace, context};
    done += std::max<std::size_t>(1, decide_returned(deciding, lost, server_stopped, most - done));
  }
  // Alone in its turn: what another step decides about the same task would not know of it.
  if (const auto& ending = state_.unfinished.aborting; !ending.empty()) {
    const auto& [number, agent] = ending.begin()->first;
    if (done < most) decide_session_step({decided, state_, number, context}, agent, most - done, ruleset_of_);
    return;
  }
  for (const auto& [workspace, agent] : state_.unfinished.leaving) {
    if (done >= most) return;
    done += std::max<std::size_t>(1, decide_leaving(workspace, agent, most - done, context, decided));
  }
  for (const auto& [who, since] : state_.unfinished.offline) {
    if (done >= most) return;
    const Deciding deciding{decided, state_, who.first, context};
    done += std::max<std::size_t>(1, decide_returned(deciding, who.second, since, most - done, ruleset_of_));
  }
}

void return_leases(const Scene& scene, SessionId session, std::span<const Offset> offsets, bool server_stopped) {
  Agent& agent = scene.agent();
  const auto all = offsets.empty() ? agent.mailbox.leased_to(session) : std::vector<Offset>();
  for (const Offset offset : offsets.empty() ? std::span(all) : offsets) {
    const Found found = find(scene.workspace, scene.agent_number, offset);
    // One before it, now dead, may have given it back with its lane.
    if (!found || found.receipt->state != ReceiptState::leased || found.receipt->session != session) continue;
    agent.attempts[offset].push_back(
        {scene.now, found.receipt->epoch, std::string(what_ended(server_stopped)), nullptr});
    ++found.receipt->uncounted;
    give_back(scene, offset, *found.message, *found.receipt);
  }
}

bool has_left(const Workspace& workspace, AgentNumber agent) {
  return workspace.registry.agent(agent).open_messages == 0 && workspace.tasks.of(agent).empty() &&
         workspace.tasks.offers_to(agent).empty() && workspace.reviews.of(agent).empty() &&
         workspace.help.at_helper(agent).empty() && workspace.requests.awaited_from(agent, 1).empty();
}

void bounce(const Scene& scene, std::span<const Offset> offsets) {
  for (const Offset offset : offsets) {
    const Found found = find(scene.workspace, scene.agent_number, offset);
    if (!open(found.receipt->state)) continue;  // taken back by an earlier fact of the same decision
    found.receipt->bounce = Bounce::removed;
    close(scene, offset, *found.message, *found.receipt, ReceiptState::bounced);
  }
}

void forget_sessions(State& state, WorkspaceNumber workspace, AgentNumber agent) {
  auto& lost = state.unfinished.lost;
  auto at = lost.lower_bound({workspace, agent, {}});
  while (at != lost.end() && at->first.workspace == workspace && at->first.agent == agent) at = lost.erase(at);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::LeasesReturned& event, Instant at) {
  const LostSession lost{number, AgentNumber(event.agent()), SessionId(event.session())};
  return_leases({state, workspace, number, lost.agent, at}, lost.session, offsets_of(event.offsets()),
                event.server_stopped());
  if (workspace.registry.agent(lost.agent).mailbox.leased_count(lost.session) == 0)
    state.unfinished.lost.erase(lost);
  else
    state.unfinished.lost.try_emplace(lost, event.server_stopped());
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::MessagesBounced& event,
           Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  bounce(scene, offsets_of(event.offsets()));
  if (has_left(workspace, scene.agent_number)) state.unfinished.leaving.erase({number, scene.agent_number});
}

}  // namespace parley::engine
