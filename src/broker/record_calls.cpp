// Records that agents keep of their tasks: read by every member, whomever the message was for, as the profile says.
#include <charconv>

#include "base/quoted.hpp"
#include "broker/list_page.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/work_calls.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;
using engine::Records;

// "<agent number>:<task>" of the last record given.
std::string cursor(const Records::Key& key) {
  return std::to_string(key.second.value) + ':' + key.first;
}

base::Result<Records::Key> parse_cursor(std::string_view text) {
  Records::Key key;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, key.second.value);
  if (error != std::errc() || after == end || *after != ':')
    return base::fail(ErrorCode::BAD_CURSOR, base::quoted(text) + " is no cursor of this list");
  key.first.assign(after + 1, end);
  return key;
}

}  // namespace

base::Result<Answer> WorkCalls::records(const Caller& caller, std::string_view workspace_name, std::string_view task,
                                        std::string_view agent, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  const auto& kept = workspace.records.by_task();
  auto at = kept.lower_bound({std::string(task), {}});
  if (!page.after.empty()) {
    PARLEY_TRY(const Records::Key after, parse_cursor(page.after));
    if (after.first >= task) at = kept.upper_bound(after);
  }

  ListPage list(page.limit, &core_.history());
  std::string last;
  std::size_t looks = 0;
  for (; at != kept.end() && (task.empty() || at->first.first == task); ++at) {
    const auto& [key, record] = *at;
    if (looks++ == looks_max) return list.end(cursor(std::prev(at)->first));
    // By its id: an agent that was removed, and one registered anew under it, are several numbers.
    if (!agent.empty() && workspace.registry.agent(key.second).id != agent) continue;
    PARLEY_TRY(const std::string_view body, core_.history().body(record.position));
    if (!list.takes(body.size())) return list.end(last);
    last = cursor(key);
    PARLEY_TRY(const event::Event event, core_.history().event(record.position));
    const event::MessageAccepted& accepted = event.message_accepted();
    const auto document = json::Document::parse(body);
    const json::Value value = document ? document->root().at_pointer(accepted.record_at()) : json::Value();
    list.writer.begin_object().member("task", key.first).member("agent", workspace.registry.agent(key.second).id);
    list.writer.member("offset", record.offset.value).member("message_id", accepted.message_id());
    list.writer.key("record").raw(value ? json::to_text(value) : "null").end_object();
  }
  return list.end();
}

}  // namespace parley::broker
