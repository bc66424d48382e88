// Collaborations as they stand (HND-04): what for, who takes part, what was said in them. People and the admin see all,
// an agent those that it takes part in.
#include <algorithm>

#include "base/excerpt.hpp"
#include "broker/list_page.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/work_calls.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;
using engine::Collaboration;

bool sees(const Caller& caller, const Collaboration& collaboration) {
  return caller.kind != Caller::Kind::agent || collaboration.has(caller.agent);
}

bool is_of(const engine::Workspace& workspace, const Collaboration& collaboration, std::string_view agent) {
  return agent.empty() || std::ranges::any_of(collaboration.participants, [&](base::AgentNumber number) {
           return workspace.registry.agent(number).id == agent;
         });
}

void write_members(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset) {
  const Collaboration& collaboration = workspace.collaborations.at(offset);
  writer.member("collaboration_id", collaboration.id.view()).member("offset", offset.value);
  writer.member("state", name(collaboration.state));
  writer.member("help_id", collaboration.purpose_id.view());
  if (!collaboration.task.empty()) writer.member("task", collaboration.task);
  writer.key("participants").begin_array();
  for (const base::AgentNumber agent : collaboration.participants) writer.string(workspace.registry.agent(agent).id);
  writer.end_array().member("messages", collaboration.messages);
  writer.member("opened_at", base::to_rfc3339(collaboration.opened_at));
  if (collaboration.is_open()) return;
  writer.member("closed_at", base::to_rfc3339(collaboration.closed_at));
  writer.member("closed_by", collaboration.closed_by.value).member("why", collaboration.why);
}

base::Result<> write_said(json::Writer& writer, History& history, const engine::Registry& registry,
                          const Collaboration& collaboration) {
  writer.key("said").begin_array();
  for (const engine::SaidTogether& one : collaboration.said) {
    PARLEY_TRY(const event::Event event, history.event(one.position));
    const event::MessageAccepted& accepted = accepted_of(event);
    writer.begin_object().member("offset", one.message.value).member("message_id", accepted.message_id());
    writer.member("from", registry.agent(one.by).id).member("type", accepted.native_type()).end_object();
  }
  writer.end_array();
  return {};
}

}  // namespace

base::Result<Answer> WorkCalls::collaborations(const Caller& caller, std::string_view workspace_name,
                                               std::string_view state, std::string_view agent, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  return list_by_offset(
      core_.history(), workspace.collaborations.all(), page,
      [&](const Collaboration& one) {
        return sees(caller, one) && (state.empty() || name(one.state) == state) && is_of(workspace, one, agent);
      },
      [&](json::Writer& writer, base::Offset offset, const Collaboration&) -> base::Result<> {
        writer.begin_object();
        write_members(writer, workspace, offset);
        writer.end_object();
        return {};
      });
}

base::Result<Answer> WorkCalls::collaboration(const Caller& caller, std::string_view workspace_name,
                                              std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  const auto offset = workspace.collaborations.find(id);
  if (!offset || !sees(caller, workspace.collaborations.at(*offset)))
    return base::fail(ErrorCode::NOT_FOUND, "no collaboration '" + base::excerpt(id, 64) + "' is known here",
                      "collaboration_id");
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object();
  write_members(writer, workspace, *offset);
  PARLEY_CHECK(write_said(writer, core_.history(), workspace.registry, workspace.collaborations.at(*offset)));
  writer.end_object();
  return answer;
}

}  // namespace parley::broker
