// Workspaces: made, changed. (COR-03)
#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/engine.hpp"
#include "engine/health/settings.hpp"
#include "engine/id.hpp"
#include "engine/messages/said.hpp"
#include "engine/workspaces/settings.hpp"
#include "envelope/limits.hpp"

namespace parley::engine {

void write(const Settings& settings, event::Settings& out) {
  out.set_lenient(settings.lenient);
  for (const std::string& profile : settings.profiles) out.add_profiles(profile);
  out.set_mailbox_messages(settings.mailbox_messages);
  out.set_mailbox_bytes(settings.mailbox_bytes);
  out.set_recipients(settings.recipients);
  out.set_remembered_ids(settings.remembered_ids);
  out.set_remembered_for(settings.remembered_for.count());
  out.set_lease(settings.lease.count());
  if (settings.rate_messages) out.set_rate_messages(*settings.rate_messages);
  out.set_refuse_sequence_back(settings.refuse_sequence_back);
  out.set_rate_window(settings.rate_window.count());
  out.set_kept_records(settings.kept_records);
  out.set_open_requests(settings.open_requests);
  out.set_tasks(settings.tasks);
  const TaskTimes& times = settings.task_times;
  if (times.progress_after) out.set_task_progress_after(times.progress_after->count());
  if (times.progress_every) out.set_task_progress_every(times.progress_every->count());
  if (times.silence) out.set_task_silence(times.silence->count());
  out.set_approvals(settings.approvals);
  write(settings.health, out);
  out.set_loop_hops(settings.loops.hops);
  out.set_loop_rounds(settings.loops.rounds);
  out.set_loop_messages(settings.loops.messages);
  write(settings.policy, out);
  out.set_review_escalation(static_cast<std::uint32_t>(settings.reviews.escalation));
  out.set_unsigned_checks(static_cast<std::uint32_t>(settings.reviews.unsigned_checks));
  out.set_auto_revision(settings.reviews.auto_revision);
  if (settings.reviews.timeout) out.set_review_timeout(settings.reviews.timeout->count());
}

Settings read(const event::Settings& in) {
  Settings settings;
  settings.lenient = in.lenient();
  settings.profiles = {in.profiles().begin(), in.profiles().end()};
  settings.mailbox_messages = in.mailbox_messages();
  settings.mailbox_bytes = in.mailbox_bytes();
  settings.recipients = in.recipients();
  settings.remembered_ids = in.remembered_ids();
  settings.remembered_for = base::Duration(in.remembered_for());
  settings.lease = base::Duration(in.lease());
  settings.refuse_sequence_back = in.refuse_sequence_back();
  // What older journals do not have keeps its default.
  if (in.has_rate_messages()) settings.rate_messages = in.rate_messages();
  if (in.rate_window() > 0) settings.rate_window = base::Duration(in.rate_window());
  if (in.kept_records() > 0) settings.kept_records = in.kept_records();
  if (in.open_requests() > 0) settings.open_requests = in.open_requests();
  if (in.tasks() > 0) settings.tasks = in.tasks();
  TaskTimes& times = settings.task_times;
  if (in.has_task_progress_after()) times.progress_after = base::Duration(in.task_progress_after());
  if (in.has_task_progress_every()) times.progress_every = base::Duration(in.task_progress_every());
  if (in.has_task_silence()) times.silence = base::Duration(in.task_silence());
  if (in.approvals() > 0) settings.approvals = in.approvals();
  settings.health = read_health(in);
  if (in.has_loop_hops()) settings.loops.hops = in.loop_hops();
  if (in.has_loop_rounds()) settings.loops.rounds = in.loop_rounds();
  if (in.has_loop_messages()) settings.loops.messages = in.loop_messages();
  settings.policy = read_policy(in);
  if (in.review_escalation() < escalation_names.size())
    settings.reviews.escalation = static_cast<Escalation>(in.review_escalation());
  if (in.unsigned_checks() < unsigned_checks_names.size())
    settings.reviews.unsigned_checks = static_cast<UnsignedChecks>(in.unsigned_checks());
  settings.reviews.auto_revision = in.auto_revision();
  if (in.review_timeout() > 0) settings.reviews.timeout = base::Duration(in.review_timeout());
  return settings;
}

namespace {

base::Result<> check_at_least(std::string_view name, base::Duration value, base::Duration least) {
  if (value >= least) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST,
                    std::string(name) + " is " + base::to_text(value) + ", the least is " + base::to_text(least),
                    "/settings/" + std::string(name), "Name a longer time.");
}

base::Result<> check_some(std::string_view name, std::uint64_t value) {
  if (value > 0) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST, std::string(name) + " is 0, the least is 1",
                    "/settings/" + std::string(name), "Name a larger number, or leave it out for the default.");
}

bool allows(const Settings& settings, const std::string& profile) {
  return settings.profiles.empty() || std::ranges::find(settings.profiles, profile) != settings.profiles.end();
}

// COR-03: whoever is registered may speak. To refuse an agent's every message from one moment on would silence it in
// the midst of its work, and nobody would have said so to whoever waits for it. So who narrows the list removes those
// agents first; what is open in their mailboxes bounces then, and its senders hear of it.
base::Result<> check_nobody_left(const Workspace& workspace, const Settings& settings) {
  std::vector<AgentNumber> left;
  for (const auto& [id, number] : workspace.registry.agents_by_id) {
    const std::string& profile = workspace.registry.agent(number).properties.profile;
    if (allows(workspace.settings, profile) && !allows(settings, profile)) left.push_back(number);
  }
  if (left.empty()) return {};
  return base::fail(
      base::ErrorCode::CONFLICT,
      "agents are registered with profiles that would be allowed no more: " + names_of(workspace.registry, left),
      "/profiles", "Remove these agents first, or leave their profiles in the list.");
}

}  // namespace

// What would make a workspace of no use: no message could be sent, no take be acked in time, no message sent twice be
// known again.
base::Result<> Engine::check(const Settings& settings) const {
  PARLEY_CHECK(check_some("mailbox_messages", settings.mailbox_messages));
  PARLEY_CHECK(check_some("mailbox_bytes", settings.mailbox_bytes));
  PARLEY_CHECK(check_some("recipients", settings.recipients));
  PARLEY_CHECK(check_some("remembered_ids", settings.remembered_ids));
  PARLEY_CHECK(check_at_least("lease", settings.lease, envelope::lease_min));
  PARLEY_CHECK(check_at_least("remembered_for", settings.remembered_for, std::chrono::minutes(1)));
  PARLEY_CHECK(check_health(settings.health));
  PARLEY_CHECK(check_policy(settings.policy));
  if (settings.reviews.timeout)
    PARLEY_CHECK(check_at_least("review_timeout", *settings.reviews.timeout, std::chrono::seconds(1)));
  for (const std::string& profile : settings.profiles)
    if (!ruleset_of_(profile))
      return base::fail(base::ErrorCode::PROFILE_UNKNOWN,
                        "no profile '" + base::excerpt(profile, 64) + "' is known here", "/profiles");
  return {};
}

base::Result<Registered> Engine::decide(const CreateWorkspace& command, const Context&, Decided& decided) const {
  PARLEY_CHECK(check_id("a workspace", command.name, "/name"));
  PARLEY_CHECK(check(command.settings));
  if (const auto known = state_.find_workspace(command.name)) {
    if (state_.workspace(*known).settings == command.settings) return Registered{known->value, true};
    return base::fail(base::ErrorCode::WORKSPACE_EXISTS, "workspace '" + command.name + "' exists with other settings",
                      "/name");
  }
  const auto number = static_cast<std::uint32_t>(state_.workspaces.size() + 1);
  event::Event& event = decided.add({});
  event.mutable_workspace_created()->set_number(number);
  event.mutable_workspace_created()->set_name(command.name);
  write(command.settings, *event.mutable_workspace_created()->mutable_settings());
  return Registered{number, false};
}

base::Result<> Engine::decide(const ChangeWorkspace& command, const Context&, Decided& decided) const {
  if (state_.workspace(command.workspace).settings == command.settings) return {};
  PARLEY_CHECK(check(command.settings));
  PARLEY_CHECK(check_nobody_left(state_.workspace(command.workspace), command.settings));
  write(command.settings, *decided.add(command.workspace).mutable_workspace_changed()->mutable_settings());
  return {};
}

void apply(State& state, const event::WorkspaceCreated& event, Instant at) {
  auto workspace = std::make_unique<Workspace>();
  workspace->name = event.name();
  workspace->settings = read(event.settings());
  workspace->created_at = at;
  state.workspaces.push_back(std::move(workspace));
  state.workspaces_by_name.emplace(event.name(), WorkspaceNumber(event.number()));
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::WorkspaceChanged& event) {
  workspace.settings = read(event.settings());
  watch_window(state, number);
}

}  // namespace parley::engine
