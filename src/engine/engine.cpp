#include "engine/engine.hpp"

#include "base/assert.hpp"
#include "engine/appliers.hpp"
#include "engine/archive.hpp"
#include "engine/save.hpp"

namespace parley::engine {
namespace {

// Raised where the state is archived in another way, and where applying a recorded event comes to another state: an
// older snapshot is then not read, and the journal is applied from its beginning.
constexpr std::uint32_t snapshot_version = 33;

void apply_in_workspace(State& state, WorkspaceNumber number, const event::Event& event, const Placed& placed) {
  Workspace& workspace = state.workspace(number);
  const Offset offset(event.offset());
  PARLEY_ASSERT(offset.value == workspace.head.value + 1);
  workspace.head = offset;
  const Mark mark{offset, placed.position};
  if (workspace.marks.empty() || wants_mark(workspace.marks.back(), mark)) workspace.marks.push_back(mark);

  using event::Event;
  const Instant at = placed.at;
  switch (event.fact_case()) {
    case Event::kWorkspaceChanged:
      return apply(state, workspace, number, event.workspace_changed());
    case Event::kAgentRegistered:
      return apply(state, workspace, number, event.agent_registered(), at);
    case Event::kAgentChanged:
      return apply(workspace, event.agent_changed());
    case Event::kAgentRemoved:
      return apply(state, workspace, number, event.agent_removed(), at);
    case Event::kPersonRegistered:
      return apply(state, workspace, number, event.person_registered(), at);
    case Event::kPersonChanged:
      return apply(workspace, event.person_changed());
    case Event::kPersonRemoved:
      return apply(state, workspace, event.person_removed());
    case Event::kTokenRotated:
      return apply(state, workspace, number, event.token_rotated(), at);
    case Event::kRunnerRegistered:
      return apply(workspace, event.runner_registered(), at);
    case Event::kRunnerRevoked:
      return apply(workspace, event.runner_revoked(), at);
    case Event::kMessageAccepted:
      return apply(state, workspace, number, offset, event.message_accepted(), placed);
    case Event::kNoticePosted:
      return apply(state, workspace, number, offset, event.notice_posted(), placed);
    case Event::kMessagesForgotten:
      return apply(state, workspace, number, event.messages_forgotten());
    case Event::kOffered:
      return apply(state, workspace, number, event.offered(), at);
    case Event::kAcked:
      return apply(state, workspace, number, event.acked(), at);
    case Event::kActed:
      return apply(state, workspace, number, event.acted(), at);
    case Event::kNacked:
      return apply(state, workspace, number, event.nacked(), at);
    case Event::kLeasesExtended:
      return apply(state, workspace, number, event.leases_extended());
    case Event::kLeasesEnded:
      return apply(state, workspace, number, event.leases_ended(), at);
    case Event::kLeasesReturned:
      return apply(state, workspace, number, event.leases_returned(), at);
    case Event::kMessagesBounced:
      return apply(state, workspace, number, event.messages_bounced(), at);
    case Event::kMessagesSuperseded:
      return apply(state, workspace, number, event.messages_superseded(), at);
    case Event::kMessageTakenBack:
      return apply(state, workspace, number, event.message_taken_back(), at);
    case Event::kBackoffsEnded:
      return apply(state, workspace, number, event.backoffs_ended(), at);
    case Event::kExpired:
      return apply(state, workspace, number, event.expired(), at);
    case Event::kDeadLettered:
      return apply(state, workspace, number, event.dead_lettered(), at);
    case Event::kRedriven:
      return apply(state, workspace, number, event.redriven(), at);
    case Event::kDeadLetterDiscarded:
      return apply(state, workspace, number, event.dead_letter_discarded(), at);
    case Event::kRequestTimedOut:
      return apply(state, workspace, number, event.request_timed_out(), at);
    case Event::kRequestGivenUp:
      return apply(state, workspace, number, event.request_given_up(), at);
    case Event::kRequestPostponed:
      return apply(state, workspace, number, event.request_postponed());
    case Event::kRequestAskedAgain:
      return apply(state, workspace, number, event.request_asked_again(), at);
    case Event::kTaskMoved:
      return apply(state, workspace, number, offset, event.task_moved(), placed);
    case Event::kTaskDependenciesSet:
      return apply(state, workspace, number, event.task_dependencies_set(), at);
    case Event::kSessionTasksEnded:
      return apply(state, number, event.session_tasks_ended());
    case Event::kApprovalDecided:
      return apply(state, workspace, number, event.approval_decided(), placed);
    case Event::kApprovalEscalated:
      return apply(state, workspace, number, event.approval_escalated());
    case Event::kApprovalLapsed:
      return apply(state, workspace, number, event.approval_lapsed(), placed);
    case Event::kApprovalRefused:
      return apply(workspace, event.approval_refused(), event.by(), at);
    case Event::kApprovalWithdrawn:
      return apply(state, workspace, number, event.approval_withdrawn(), placed);
    case Event::kMessageReleased:
      return apply(state, workspace, number, event.message_released(), placed);
    case Event::kMessageWithheld:
      return apply(state, workspace, number, event.message_withheld(), at);
    case Event::kHelpMoved:
      return apply(state, workspace, number, event.help_moved(), at);
    case Event::kAgentHealthChanged:
      return apply(state, workspace, number, event.agent_health_changed(), at);
    case Event::kHealthLooked:
      return apply(state, workspace, number, event.health_looked());
    case Event::kWorkReturned:
      return apply(state, number, event.work_returned());
    case Event::kResourceAllocated:
      return apply(workspace, event.resource_allocated());
    case Event::kReviewMoved:
      return apply(state, workspace, number, offset, event.review_moved(), at);
    case Event::kMessagesRefused:
      return;  // the record is all there is to it
    case Event::kServerStarted:
    case Event::kServerStopped:
    case Event::kTimeSkipped:
    case Event::kWorkspaceCreated:
    case Event::FACT_NOT_SET:
      break;
  }
  PARLEY_ASSERT(false);  // replay lets no other fact come here
}

}  // namespace

Engine::Engine(RulesetOf ruleset_of) : ruleset_of_(std::move(ruleset_of)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::apply(const event::Event& event, const Placed& placed) {
  state_.now = placed.at;
  switch (event.fact_case()) {
    case event::Event::kServerStarted:
      return engine::apply(state_, event.server_started());
    case event::Event::kServerStopped:
      return;  // its time is all there is to it
    case event::Event::kTimeSkipped:
      return engine::apply(state_, event.time_skipped());
    case event::Event::kWorkspaceCreated:
      return engine::apply(state_, event.workspace_created(), placed.at);
    default:
      return apply_in_workspace(state_, WorkspaceNumber(event.workspace()), event, placed);
  }
}

void save(const State& state, const std::function<bool(std::string_view)>& take) {
  Saver saver(take);
  std::uint32_t version = snapshot_version;
  saver(version, const_cast<State&>(state));
  saver.flush();
}

std::string Engine::save() const {
  std::string bytes;
  engine::save(state_, [&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  return bytes;
}

base::Result<> Engine::load(std::string_view snapshot) {
  std::string_view left = snapshot;
  return load([&] { return std::exchange(left, {}); }, snapshot.size());
}

base::Result<> Engine::load(const std::function<std::string_view()>& next, std::uint64_t bytes) {
  Loader loader(next, bytes);
  std::uint32_t version = 0;
  loader(version);
  State state;
  if (version == snapshot_version) loader(state);
  if (version != snapshot_version || !loader.complete())
    return base::fail(base::ErrorCode::JOURNAL_DAMAGED, "the snapshot is of another version or not whole");
  state_ = std::move(state);
  return {};
}

base::Digest Engine::state_hash() const {
  return base::sha256(save());
}

}  // namespace parley::engine
