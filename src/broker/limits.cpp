// What a client may ask for and send here, and whether the server is ready for it.
#include <array>
#include <map>

#include "broker/bounds.hpp"
#include "broker/broker.hpp"
#include "envelope/limits.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/files.hpp"
#include "profile/reading.hpp"

namespace parley::broker {
namespace {

constexpr std::array<std::string_view, 3> unit_names{"bytes", "code_points", "items"};  // by profile::LimitUnit

void write_bounds(json::Writer& writer, const profile::Ruleset& rules) {
  std::map<std::string_view, const profile::LimitRule*> named;
  for (const profile::TypeReading& type : rules.reading->types)
    for (const profile::LimitRule& limit : type.limits) named.emplace(limit.name, &limit);
  writer.begin_object().member("message_bytes", rules.message_bytes_max).key("rules").begin_object();
  for (const auto& [name, limit] : named) {
    writer.key(name).begin_object().member("max", limit->max);
    writer.member("unit", unit_names[static_cast<std::size_t>(limit->unit)]).end_object();
  }
  writer.end_object().end_object();
}

}  // namespace

Answer Broker::limits() const {
  const engine::Settings settings;
  const json::Limits json_limits;
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object();
  writer.key("message").begin_object().member("bytes", json_limits.bytes).member("depth", json_limits.depth);
  writer.member("keys", json_limits.keys).member("key_bytes", json_limits.key_bytes);
  writer.member("number_chars", json_limits.number_chars).member("elements", json_limits.elements).end_object();
  writer.key("request").begin_object().member("body_bytes", envelope::sent_bytes_max);
  writer.member("call_bytes", envelope::asked_bytes_max).member("header_bytes", envelope::head_bytes_max);
  writer.member("url_bytes", envelope::target_bytes_max).member("batch", envelope::sent_messages_max).end_object();
  writer.key("websocket").begin_object().member("frame_bytes", envelope::sent_bytes_max);
  writer.member("batch", envelope::sent_messages_max).end_object();
  writer.key("connections").begin_object().member("max", envelope::connections_max);
  writer.member("without_token", envelope::strangers_max).end_object();
  writer.key("waiting").begin_object().member("bytes_of_caller", LaterTurns::bytes_of_one_max);
  writer.member("bytes", LaterTurns::bytes_max).end_object();
  writer.key("take").begin_object().member("max", envelope::taken_max);
  writer.member("wait", base::to_text(envelope::waited_max));
  writer.member("lease", base::to_text(envelope::lease_max)).end_object();
  writer.key("settle").begin_object().member("batch", envelope::listed_max).member("reason_chars", reason_max);
  writer.member("delay", base::to_text(delay_max)).end_object();
  writer.key("workspace_defaults").begin_object().member("mailbox_messages", settings.mailbox_messages);
  writer.member("mailbox_bytes", settings.mailbox_bytes).member("recipients", settings.recipients);
  writer.member("remembered_ids", settings.remembered_ids);
  writer.member("remembered_for", base::to_text(settings.remembered_for));
  writer.member("lease", base::to_text(settings.lease)).member("kept_records", settings.kept_records);
  writer.member("open_requests", settings.open_requests).member("tasks", settings.tasks);
  writer.member("approvals", settings.approvals).member("loop_hops", settings.loops.hops);
  writer.member("loop_rounds", settings.loops.rounds).member("loop_messages", settings.loops.messages).end_object();
  writer.key("profiles").begin_object();
  for (const std::string& name : profile::built_in_names())
    if (const profile::Ruleset* const rules = core_.ruleset_of()(name)) write_bounds(writer.key(name), *rules);
  writer.end_object();
  // MSH-15: of one agent; a workspace may set another.
  writer.key("rates").begin_object();
  for (const std::string& name : profile::built_in_names())
    if (const profile::Ruleset* rules = core_.ruleset_of()(name); rules && rules->rate.messages > 0)
      writer.key(name)
          .begin_object()
          .member("messages", rules->rate.messages)
          .member("window", base::to_text(rules->rate.window))
          .end_object();
  writer.end_object().end_object();
  return answer;
}

base::Result<> Broker::ready() const {
  if (core_.failure()) return std::unexpected(*core_.failure());
  return core_.check_room(message_room(), journal::Need::growth);
}

}  // namespace parley::broker
