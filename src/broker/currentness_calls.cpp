// Messages that their senders take back, and whether one is still to be acted upon (BEY-03).
#include "broker/bounds.hpp"
#include "broker/delivery_calls.hpp"
#include "broker/find_message.hpp"
#include "broker/message_calls.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/superseded.hpp"
#include "engine/currentness/check.hpp"
#include "engine/mailboxes/failures.hpp"

namespace parley::broker {
namespace {

// Of what `key` and `id` name. What stands there now is named to who gets it (I1).
void write_checked(json::Writer& writer, const engine::Workspace& workspace, base::AgentNumber agent,
                   std::string_view key, std::string_view id, const engine::Checked& checked) {
  writer.begin_object().member(key, id).member("status", name(checked.is));
  if (checked.by != base::Offset{}) {
    const engine::Message* const by = workspace.messages.find(checked.by);
    if (by && party_to(*by, agent)) {
      writer.key("superseded_by");
      write_reference(writer, workspace, checked.by);
    }
  }
  if (!checked.why.empty()) writer.member("why", checked.why);
  writer.end_object();
}

}  // namespace

base::Result<Answer> MessageCalls::rescind(const Caller& caller, std::string_view workspace_name,
                                           std::string_view message_id, std::string_view to, std::string_view reason) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  const base::Duration began = core_.parts().clock.monotonic();
  const auto own = own_message(workspace, caller, message_id, to);
  core_.count_time(core_.parts().clock.monotonic() - began);  // every agent may be looked at (R7)
  PARLEY_TRY(const base::Offset offset, own);
  PARLEY_TRY(const event::Event event, event_that_counted(core_.history(), workspace, offset));
  core_.count_reach(workspace.messages.at(offset).receipts.size());
  PARLEY_TRY(const bool now,
             core_.decide(engine::TakeBack{number, offset, accepted_of(event), reason}, journal::Need::work));

  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object().member("message_id", accepted_of(event).message_id()).member("offset", offset.value);
  writer.member("status", std::string_view(now ? "rescinded" : "already"));
  // What ended everywhere may be forgotten with it.
  if (const engine::Message* const message = workspace.messages.find(offset))
    write_receipts(writer, workspace, offset, *message, retry_of(core_.ruleset_of(), workspace, *message));
  else
    writer.key("receipts").begin_array().end_array();
  writer.end_object();
  return answer;
}

base::Result<Answer> DeliveryCalls::check(const Caller& caller, std::string_view workspace_name, std::string_view agent,
                                          const CheckRequest& request) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  PARLEY_TRY(const base::AgentNumber agent_number, own_mailbox(caller, number, agent));
  PARLEY_CHECK(check_asked(request.delivery_ids.size() + request.message_ids.size()));
  const engine::Workspace& workspace = core_.state().workspace(number);
  const base::Instant now = core_.context().now;
  Answer answer;
  json::Writer writer(answer.json);
  writer.begin_object().key("results").begin_array();
  for (const std::string_view id : request.delivery_ids) {
    const engine::DeliveryId delivery = parse_delivery(id);
    engine::Checked checked;
    if (delivery.epoch != 0) checked = engine::check_delivery(workspace, agent_number, delivery, now);
    write_checked(writer, workspace, agent_number, "delivery_id", id, checked);
  }
  for (const std::string_view id : request.message_ids) {
    const auto offset = offset_received(workspace, caller, id);
    engine::Checked checked;
    if (offset) checked = engine::check_delivery(workspace, agent_number, {*offset, 0}, now);
    write_checked(writer, workspace, agent_number, "message_id", id, checked);
  }
  writer.end_array().end_object();
  return answer;
}

}  // namespace parley::broker
