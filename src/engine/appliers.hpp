// The appliers: one small function per event, the only writers of the state (D1). Called by Engine::apply alone.
#pragma once
#include "engine/engine.hpp"

namespace parley::engine {

void apply(State&, const event::ServerStarted&);
void apply(State&, const event::TimeSkipped&);
void apply(State&, const event::WorkspaceCreated&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::WorkspaceChanged&);

void apply(State&, Workspace&, WorkspaceNumber, const event::AgentRegistered&, Instant at);
void apply(Workspace&, const event::AgentChanged&);
void apply(Workspace&, const event::ResourceAllocated&);
void apply(State&, Workspace&, WorkspaceNumber, const event::AgentRemoved&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::PersonRegistered&, Instant at);
void apply(Workspace&, const event::PersonChanged&);
void apply(State&, Workspace&, const event::PersonRemoved&);
void apply(State&, Workspace&, WorkspaceNumber, const event::TokenRotated&, Instant at);
void apply(Workspace&, const event::RunnerRegistered&, Instant at);
void apply(Workspace&, const event::RunnerRevoked&, Instant at);

void apply(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&, const Placed&);
void apply(State&, Workspace&, WorkspaceNumber, Offset, const event::NoticePosted&, const Placed&);
void apply(State&, Workspace&, WorkspaceNumber, const event::MessagesForgotten&);

void apply(State&, Workspace&, WorkspaceNumber, const event::Offered&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::Acked&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::Acted&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::Nacked&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::LeasesExtended&);
void apply(State&, Workspace&, WorkspaceNumber, const event::LeasesEnded&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::LeasesReturned&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::MessagesBounced&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::MessagesSuperseded&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::MessageTakenBack&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::BackoffsEnded&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::Expired&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::DeadLettered&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::Redriven&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::DeadLetterDiscarded&, Instant at);

void apply(State&, Workspace&, WorkspaceNumber, const event::RequestTimedOut&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::RequestGivenUp&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::RequestPostponed&);
void apply(State&, Workspace&, WorkspaceNumber, const event::RequestAskedAgain&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, Offset, const event::TaskMoved&, const Placed&);
void apply(State&, Workspace&, WorkspaceNumber, const event::TaskDependenciesSet&, Instant at);
void apply(State&, WorkspaceNumber, const event::SessionTasksEnded&);

void apply(State&, Workspace&, WorkspaceNumber, const event::ApprovalDecided&, const Placed&);
void apply(State&, Workspace&, WorkspaceNumber, const event::ApprovalEscalated&);
void apply(State&, Workspace&, WorkspaceNumber, const event::ApprovalLapsed&, const Placed&);
void apply(Workspace&, const event::ApprovalRefused&, const event::Actor&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::ApprovalWithdrawn&, const Placed&);
void apply(State&, Workspace&, WorkspaceNumber, const event::MessageReleased&, const Placed&);
void apply(State&, Workspace&, WorkspaceNumber, const event::MessageWithheld&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::HelpMoved&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::AgentHealthChanged&, Instant at);
void apply(State&, Workspace&, WorkspaceNumber, const event::HealthLooked&);
void apply(State&, WorkspaceNumber, const event::WorkReturned&);

void apply(State&, Workspace&, WorkspaceNumber, Offset, const event::ReviewMoved&, Instant at);

}  // namespace parley::engine
