// Requests for help as they stand (HND-04): who asks, who was asked, what was answered and where to read on. People and
// the admin see all, an agent those that it asks or is asked.
#include <algorithm>

#include "base/excerpt.hpp"
#include "broker/list_page.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/work_calls.hpp"
#include "event/carried.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;
using engine::Help;

bool sees(const Caller& caller, const Help& help) {
  if (caller.kind != Caller::Kind::agent || help.asker == caller.agent) return true;
  return std::ranges::find(help.helpers, caller.agent) != help.helpers.end();
}

bool is_wanted(const Help& help, std::string_view state) {
  return state.empty() || (state == "waiting" ? !help.over() : name(help.state) == state);
}

bool is_of(const engine::Workspace& workspace, const Help& help, std::string_view agent) {
  if (agent.empty() || workspace.registry.agent(help.asker).id == agent) return true;
  return std::ranges::any_of(help.helpers,
                             [&](base::AgentNumber number) { return workspace.registry.agent(number).id == agent; });
}

std::string_view or_null(std::string_view json) {
  return json.empty() ? "null" : json;
}

base::Result<> write_help(json::Writer& writer, History& history, const engine::Workspace& workspace,
                          base::Offset offset) {
  const engine::Registry& registry = workspace.registry;
  const Help& help = workspace.help.at(offset);
  writer.begin_object().member("help_id", help.id.view()).member("offset", offset.value);
  writer.member("state", name(help.state)).member("asker", registry.agent(help.asker).id);
  writer.member("subject", help.subject);
  if (!help.task.empty()) writer.member("task", help.task);
  writer.member("helper", registry.agent(help.helper()).id).key("helpers").begin_array();
  for (const base::AgentNumber helper : help.helpers) writer.string(registry.agent(helper).id);
  writer.end_array().member("asked_at", base::to_rfc3339(help.asked_at));
  writer.member("moved_at", base::to_rfc3339(help.moved_at));
  if (help.deadline != base::Instant{}) writer.member("deadline", base::to_rfc3339(help.deadline));
  const auto together = workspace.collaborations.about(offset);
  if (together && workspace.collaborations.at(*together).has(help.helper()))  // not of one that was asked before
    writer.member("collaboration_id", workspace.collaborations.at(*together).id.view());
  writer.key("answers").begin_array();
  for (const engine::HelpAnswer& answer : help.answers) {
    PARLEY_TRY(const event::Event event, history.event(answer.position));
    const event::MessageAccepted& accepted = accepted_of(event);
    writer.begin_object().member("offset", answer.message.value).member("message_id", accepted.message_id());
    writer.member("helper", registry.agent(answer.helper).id)
        .key("subject")
        .raw(or_null(event::carried(accepted, "subject")));
    writer.key("resources").raw(or_null(event::carried(accepted, "resources"))).end_object();
  }
  writer.end_array().end_object();
  return {};
}

}  // namespace

base::Result<Answer> WorkCalls::help_requests(const Caller& caller, std::string_view workspace_name,
                                              std::string_view state, std::string_view agent, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  return list_by_offset(
      core_.history(), workspace.help.all(), page,
      [&](const Help& help) { return sees(caller, help) && is_wanted(help, state) && is_of(workspace, help, agent); },
      [&](json::Writer& writer, base::Offset offset, const Help&) {
        return write_help(writer, core_.history(), workspace, offset);
      });
}

base::Result<Answer> WorkCalls::help_request(const Caller& caller, std::string_view workspace_name,
                                             std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  const auto offset = workspace.help.find(id);
  if (!offset || !sees(caller, workspace.help.at(*offset)))
    return base::fail(ErrorCode::NOT_FOUND, "no request for help '" + base::excerpt(id, 64) + "' is known here",
                      "help_id");
  Answer answer;
  json::Writer writer(answer.json);
  PARLEY_CHECK(write_help(writer, core_.history(), workspace, *offset));
  return answer;
}

}  // namespace parley::broker
