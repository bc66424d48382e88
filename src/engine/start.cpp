// The server stops, and starts again, and connections are gone; or its machine was suspended. Engine time resumes, what
// waits on agents moves by the time that was missed (D2); ttl and absolute deadlines stay.
#include "engine/appliers.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/steps.hpp"

namespace parley::engine {
namespace {

// Connections do not outlive the server, HTTP takes do.
void lose_connections(State& state) {
  for (std::uint32_t i = 1; i <= state.workspaces.size(); ++i) {
    const Registry& registry = state.workspace(WorkspaceNumber(i)).registry;
    for (std::uint32_t agent = 1; agent <= registry.agents.size(); ++agent) {
      if (registry.agent(AgentNumber(agent)).removed) continue;
      for (const SessionId session : registry.agent(AgentNumber(agent)).mailbox.sessions())
        if (is_connection(session))
          state.unfinished.lost.try_emplace({WorkspaceNumber(i), AgentNumber(agent), session}, true);
    }
  }
}

// As servers did it before there were steps.
void return_all(State& state) {
  for (const auto& [lost, server_stopped] : std::exchange(state.unfinished.lost, {}))
    return_leases({state, state.workspace(lost.workspace), lost.workspace, lost.agent, state.now}, lost.session, {},
                  server_stopped);
}

// One timer, and what is told of it. What messages say of themselves and what people were told to decide by stays where
// it is (D2).
void move_timer(State& state, Timer& timer, base::Duration by) {
  using enum TimerKind;
  Workspace& workspace = state.workspace(timer.workspace);
  switch (timer.kind) {
    case message_expires:
    case approval_times_out:
    case help_due:
    case task_due:  // it is looked at then, and its watch, which is moved, decides
      return;
    case request_times_out:
      if (workspace.requests.find(timer.message)->reply_by) return;  // that one is a deadline
      timer.due += by;
      workspace.requests.find(timer.message)->due = timer.due;
      return;
    case request_asks_again:
      timer.due += by;
      workspace.requests.find(timer.message)->again.at(timer.agent).at = timer.due;
      return;
    case review_times_out:
      timer.due += by;
      workspace.reviews.at(timer.message).due = timer.due;
      return;
    case health_is_looked_at: {
      timer.due += by;
      Health& health = *workspace.registry.agent(timer.agent).health.get();
      health.look_at = timer.due;
      health.beat += by;
      return;
    }
    case lease_ends:
    case backoff_ends:
      timer.due += by;
      find(workspace, timer.agent, timer.message).receipt->until = timer.due;
      return;
  }
}

void move_what_waits(State& state, base::Duration by) {
  Timers timers;
  state.timers.visit([&](Timer timer) {
    move_timer(state, timer, by);
    timers.insert(timer);
    return true;
  });
  state.timers = std::move(timers);
  for (const auto& workspace : state.workspaces) {
    workspace->tasks.pause(by);
    for (const auto& agent : workspace->registry.agents)
      if (agent->spoke_at != Instant{}) agent->spoke_at += by;
  }
}

}  // namespace

void Engine::decide(const StartServer& command, const Context&, Decided& decided) const {
  event::ServerStarted& event = *decided.add({}).mutable_server_started();
  event.set_downtime(command.downtime.count());
  event.set_in_steps(true);
}

void apply(State& state, const event::ServerStarted& event) {
  lose_connections(state);
  if (!event.in_steps()) return_all(state);
  move_what_waits(state, base::Duration(event.downtime()));
}

void Engine::decide(const StopServer&, const Context&, Decided& decided) const {
  decided.add({}).mutable_server_stopped();
}

void Engine::decide(const SkipTime& command, const Context&, Decided& decided) const {
  decided.add({}).mutable_time_skipped()->set_by(command.by.count());
}

void apply(State& state, const event::TimeSkipped& event) {
  move_what_waits(state, base::Duration(event.by()));
}

}  // namespace parley::engine
