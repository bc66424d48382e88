#include "engine/messages/notice.hpp"

#include "engine/appliers.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "json/writer.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t about_shown_max = 100;

std::string body_of(const Workspace& workspace, Instant now, const Notice& notice) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("notice", notice.code).member("at", base::to_rfc3339(now));
  writer.member("count", notice.about.size()).key("messages").begin_array();
  for (const Offset offset : notice.about) {
    if (&offset - notice.about.data() == about_shown_max) break;
    writer.begin_object().member("offset", offset.value);
    const bool given = !notice.id.empty();
    writer.member("message_id", given ? notice.id : workspace.messages.at(offset).id.view()).end_object();
  }
  writer.end_array().key("recipients").begin_array();
  for (const AgentNumber agent : notice.agents) writer.string(workspace.registry.agent(agent).id);
  writer.end_array().member("reason", notice.reason).end_object();
  return body;
}

}  // namespace

void post_notice(const Deciding& deciding, AgentNumber to, const Notice& notice) {
  const auto& [decided, state, number, context] = deciding;
  const Workspace& workspace = deciding.workspace();
  if (to == AgentNumber{} || workspace.registry.agent(to).removed) return;
  std::string body = body_of(workspace, context.now, notice);
  Load& before = decided.notices_to(number, to);
  if (!has_room(workspace.settings, workspace.registry.agent(to), body.size(), before, decided.leaving(number, to)))
    return;
  ++before.messages;
  before.bytes += body.size();
  event::NoticePosted& event = *decided.add(number).mutable_notice_posted();
  event.set_agent(to.value);
  event.set_code(std::string(notice.code));
  event.set_about(notice.about.front().value);
  decided.last().body = std::move(body);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, const event::NoticePosted& event,
           const Placed& placed) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), placed.at};
  Message& message = workspace.messages.add(offset);
  message.position = placed.position;
  message.length = placed.body_length;
  message.content = base::first_half(placed.body_hash);
  message.accepted_at = placed.at;
  count_in_window(state, number);
  message.priority = Priority::high;
  message.notice = true;
  message.receipts.push_back({.agent = scene.agent_number});
  enqueue(scene, offset, message, message.receipts.back());
}

}  // namespace parley::engine
