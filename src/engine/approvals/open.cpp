#include "engine/approvals/open.hpp"

#include "base/named.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/questions.hpp"
#include "engine/messages/fields.hpp"
#include "engine/workspaces/share.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using base::quoted;
using machine::approval::Step;

constexpr base::Duration longest_wait = std::chrono::hours(24 * 365);
constexpr std::size_t approvers_max = 100;
constexpr std::size_t told_max = 100;  // D11

// "@ada" is ada, as the document writes people.
std::vector<std::string> approvers_of(const envelope::Envelope& envelope) {
  std::vector<std::string> names;
  for (const std::string& written : texts_in(envelope, "approvers")) {
    std::string_view name = written;
    if (name.starts_with('@')) name.remove_prefix(1);
    if (!name.empty() && name.size() <= 64 && names.size() < approvers_max) names.emplace_back(name);
  }
  return names;
}

std::uint32_t offered_of(const envelope::Envelope& envelope) {
  std::uint32_t offered = 0;
  for (const std::string& option : texts_in(envelope, "options"))
    if (const auto known = base::named<Decision>(decision_names, option)) offered |= set_of(*known);
  return offered;
}

constexpr base::Duration room_after = std::chrono::minutes(1);

}  // namespace

std::optional<Asking> asking_of(const AcceptMessage& command) {
  const auto& policy = command.ruleset.approvals;
  if (!policy || machine::approval::move_of(Step::ask).on != command.envelope.kind) return std::nullopt;
  if (command.ruleset.type(command.type).is_private) return std::nullopt;  // R25: nobody else hears of it
  Asking asking;
  asking.subject = text_in(command.envelope, "subject");
  asking.approvers = approvers_of(command.envelope);
  asking.offered = offered_of(command.envelope);
  asking.timeout = wait_in(command.envelope, "timeout_hours", std::chrono::hours(1), policy->timeout, longest_wait);
  return asking;
}

base::Result<> check_approval(const AcceptMessage& command, const Workspace& workspace) {
  const Settings& settings = workspace.settings;
  const Approvals& approvals = workspace.approvals;
  if (const std::size_t own = approvals.waiting(command.sender); own >= share_of_one(settings.approvals))
    return full(ErrorCode::APPROVALS_FULL,
                quoted(workspace.registry.agent(command.sender).id) + " waits for " + std::to_string(own) +
                    " decisions; the limit is " + std::to_string(share_of_one(settings.approvals)),
                room_after);
  if (approvals.waiting() >= settings.approvals)
    return full(ErrorCode::APPROVALS_FULL,
                "in " + quoted(workspace.name) + " " + std::to_string(approvals.waiting()) +
                    " approvals wait; the limit is " + std::to_string(settings.approvals),
                room_after);
  // An id is remembered for a day, a decision may take longer.
  const auto known = approvals.find(command.envelope.message_id);
  if (command.envelope.message_id.empty() || !known || !approvals.find(*known)->waits()) return {};
  return base::fail(ErrorCode::ID_CONFLICT, "an approval of this id waits for its decision", "id");
}

void open_approval(const Asking& asking, const Context& context, event::MessageAccepted& event) {
  event.set_approval_timeout(asking.timeout.count());
  event.set_approval_due(base::unix_us(context.now + asking.timeout));
  event.set_approval_subject(asking.subject);
  for (const std::string& approver : asking.approvers) event.add_approvers(approver);
  event.set_approval_offered(asking.offered);
  event.set_approval_why(asking.why);
  event.set_held(asking.holds);
}

void apply_to_approvals(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                        const event::MessageAccepted& event, const Placed& placed) {
  if (event.approval_timeout() == 0) return;
  Approval approval;
  approval.id = base::PackedText(event.message_id());
  approval.asker = AgentNumber(event.in_name_of() != 0 ? event.in_name_of() : event.sender());
  approval.task = event.task();
  approval.subject = event.approval_subject();
  approval.why = event.approval_why();
  approval.holds = event.held();
  approval.order = event.held() && static_cast<envelope::Kind>(event.kind()) == envelope::Kind::task_assign;
  approval.approvers = {event.approvers().begin(), event.approvers().end()};
  approval.offered = event.approval_offered();
  approval.timeout = base::Duration(event.approval_timeout());
  approval.opened_at = placed.at;
  approval.due = base::instant_of(event.approval_due());
  approval.state = *machine::approval::move_of(Step::ask).to;
  approval.position = placed.position;
  approval.shown = placed.body_hash;
  approval.part_of = Offset(event.approval_part_of());
  if (event.supersedes_later()) approval.supersedes = Offset(event.supersedes());
  for (const std::uint32_t agent : event.recipients())
    if (approval.told.size() < told_max && AgentNumber(agent) != approval.asker) approval.told.emplace_back(agent);
  state.timers.insert({approval.due, TimerKind::approval_times_out, number, {}, offset});
  note_asked(workspace, approval, placed.at);
  workspace.approvals.add(offset, std::move(approval));
}

}  // namespace parley::engine
