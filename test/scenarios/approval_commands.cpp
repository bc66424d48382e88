// What humans decide.
#include "call.hpp"

#include "base/hash.hpp"
#include "json/writer.hpp"
#include "no_result.hpp"

namespace parley::scenarios {
namespace {

std::string approval_text(const Call& call, json::Value item) {
  const std::string id = text_of(item, "approval_id");
  std::string text =
      "approval " + (id.size() > 24 ? id.substr(24) : id) +
      members(item, {"offset", "state", "asker", "subject", "task", "approvers", "options", "due", "reason"}) + '\n';
  if (const json::Value decision = item.find("decision"))
    text += " " + members(decision, {"decision", "decided_by", "decided_at", "rationale", "modified_action"}) + '\n';
  if (text_of(item, "asker") == "parley") return text + "  " + json::to_text(item.find("message")) + '\n';
  const auto offset = item.find("offset").if_uint();
  if (call.world.sent_bytes(call.workspace(), base::Offset(offset.value_or(0))).empty())
    return text + "  written by the server\n";
  const std::string sent = json::to_text(item.find("message"));
  const auto kept = json::Document::parse(call.world.sent_bytes(call.workspace(), base::Offset(offset.value_or(0))));
  if (!kept || json::to_text(kept->root()) != sent) text += server_error + "NOT WHAT WAS SENT\n";
  return text;
}

void approvals(const Call& call, const broker::Caller& who) {
  const std::string state = call.option("state"), after = call.option("after");
  const auto answer = call.world.broker().port().work.approvals(who, call.workspace(), state, call.page(after));
  call.world.answer(print_list(answer, [&](json::Value item) { return approval_text(call, item); }));
}

// By the number of its id; or the oldest of those that wait, which the server itself may have asked for.
std::string approval_id(const Call& call) {
  if (call.command.has("id")) return id_of(call.option("profile", "supervisor"), "", call.number("id", 0));
  const engine::State& state = call.world.broker().engine().state();
  for (const auto& [offset, approval] : state.workspace(*state.find_workspace(call.workspace())).approvals.all())
    if (approval.waits()) return std::string(approval.id.view());
  return "none waits";
}

void approval(const Call& call, const broker::Caller& who) {
  const std::string id = approval_id(call);
  call.world.answer(print(call.world.broker().port().work.approval(who, call.workspace(), id),
                          [&](json::Value item) { return approval_text(call, item); }));
}

// decide approve id=1 as=ada rationale="fine" [hint=yes]: about what was sent, or about `shown`.
void decide(const Call& call, const broker::Caller& who) {
  const std::string id = approval_id(call);
  const engine::State& state = call.world.broker().engine().state();
  const engine::Approvals& all = state.workspace(*state.find_workspace(call.workspace())).approvals;
  const auto asked = all.find(id);
  const bool by_server = asked && all.find(*asked)->asker == base::AgentNumber{};
  const std::string bytes = call.world.sent_bytes(call.workspace(), asked.value_or(base::Offset(0)));
  const std::string shown = call.command.has("shown")               ? call.option("shown")
                            : by_server || (asked && bytes.empty()) ? base::to_hex(all.find(*asked)->shown)
                                                                    : base::to_hex(base::sha256(bytes));
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("decision", call.word(0)).member("rationale", call.text("rationale"));
  writer.member("shown", shown);
  if (call.command.has("action")) writer.key("modified_action").raw(call.option("action"));
  writer.end_object();
  const auto document = json::Document::parse(body);
  const auto decided = call.world.broker().port().work.decide_approval(who, call.workspace(), id, document->root());
  std::string text = print(decided, [&](json::Value item) { return approval_text(call, item); });
  if (!decided && call.command.has("hint")) text += "  hint: " + std::string(decided.error().hint_text()) + '\n';
  call.world.answer(std::move(text));
}

}  // namespace

void add_approval_commands(Commands& all) {
  all.merge(Commands{
      {"approvals", by_admin(approvals)},
      {"approval", by_admin(approval)},
      {"decide", by_admin(decide)},
  });
}

}  // namespace parley::scenarios
