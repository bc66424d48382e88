// The server starts again, and connections are gone; or its machine was suspended. Engine time resumes, what waits on
// agents moves by the time that was missed (D2); ttl and absolute deadlines stay.
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

// What stays where it is (D2): what messages say of themselves, and what people were told to decide by.
bool is_deadline(TimerKind kind) {
  return kind == TimerKind::message_expires || kind == TimerKind::approval_times_out || kind == TimerKind::help_due;
}

void move_what_waits(State& state, base::Duration by) {
  Timers timers;
  state.timers.visit([&](Timer timer) {
    if (timer.kind == TimerKind::request_times_out) {
      Request& request = *state.workspace(timer.workspace).requests.find(timer.message);
      if (!request.reply_by) timer.due += by;  // that one is a deadline
      request.due = timer.due;
    } else if (timer.kind == TimerKind::request_asks_again) {
      timer.due += by;
      state.workspace(timer.workspace).requests.find(timer.message)->again.at(timer.agent).at = timer.due;
    } else if (timer.kind == TimerKind::review_times_out) {
      timer.due += by;
      state.workspace(timer.workspace).reviews.at(timer.message).due = timer.due;
    } else if (timer.kind == TimerKind::health_is_looked_at) {
      timer.due += by;
      Health& health = *state.workspace(timer.workspace).registry.agent(timer.agent).health.get();
      health.look_at = timer.due;
      health.beat += by;
    } else if (timer.kind == TimerKind::task_due) {  // it is looked at then, and the times below decide
    } else if (!is_deadline(timer.kind)) {
      timer.due += by;
      find(state.workspace(timer.workspace), timer.agent, timer.message).receipt->until = timer.due;
    }
    timers.insert(timer);
    return true;
  });
  state.timers = std::move(timers);
  for (const auto& workspace : state.workspaces) {
    workspace->tasks.pause(by);
    for (Agent& agent : workspace->registry.agents)
      if (agent.spoke_at != Instant{}) agent.spoke_at += by;
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

void Engine::decide(const SkipTime& command, const Context&, Decided& decided) const {
  decided.add({}).mutable_time_skipped()->set_by(command.by.count());
}

void apply(State& state, const event::TimeSkipped& event) {
  move_what_waits(state, base::Duration(event.by()));
}

}  // namespace parley::engine
