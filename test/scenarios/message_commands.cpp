// Messages: made of examples, sent, looked at, taken back.
#include "call.hpp"

#include <map>

#include "../conformance/profiles/edit.hpp"
#include "json/writer.hpp"
#include "no_result.hpp"
#include "print.hpp"
#include "source.hpp"

namespace parley::scenarios {
namespace {

using base::Result;

Result<std::string> without(std::string text, const std::string& pointer) {
  PARLEY_TRY(const json::Document document, json::Document::parse(text));
  const std::size_t slash = pointer.rfind('/');
  const json::Value parent = document.root().at_pointer(pointer.substr(0, slash));
  return conformance::without_member(document.root(), parent, pointer.substr(slash + 1));
}

std::string quoted(const std::string& text) {
  std::string json;
  json::append_string(json, text);
  return json;
}

std::string replace_all(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// The message's bytes: a file's or one sent before, as they are, or with the changes that the command names.
Result<std::string> bytes_of(const Call& call, const std::string& given, std::string_view profile, std::uint64_t n) {
  const Wire* wire = call.world.wire(profile);
  std::string text = given;
  const auto change = [&](const std::string& pointer, const std::string& value) -> Result<> {
    PARLEY_TRY(text, with(text, pointer, value));
    return {};
  };
  if (wire && call.command.has("id")) PARLEY_CHECK(change(wire->id, quoted(id_of(profile, call.option("from"), n))));
  if (wire && call.command.has("from")) PARLEY_CHECK(change(wire->sender, quoted(call.option("from"))));
  if (wire && call.command.has("to")) {
    const std::string to = call.option("to");
    PARLEY_CHECK(change(wire->recipients, to.starts_with('[') ? to : quoted(to)));
  }
  if (wire && call.command.has("answers"))
    PARLEY_CHECK(change(wire->reply_to, quoted(id_of(profile, call.option("of"), call.number("answers", 0)))));
  if (wire && call.option("at") == "now")
    PARLEY_CHECK(change(wire->timestamp, quoted(base::to_rfc3339(call.world.clock().wall()))));
  for (const std::string& set : call.command.all("set")) {
    const std::size_t equals = set.find('=');
    std::string value = replace_all(set.substr(equals + 1), "{n}", std::to_string(n));
    if (call.command.has("kept_id"))
      value = replace_all(value, "{id}", call.world.token("id:" + call.option("kept_id")));
    PARLEY_CHECK(change(set.substr(0, equals), value));
  }
  for (const std::string& repeat : call.command.all("repeat")) {  // an array's elements, so many
    const std::size_t equals = repeat.find('=');
    PARLEY_TRY(const json::Document document, json::Document::parse(text));
    const std::string longer = conformance::array_text(document.root().at_pointer(repeat.substr(0, equals)),
                                                       std::stoul(repeat.substr(equals + 1)));
    PARLEY_CHECK(change(repeat.substr(0, equals), longer));
  }
  for (const std::string& fill : call.command.all("fill")) {  // with so many characters
    const std::size_t equals = fill.find('=');
    PARLEY_CHECK(change(fill.substr(0, equals), quoted(std::string(std::stoul(fill.substr(equals + 1)), 'x'))));
  }
  for (const std::string& pointer : call.command.all("drop")) {
    PARLEY_TRY(text, without(text, pointer));
  }
  return text;
}

// Of the sender's n-th message, as `key` says it; empty: it says nothing.
std::string numbered_id(const Call& call, std::string_view key) {
  if (!call.command.has(key)) return {};
  return id_of(call.profile_of(call.option("from", call.option("as"))), call.option("from", call.option("as")),
               call.number(key, 0));
}

std::string send_one(const Call& call, const broker::Caller& who, const std::string& bytes) {
  json::Parser parser;
  const auto value = parser.parse(bytes);
  if (!value) return scenarios::print(value.error());
  const std::string supersedes = numbered_id(call, "supersedes"), to = call.option("supersedes_to");
  const std::string evidence =
      call.command.has("evidence") ? call.world.token("evidence/" + call.option("evidence")) : "";
  broker::SendOptions options{supersedes, to, {}, evidence};
  if (call.command.has("reply_by")) options.reply_by = base::parse_rfc3339(call.option("reply_by")).value();
  const auto sent =
      call.world.broker().port().messages.send(who, call.workspace(), {bytes, *value}, call.option("key"), &options);
  if (!sent && call.command.has("hint"))
    return scenarios::print(sent.error()) + "  hint: " + std::string(sent.error().hint_text()) + '\n';
  if (!sent) return scenarios::print(sent.error());
  if (!sent->duplicate) call.world.sent(call.workspace(), sent->offset, bytes);
  std::string text = scenarios::print(*sent);
  if (call.command.has("hint"))
    for (const base::Problem& problem : sent->warnings) text += "  hint: " + problem.message + '\n';
  if (call.command.has("show_id")) {
    text.insert(text.find('\n'), sent->message_id.size() == 36 ? " with a made id" : " WITHOUT AN ID");
    call.world.keep_token("id:" + call.option("show_id"), sent->message_id);
  }
  return text;
}

// Of many, how many had which outcome and the last one's words.
std::string tally(const std::vector<std::string>& results) {
  std::map<std::string, int> counts;
  for (const std::string& result : results) ++counts[result.substr(0, result.find(' '))];
  std::string text;
  for (const auto& [outcome, count] : counts) text += outcome + ' ' + std::to_string(count) + ", ";
  return text + "last: " + results.back();
}

// Of the sender that `from` names; `as` says whose token is used instead.
void send(const Call& call) {
  const auto who = caller(call, call.option("from"));
  if (!who) return;
  std::string given = call.command.has("file") ? read_source("spec/profiles/" + call.option("file"))
                                               : call.world.native_bytes(call.option("name"));
  for (const std::string& line : call.command.input()) given += (given.empty() ? "" : "\n") + line;
  const auto workspace = call.world.broker().engine().state().find_workspace(who->workspace);
  const std::string profile =
      workspace && who->agent != base::AgentNumber{}
          ? call.world.broker().engine().state().workspace(*workspace).registry.agent(who->agent).properties.profile
          : call.option("profile");
  const std::uint64_t first = call.number("id", 1);
  const std::uint64_t count = call.number("count", 1);
  std::vector<std::string> results;
  for (std::uint64_t n = first; n < first + count; ++n) {
    const auto bytes = bytes_of(call, given, profile, n);
    if (!bytes) return call.world.say(script_error + scenarios::print(bytes.error()));
    if (call.command.has("name") && given != call.world.native_bytes(call.option("name")))
      call.world.keep_native(call.option("name"), *bytes);
    results.push_back(send_one(call, *who, *bytes));
  }
  call.world.answer(results.size() > 16 ? tally(results) : joined(results, ""));
}

// A message to be sent later, by its name, with further changes.
void keep_template(const Call& call) {
  const auto bytes = bytes_of(call, read_source("spec/profiles/" + call.option("file")), call.option("profile"), 0);
  if (!bytes) return call.world.say(script_error + scenarios::print(bytes.error()));
  call.world.keep_native(call.word(0), *bytes);
}

void message(const Call& call) {
  const std::string sender = call.option("as");
  const auto who = caller(call, sender);
  if (!who) return;
  const std::string profile = call.option("profile");
  const std::string made = call.option("made");
  const std::string id = !made.empty()            ? call.world.token("id:" + made)
                         : call.command.has("id") ? id_of(profile, call.option("from", sender), call.number("id", 1))
                                                  : call.word(0);
  const auto answer = call.world.broker().port().messages.message(*who, call.workspace(), id, call.option("to"));
  const bool bounded = call.command.has("within");  // of a backoff with jitter, the bound alone is told
  const base::Instant bound = call.world.clock().wall() + call.duration("within");
  call.world.answer(print(answer, [&](json::Value body) {
    std::string text = "message" + members(body, {"offset", "type", "priority", "delivery"}) +
                       members(body, {"supersedes", "superseded_by", "rescinded"}) + '\n';
    const bool awaited_too = call.command.has("awaited");
    if (const json::Value request = body.find("request"); request && awaited_too) {
      std::vector<std::string> awaited;
      for (const json::Value agent : request.find("waiting_for").elements()) awaited.emplace_back(agent.as_string());
      const std::string whom = awaited.empty() ? "nobody" : scenarios::joined(awaited, ", ");
      text += "  answer awaited from " + whom + " until " + text_of(request, "due") + '\n';
    }
    for (const json::Value receipt : body.find("receipts").elements()) {
      text += "  " + text_of(receipt, "recipient") + ' ' + text_of(receipt, "state") +
              members(receipt, {"offers", "attempts", "why", "lease_until"});
      const auto retrying = receipt.find("retrying_at").if_string();
      if (retrying && bounded)
        text += base::parse_rfc3339(*retrying).value() <= bound ? " retrying in time" : " RETRYING LATE";
      else if (retrying)
        text.append(" retrying_at=").append(*retrying);
      if (const json::Value error = receipt.find("delivery_error")) {
        text += "\n    delivery error" + members(error, {"error_type", "retry_count", "max_retries"});
        if (error.find("next_retry_at").if_string() != retrying) text += " ELSEWHEN";
      }
      text += '\n';
    }
    return text;
  }));
}

// rescind id=3 as=architect-main to=… reason="…"
void rescind(const Call& call) {
  const std::string sender = call.option("as");
  const auto who = caller(call, sender);
  if (!who) return;
  const std::string id = call.command.has("id") ? numbered_id(call, "id") : call.word(0);
  call.world.answer(print(
      call.world.broker().port().messages.rescind(*who, call.workspace(), id, call.option("to"), call.text("reason")),
      [](json::Value body) {
        std::string text = text_of(body, "status") + members(body, {"offset"}) + '\n';
        for (const json::Value receipt : body.find("receipts").elements())
          text += "  " + text_of(receipt, "recipient") + ' ' + text_of(receipt, "state") + '\n';
        return text;
      }));
}

// standing 5-1 6-1 agent=developer-01 message=3 from=architect-main
void standing(const Call& call) {
  const std::string agent = call.option("agent");
  const auto who = caller(call, agent);
  if (!who) return;
  const std::vector<std::string_view> deliveries(call.command.words().begin(), call.command.words().end());
  std::vector<std::string> ids;
  for (const std::string& n : call.command.all("message"))
    ids.push_back(id_of(call.profile_of(call.option("from")), call.option("from"), std::stoul(n)));
  const std::vector<std::string_view> messages(ids.begin(), ids.end());
  const auto answer = call.world.broker().port().mailboxes.check(*who, call.workspace(), agent, {deliveries, messages});
  call.world.answer(print(answer, [](json::Value body) {
    std::string text;
    for (const json::Value one : body.find("results").elements())
      text += text_of(one, one.find("delivery_id") ? "delivery_id" : "message_id") + ' ' + text_of(one, "status") +
              members(one, {"superseded_by", "why"}) + '\n';
    return text;
  }));
}

void records(const Call& call, const broker::Caller& who) {
  const std::string task = call.option("task"), agent = call.option("agent"), after = call.option("after");
  const auto answer = call.world.broker().port().work.records(who, call.workspace(), task, agent, call.page(after));
  call.world.answer(print_list(answer, [](json::Value item) {
    return text_of(item, "task") + " of " + text_of(item, "agent") + members(item, {"offset", "record"}) + '\n';
  }));
}

}  // namespace

void add_message_commands(Commands& all) {
  all.merge(Commands{
      {"template", keep_template},
      {"send", send},
      {"message", message},
      {"rescind", rescind},
      {"standing", standing},
      {"records", by_admin(records)},
  });
}

}  // namespace parley::scenarios
