// The server starts again: engine time resumes, connections are gone, what waits on agents moves by the time the
// server was down (D2); ttl and absolute deadlines stay.
#include "engine/appliers.hpp"
#include "engine/mailboxes/failures.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/retry.hpp"

namespace parley::engine {
namespace {

// Every message leased over a connection, wherever: connections do not outlive the server, HTTP takes do.
template <class Visit>
void each_connection_lease(const State& state, Visit visit) {
  for (std::uint32_t number = 1; number <= state.workspaces.size(); ++number) {
    const Registry& registry = state.workspace(WorkspaceNumber(number)).registry;
    for (std::uint32_t agent = 1; agent <= registry.agents.size(); ++agent)
      for (const SessionId session : registry.agent(AgentNumber(agent)).mailbox.sessions())
        if (is_connection(session))
          for (const Offset offset : registry.agent(AgentNumber(agent)).mailbox.leased_to(session))
            visit(WorkspaceNumber(number), AgentNumber(agent), offset);
  }
}

}  // namespace

void Engine::decide(const StartServer& command, const Context& context, Decided& decided) const {
  each_connection_lease(state_, [&](WorkspaceNumber number, AgentNumber agent, Offset offset) {
    const Receipt& receipt = *state_.workspace(number).messages.at(offset).receipt_of(agent);
    if (receipt.uncounted + 1 >= uncounted_offers_max)
      decide_dead(decided, state_, {number, agent, offset, context.now},
                  "its readers were lost " + std::to_string(uncounted_offers_max) + " times", {"server stopped", {}});
  });
  decided.add({}).mutable_server_started()->set_downtime(command.downtime.count());
}

void apply(State& state, const event::ServerStarted& event) {
  std::vector<std::tuple<WorkspaceNumber, AgentNumber, Offset>> lost;
  each_connection_lease(state, [&](WorkspaceNumber number, AgentNumber agent, Offset offset) {
    lost.emplace_back(number, agent, offset);
  });
  for (const auto& [number, agent, offset] : lost) {
    Workspace& workspace = state.workspace(number);
    const Found found = find(workspace, agent, offset);
    workspace.registry.agent(agent).attempts[offset].push_back(
        {state.now, found.receipt->epoch, "server stopped", nullptr});
    ++found.receipt->uncounted;
    give_back({state, workspace, number, agent, state.now}, offset, *found.message, *found.receipt);
  }

  const base::Duration downtime(event.downtime());
  absl::btree_set<Timer> timers;
  for (Timer timer : state.timers) {
    if (timer.kind != TimerKind::message_expires) {
      timer.due += downtime;
      find(state.workspace(timer.workspace), timer.agent, timer.message).receipt->until = timer.due;
    }
    timers.insert(timer);
  }
  state.timers = std::move(timers);
}

}  // namespace parley::engine
