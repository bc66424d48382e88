// Approvals: looked at by whoever may, decided by people (SUP-05). What is decided is shown as the agent sent it, with
// its SHA-256, and a decision names the hash of what was seen (reliability D9).
#include <algorithm>

#include "base/excerpt.hpp"
#include "base/named.hpp"
#include "broker/bounds.hpp"
#include "broker/held_messages.hpp"
#include "broker/list_page.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/superseded.hpp"
#include "broker/work_calls.hpp"
#include "ingress/changed.hpp"
#include "json/parser.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;
using engine::Approval;
using engine::Decision;

constexpr std::string_view action_field = "action";

// People and the admin see all; an agent what it asked, and what it was told somebody asks: of a held message once it
// goes out as it is. What a human has changed shows as it was to its asker alone.
bool sees(const Caller& caller, const Approval& approval) {
  if (caller.kind != Caller::Kind::agent) return true;
  const bool out = approval.state == Approval::State::approved;
  if (approval.holds && !out) return approval.asker == caller.agent;
  return approval.asker == caller.agent || std::ranges::find(approval.told, caller.agent) != approval.told.end();
}

std::unexpected<base::Error> approval_not_known(std::string_view id) {
  return base::fail(ErrorCode::APPROVAL_UNKNOWN, "no approval '" + base::excerpt(id, 64) + "' is known here",
                    "approval_id");
}

base::Result<base::Offset> find_approval(const engine::Workspace& workspace, std::string_view id) {
  if (const auto offset = workspace.approvals.find(id)) return *offset;
  return approval_not_known(id);
}

bool is_wanted(const Approval& approval, std::string_view state) {
  return state.empty() || (state == "waiting" ? approval.waits() : name(approval.state) == state);
}

void write_options(json::Writer& writer, std::uint32_t offered) {
  writer.key("options").begin_array();
  for (std::size_t i = 0; i < engine::decision_names.size(); ++i) {
    const auto one = static_cast<Decision>(i);
    if (offered == 0 || one == Decision::reject || (offered & set_of(one)) != 0)
      writer.string(engine::decision_names[i]);
  }
  writer.end_array();
}

std::string_view word_of(Approval::State state) {
  const bool approved = state == Approval::State::approved, modified = state == Approval::State::modified;
  return engine::decision_names[static_cast<std::size_t>(approved   ? Decision::approve
                                                         : modified ? Decision::modify
                                                                    : Decision::reject)];
}

// `end`: the event that ended it.
void write_decision(json::Writer& writer, const engine::Workspace& workspace, const Approval& approval,
                    const event::Event& end) {
  const bool by_time = approval.decided_by == base::PersonNumber{};
  writer.key("decision").begin_object().member("decision", word_of(approval.state));
  writer.member("decided_by",
                by_time ? profile::server_role : std::string_view(workspace.registry.person(approval.decided_by).id));
  writer.member("decided_at", base::to_rfc3339(approval.ended_at));
  if (end.has_approval_decided()) {
    writer.member("rationale", end.approval_decided().rationale());
    if (const std::string& action = end.approval_decided().modified_action(); !action.empty())
      writer.key("modified_action").raw(action);
  }
  writer.end_object();
}

base::Result<> write_approval(json::Writer& writer, History& history, const engine::Workspace& workspace,
                              base::Offset offset) {
  const Approval& approval = *workspace.approvals.find(offset);
  PARLEY_TRY(const std::string_view body, history.body(approval.position));
  const bool by_server = approval.asker == base::AgentNumber{};
  writer.begin_object().member("approval_id", approval.id.view()).member("offset", offset.value);
  writer.member("state", name(approval.state));
  writer.member("asker",
                by_server ? profile::server_role : std::string_view(workspace.registry.agent(approval.asker).id));
  writer.member("subject", approval.subject);
  if (approval.holds) writer.member("holds", true).member("reason", approval.why);
  if (!approval.task.empty()) writer.member("task", approval.task);
  write_strings(writer, "approvers", approval.approvers);
  write_options(writer, approval.offered);
  writer.member("opened_at", base::to_rfc3339(approval.opened_at));
  writer.member("timeout", base::to_text(approval.timeout)).member("due", base::to_rfc3339(approval.due));
  writer.member("shown", base::to_hex(approval.shown));
  if (!approval.waits() && approval.state != Approval::State::withdrawn) {
    PARLEY_TRY(const event::Event end, history.event(approval.end));
    write_decision(writer, workspace, approval, end);
  }
  writer.key("message").raw(body).end_object();
  return {};
}

base::Result<engine::DecideApproval> read_decision(json::Value body) {
  engine::DecideApproval command;
  const std::string_view word = body.find("decision").if_string().value_or("");
  const auto known = base::named<Decision>(engine::decision_names, word);
  if (!known)
    return base::fail(ErrorCode::BAD_REQUEST, "'" + base::excerpt(word, 64) + "' is no decision", "/decision",
                      "Decide approve, reject or modify.");
  command.decision = *known;
  command.rationale = body.find("rationale").if_string().value_or("");
  PARLEY_CHECK(check_rationale(command.rationale));
  if (!base::from_hex(body.find("shown").if_string().value_or(""), command.shown))
    return base::fail(ErrorCode::BAD_REQUEST, "`shown` is no SHA-256 in hexadecimal digits", "/shown",
                      "Send the `shown` of the approval as you read it.");
  const bool has_action = !body.find("modified_action").is_absent();
  if (has_action != (command.decision == Decision::modify))
    return base::fail(ErrorCode::BAD_REQUEST,
                      has_action ? "only `modify` takes a modified_action" : "`modify` takes a modified_action",
                      "/modified_action");
  return command;
}

bool lies_at(std::string_view instance, std::string_view pointer) {
  return instance.starts_with(pointer) && (instance.size() == pointer.size() || instance[pointer.size()] == '/');
}

}  // namespace

base::Result<Answer> WorkCalls::approvals(const Caller& caller, std::string_view workspace_name, std::string_view state,
                                          const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  return list_by_offset(
      core_.history(), workspace.approvals.all(), page,
      [&](const Approval& approval) { return sees(caller, approval) && is_wanted(approval, state); },
      [&](json::Writer& writer, base::Offset offset, const Approval&) {
        return write_approval(writer, core_.history(), workspace, offset);
      });
}

base::Result<Answer> WorkCalls::approval(const Caller& caller, std::string_view workspace_name, std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  PARLEY_TRY(const base::Offset offset, find_approval(workspace, id));
  if (!sees(caller, *workspace.approvals.find(offset))) return approval_not_known(id);
  Answer answer;
  json::Writer writer(answer.json);
  PARLEY_CHECK(write_approval(writer, core_.history(), workspace, offset));
  return answer;
}

// The message that asked, with the changed action in place of the proposed one, must be one that its sender could have
// sent. A lenient workspace may have let other defects of it pass (R5): those of the action alone count then.
base::Result<> WorkCalls::check_action(const engine::Workspace& workspace, const Approval& approval,
                                       json::Value action) {
  if (approval.asker == base::AgentNumber{})
    return base::fail(ErrorCode::BAD_REQUEST, "the server asks, and proposes no action", "/decision");
  const engine::Agent& asker = workspace.registry.agent(approval.asker);
  const profile::Ruleset* const rules = core_.ruleset_of()(asker.properties.profile);
  if (!rules) return base::fail(ErrorCode::PROFILE_UNKNOWN, "no profile '" + asker.properties.profile + "' is known");
  PARLEY_TRY(const std::string_view body, core_.history().body(approval.position));
  PARLEY_TRY(const json::Document asked, json::Document::parse(body));
  PARLEY_TRY(const ingress::Changed made, ingress::changed(asked.root(), *rules, action_field, action));
  PARLEY_TRY(const json::Document changed, json::Document::parse(made.bytes));
  const bool lenient = workspace.settings.lenient;
  const ingress::Options options{asker.id, approval.id.view(), core_.context().now,
                                 lenient ? ingress::Validation::lenient : ingress::Validation::strict,
                                 &core_.inflate_left()};
  auto judged = ingress::check({made.bytes, changed.root()}, *rules, options);
  if (!judged) {
    judged.error().hint = "Places are those of the message that asked, with the changed action in it: mend the action.";
    return std::unexpected(std::move(judged).error());
  }
  ingress::Checked& checked = *judged;
  std::erase_if(checked.validation_errors, [&](const base::Problem& p) { return !lies_at(p.instance, made.at); });
  if (checked.validation_errors.empty()) return {};
  auto refusal = base::fail(ErrorCode::SCHEMA, "the changed action breaks the schema", "/modified_action");
  refusal.error().details = std::move(checked.validation_errors);
  return refusal;
}

base::Result<> WorkCalls::read_held(const engine::Workspace& workspace, base::Offset offset, json::Value patch,
                                    HeldMessage& held) {
  const Approval& approval = *workspace.approvals.find(offset);
  const engine::Agent& sender = workspace.registry.agent(approval.asker);
  const profile::Ruleset* const rules = core_.ruleset_of()(sender.properties.profile);
  if (!rules) return base::fail(ErrorCode::PROFILE_UNKNOWN, "no profile '" + sender.properties.profile + "' is known");
  PARLEY_TRY(const event::Event event, core_.history().event(approval.position));
  held.evidence = event.message_accepted().evidence();
  if (event.message_accepted().reply_by()) held.reply_by = base::instant_of(event.message_accepted().answer_due());
  PARLEY_TRY(const std::string_view body, core_.history().body(approval.position));
  return held.read(body, patch, *rules, {sender.id, {}, approval.opened_at, {}, &core_.inflate_left()});
}

base::Result<Answer> WorkCalls::decide_approval(const Caller& caller, std::string_view workspace_name,
                                                std::string_view id, json::Value body) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  PARLEY_TRY(engine::DecideApproval command, read_decision(body));
  PARLEY_TRY(const base::Offset offset, find_approval(workspace, id));
  const Approval& approval = *workspace.approvals.find(offset);
  command.workspace = number;
  command.approval = offset;
  command.agent = caller.agent;
  command.person = caller.person;
  std::string action;
  base::Result<> checked;
  HeldMessage held;
  std::unique_ptr<Superseded> superseded;
  std::optional<engine::AcceptMessage> release;
  if (command.decision == Decision::modify) action = json::to_text(body.find("modified_action"));
  if (approval.holds && approval.waits() && command.decision != Decision::reject) {
    checked = read_held(workspace, offset, body.find("modified_action"), held);
    PARLEY_TRY(superseded, standing(core_.history(), workspace, number, approval.supersedes));
    if (checked)
      command.release = &release.emplace(held.command(number, approval.asker, superseded.get(), core_.context().now));
    command.changed = held.changed();
  } else if (command.decision == Decision::modify) {
    checked = check_action(workspace, approval, body.find("modified_action"));
  }
  if (!checked) command.action_refused = &checked.error();
  command.modified_action = action;
  const bool visible = sees(caller, approval);
  auto decided = core_.decide_for(caller, command);
  if (!decided && !visible) return approval_not_known(id);  // on record, and no more is told than of what is not there
  PARLEY_CHECK(decided);
  return this->approval(caller, workspace_name, id);
}

}  // namespace parley::broker
