#include "engine/approvals/open.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"
#include "engine/appliers.hpp"
#include "json/parser.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using machine::approval::Step;

constexpr base::Duration longest_wait = std::chrono::hours(24 * 365);
constexpr std::size_t approvers_max = 100;
constexpr std::size_t told_max = 100;  // D11

// A carried field's value; null where the message has none.
json::Document value_of(const envelope::Envelope& envelope, std::string_view name) {
  const std::string_view json = envelope::field(envelope, name);
  auto document = json::Document::parse(json.empty() ? "null" : json);
  PARLEY_ASSERT(document.has_value());  // ingress wrote it
  return std::move(*document);
}

// "@ada" is ada, as the document writes people.
std::vector<std::string> approvers_of(const envelope::Envelope& envelope) {
  const json::Document list = value_of(envelope, "approvers");
  std::vector<std::string> names;
  for (const json::Value item : list.root().elements()) {
    std::string_view name = item.if_string().value_or(std::string_view());
    if (name.starts_with('@')) name.remove_prefix(1);
    if (!name.empty() && name.size() <= 64 && names.size() < approvers_max) names.emplace_back(name);
  }
  return names;
}

std::uint32_t offered_of(const envelope::Envelope& envelope) {
  const json::Document list = value_of(envelope, "options");
  std::uint32_t offered = 0;
  for (const json::Value item : list.root().elements()) {
    const auto known = std::find(decision_names.begin(), decision_names.end(), item.if_string().value_or(""));
    if (known != decision_names.end()) offered |= set_of(static_cast<Decision>(known - decision_names.begin()));
  }
  return offered;
}

base::Duration timeout_of(const envelope::Envelope& envelope, base::Duration otherwise) {
  const json::Document stated = value_of(envelope, "timeout_hours");
  const double hours = stated.root().if_double().value_or(0);
  if (!(hours > 0)) return otherwise;
  constexpr double most = std::chrono::duration<double, std::ratio<3600>>(longest_wait).count();
  const std::chrono::duration<double, std::ratio<3600>> wanted(std::min(hours, most));
  return std::max(std::chrono::duration_cast<base::Duration>(wanted), base::Duration(1));
}

// An agent may have a tenth of the workspace's (D11).
std::size_t most_of_one(const Settings& settings) {
  return std::max<std::size_t>(1, settings.approvals / 10);
}

std::unexpected<base::Error> full(std::string holds) {
  auto error = base::fail(ErrorCode::APPROVALS_FULL, std::move(holds), "sender");
  error.error().retry_after = std::chrono::minutes(1);
  return error;
}

}  // namespace

std::optional<Asking> asking_of(const AcceptMessage& command) {
  const auto& policy = command.ruleset.approvals;
  if (!policy || machine::approval::move_of(Step::ask).on != command.envelope.kind) return std::nullopt;
  if (command.ruleset.type(command.type).is_private) return std::nullopt;  // R25: nobody else hears of it
  Asking asking;
  const json::Document subject = value_of(command.envelope, "subject");
  asking.subject = subject.root().if_string().value_or("");
  asking.approvers = approvers_of(command.envelope);
  asking.offered = offered_of(command.envelope);
  asking.timeout = timeout_of(command.envelope, policy->timeout);
  return asking;
}

base::Result<> check_approval(const AcceptMessage& command, const Workspace& workspace) {
  const Settings& settings = workspace.settings;
  const Approvals& approvals = workspace.approvals;
  if (const std::size_t own = approvals.waiting(command.sender); own >= most_of_one(settings))
    return full("'" + workspace.registry.agent(command.sender).id + "' waits for " + std::to_string(own) +
                " decisions; the limit is " + std::to_string(most_of_one(settings)));
  if (approvals.waiting() >= settings.approvals)
    return full("in '" + workspace.name + "' " + std::to_string(approvals.waiting()) +
                " approvals wait; the limit is " + std::to_string(settings.approvals));
  // An id is remembered for a day, a decision may take longer.
  const auto known = approvals.find(command.envelope.message_id);
  if (command.envelope.message_id.empty() || !known || !approvals.find(*known)->waits()) return {};
  return base::fail(ErrorCode::ID_CONFLICT, "an approval of this id waits for its decision", "message id");
}

void open_approval(const Asking& asking, const Context& context, event::MessageAccepted& event) {
  event.set_approval_timeout(asking.timeout.count());
  event.set_approval_due(base::unix_us(context.now + asking.timeout));
  event.set_approval_subject(asking.subject);
  for (const std::string& approver : asking.approvers) event.add_approvers(approver);
  event.set_approval_offered(asking.offered);
}

void apply_to_approvals(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                        const event::MessageAccepted& event, const Placed& placed) {
  if (event.approval_timeout() == 0) return;
  Approval approval;
  approval.id = base::PackedText(event.message_id());
  approval.asker = AgentNumber(event.sender());
  approval.task = event.task();
  approval.subject = event.approval_subject();
  approval.approvers = {event.approvers().begin(), event.approvers().end()};
  approval.offered = event.approval_offered();
  approval.timeout = base::Duration(event.approval_timeout());
  approval.opened_at = placed.at;
  approval.due = base::instant_of(event.approval_due());
  approval.state = *machine::approval::move_of(Step::ask).to;
  approval.position = placed.position;
  approval.shown = placed.body_hash;
  for (const std::uint32_t agent : event.recipients())
    if (approval.told.size() < told_max && AgentNumber(agent) != approval.asker) approval.told.emplace_back(agent);
  state.timers.insert({approval.due, TimerKind::approval_times_out, number, {}, offset});
  workspace.approvals.add(offset, std::move(approval));
}

}  // namespace parley::engine
