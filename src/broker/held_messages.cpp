// Held messages on their way out (SUP-04): read again as they were sent, or as a person changed them.
#include "broker/held_messages.hpp"

#include <algorithm>

#include "broker/command_of.hpp"
#include "json/merge_patch.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

base::Result<> check_same(const envelope::Envelope& before, const envelope::Envelope& after) {
  const std::string_view what = before.message_id != after.message_id     ? "id"
                                : before.recipients != after.recipients   ? "recipients"
                                : before.broadcast != after.broadcast     ? "recipients"
                                : before.native_type != after.native_type ? "type"
                                : before.task != after.task               ? "task"
                                : before.reply_to != after.reply_to       ? "reference to what it answers"
                                                                          : std::string_view();
  if (what.empty()) return {};
  return base::fail(ErrorCode::BAD_REQUEST, "a changed message keeps its " + std::string(what), "/modified_action",
                    "Change what the message says; to end it, reject it.");
}

bool is_known(const base::Problem& problem, const std::vector<base::Problem>& known) {
  return std::ranges::any_of(
      known, [&](const base::Problem& k) { return k.instance == problem.instance && k.schema == problem.schema; });
}

}  // namespace

// R5: what was accepted with defects goes out with them, and a change adds none.
base::Result<> HeldMessage::read(std::string_view original, json::Value patch, const profile::Ruleset& rules,
                                 ingress::Options options) {
  rules_ = &rules;
  PARLEY_TRY(document_, json::Document::parse(original));
  options.validation = ingress::Validation::lenient;
  PARLEY_CHECK(ingress::check({original, document_.root()}, rules, options, checked_));
  if (patch.is_absent()) return {};
  ingress::Checked before = std::exchange(checked_, {});
  changed_ = json::merge_patch(document_.root(), patch);
  PARLEY_TRY(document_, json::Document::parse(changed_));
  PARLEY_CHECK(ingress::check({changed_, document_.root()}, rules, options, checked_));
  PARLEY_CHECK(check_same(before.envelope, checked_.envelope));
  std::vector<base::Problem> defects = checked_.validation_errors;
  std::erase_if(defects, [&](const base::Problem& p) { return is_known(p, before.validation_errors); });
  if (defects.empty()) return {};
  auto refusal = base::fail(ErrorCode::SCHEMA, "the changed message breaks the rules of its type", "/modified_action",
                            "Places are those of the message with the change in it: mend the change.");
  refusal.error().details = std::move(defects);
  return refusal;
}

engine::AcceptMessage HeldMessage::command(base::WorkspaceNumber workspace, base::AgentNumber sender,
                                           const Superseded* superseded, base::Instant now) const {
  engine::AcceptMessage command = command_of(workspace, sender, *rules_, checked_);
  if (superseded) command.supersedes = &superseded->take_back;
  if (reply_by > now) command.reply_by = reply_by;
  command.evidence = evidence;
  return command;
}

}  // namespace parley::broker
