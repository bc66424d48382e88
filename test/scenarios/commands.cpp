#include "commands.hpp"

#include <charconv>
#include <functional>
#include <sstream>

#include "../conformance/profiles/edit.hpp"
#include "base/hash.hpp"
#include "envelope/statement.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "print.hpp"
#include "profile/files.hpp"
#include "profile/load.hpp"
#include "source.hpp"

namespace parley::scenarios {
namespace {

using base::Result;

struct Call {
  World& world;
  const Command& command;

  std::string option(std::string_view key, std::string_view otherwise = {}) const {
    return command.option(key, otherwise);
  }
  std::string workspace() const { return option("workspace", world.workspace); }
  std::string text(std::string_view key) const {  // of an option written as a JSON string
    const auto document = json::Document::parse(option(key, "\"\""));
    return std::string(document ? document->root().if_string().value_or("") : "");
  }
  std::uint64_t number(std::string_view key, std::uint64_t otherwise) const {
    const std::string text = option(key);
    std::uint64_t value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  base::Duration duration(std::string_view key) const {
    const std::string text = option(key);
    return text.empty() ? base::Duration{} : base::parse_duration(text).value();
  }
  // An agent's, in the current workspace.
  std::string profile_of(const std::string& agent) const {
    const engine::State& state = world.broker().engine().state();
    const auto number = state.find_workspace(workspace());
    const auto known = number ? state.workspace(*number).registry.find_agent(agent) : std::nullopt;
    return known ? state.workspace(*number).registry.agent(*known).properties.profile : option("profile");
  }
  std::string word(std::size_t i) const { return i < command.words().size() ? command.words()[i] : std::string(); }
};

// The one who calls; says so where the token is nobody's.
std::optional<broker::Caller> caller(const Call& call, const std::string& otherwise) {
  auto caller = call.world.caller(call.option("as", otherwise));
  if (caller) return caller;
  call.world.answer("refused 401: the token is nobody's\n");
  call.command.forgive();
  return std::nullopt;
}

std::string print(const Result<broker::Answer>& answer, const std::function<std::string(json::Value)>& show) {
  if (!answer) return scenarios::print(answer.error());
  const auto document = json::Document::parse(answer->json);
  if (!document) return "AN ANSWER THAT IS NO JSON: " + answer->json + '\n';
  return show(document->root());
}

std::string text_of(json::Value object, std::string_view key) {
  const json::Value value = object.find(key);
  return value.is_string() ? std::string(value.as_string()) : json::to_text(value);
}

// "key=text" of the members that are there.
std::string members(json::Value object, std::initializer_list<std::string_view> keys) {
  std::string text;
  for (const std::string_view key : keys)
    if (object.find(key)) text.append(" ").append(key).append("=").append(text_of(object, key));
  return text;
}

std::string next_of(json::Value list) {
  return list.find("next").is_null() ? std::string() : "next " + text_of(list, "next") + '\n';
}

// A body of the options named, each a JSON value or else a text.
std::string body_of(const Call& call, std::initializer_list<std::pair<std::string_view, std::string_view>> keys,
                    std::string_view id_key = {}, const std::string& id = {}) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object();
  if (!id_key.empty()) writer.member(id_key, id);
  for (const auto& [option, key] : keys) {
    if (!call.command.has(option)) continue;
    const std::string value = call.option(option);
    if (value.starts_with('{') || value.starts_with('[') || (value[0] >= '0' && value[0] <= '9' && option != "type"))
      writer.key(key).raw(value);
    else
      writer.member(key, value);
  }
  writer.end_object();
  return body;
}

Result<std::string> with(std::string text, const std::string& pointer, std::string_view value);

// profile collab set=/version="1.1.0" set=…: one of the five, with changes in its profile.json, in that one's place.
void change_profile(const Call& call) {
  auto files = profile::read_folder(source_folder() + "/spec/profiles/" + call.word(0));
  if (!files) return call.world.say("SCRIPT: " + scenarios::print(files.error()));
  std::string& text = files->at("profile.json");
  for (const std::string& set : call.command.all("set")) {
    const std::size_t equals = set.find('=');
    const auto changed = with(text, set.substr(0, equals), set.substr(equals + 1));
    if (!changed) return call.world.say("SCRIPT: " + scenarios::print(changed.error()));
    text = *changed;
  }
  call.world.say("changed, and restarted ");
  auto ruleset = profile::load(*files);
  const auto added = ruleset ? call.world.add_profile(*ruleset) : std::unexpected(ruleset.error());
  if (!added) call.world.say(scenarios::print(added.error()));
}

// ---- workspaces, agents, people

void create_or_change_workspace(const Call& call, bool create) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string name = call.word(0).empty() ? call.world.workspace : call.word(0);
  const auto keys = {std::pair<std::string_view, std::string_view>{"validation", "validation"},
                     {"profiles", "profiles"},
                     {"settings", "settings"}};
  const auto body = json::Document::parse(create ? body_of(call, keys, "name", name) : body_of(call, keys));
  const auto answer = create ? call.world.broker().create_workspace(*who, body->root())
                             : call.world.broker().change_workspace(*who, name, body->root());
  if (create && answer) call.world.workspace = name;
  call.world.answer(print(answer, [&](json::Value) {
    return std::string(!create ? "changed" : answer->status == 201 ? "created" : "exists") + '\n';
  }));
}

void registered(const Call& call, const std::string& id, const Result<broker::Answer>& answer) {
  call.world.answer(print(answer, [&](json::Value body) {
    if (const auto token = body.find("token").if_string())
      call.world.keep_token(call.workspace() + '/' + id, std::string(*token));
    return id + (answer->status == 201 ? " registered\n" : " known\n");
  }));
}

void agent(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string body = body_of(call,
                                   {{"profile", "profile"},
                                    {"type", "agent_type"},
                                    {"instance", "instance_id"},
                                    {"capabilities", "capabilities"},
                                    {"max_load", "max_load"}},
                                   "agent_id", call.word(0));
  const auto document = json::Document::parse(body);
  registered(call, call.word(0), call.world.broker().register_agent(*who, call.workspace(), document->root()));
}

// Those of a profile's own examples.
void agents(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string profile = call.word(0);
  const auto list = json::Document::parse(read_source("spec/profiles/" + profile + "/examples/agents.json"));
  for (const json::Value agent : list->root().find("agents").elements()) {
    const auto body = json::Document::parse(conformance::with_member(agent, agent, "profile", '"' + profile + '"'));
    registered(call, text_of(agent, "agent_id"),
               call.world.broker().register_agent(*who, call.workspace(), body->root()));
  }
}

void change_agent(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto body = json::Document::parse(body_of(
      call, {{"profile", "profile"}, {"type", "agent_type"}, {"instance", "instance_id"}, {"max_load", "max_load"}}));
  call.world.answer(print(call.world.broker().change_agent(*who, call.workspace(), call.word(0), body->root()),
                          [](json::Value) { return std::string("changed\n"); }));
}

void remove_agent(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(print(call.world.broker().remove_agent(*who, call.workspace(), call.word(0)),
                          [](json::Value) { return std::string("removed\n"); }));
}

void person(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto body = json::Document::parse(body_of(call, {{"roles", "roles"}}, "person_id", call.word(0)));
  registered(call, call.word(0), call.world.broker().register_person(*who, call.workspace(), body->root()));
}

// The key of a name: the same in every script.
base::SigningKey key_of(const std::string& name) {
  return base::SigningKey::of_seed(base::sha256("key of " + name));
}

void runner(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string id = call.word(0);
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("runner_id", id);
  writer.member("public_key", call.option("public_key", base::to_text(key_of(call.option("key", id)).public_half())));
  if (call.command.has("valid_until")) writer.member("valid_until", call.option("valid_until"));
  writer.end_object();
  const auto document = json::Document::parse(body);
  call.world.answer(
      print(call.world.broker().register_runner(*who, call.workspace(), document->root()), [](json::Value runner) {
        return text_of(runner, "runner_id") + members(runner, {"state", "valid_until"}) + '\n';
      }));
}

void runners(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string after = call.option("after");
  const auto answer = call.world.broker().runners(*who, call.workspace(),
                                                  {after, static_cast<std::uint32_t>(call.number("limit", 100))});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value runner : list.find("items").elements())
      text += text_of(runner, "runner_id") + members(runner, {"state", "registered_at", "valid_until", "revoked_at"}) +
              '\n';
    text += next_of(list);
    return text.empty() ? "none\n" : text;
  }));
}

void revoke_runner(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(
      print(call.world.broker().revoke_runner(*who, call.workspace(), call.word(0)), [](json::Value runner) {
        return text_of(runner, "runner_id") + members(runner, {"state", "revoked_at"}) + '\n';
      }));
}

// What a runner signs, kept under a name. Further lines are its checks: "[custom] <name> <exit code, or -> <expected>
// <command>".
void sign(const Call& call) {
  envelope::Statement statement;
  statement.runner = call.option("runner");
  statement.workspace = call.workspace();
  statement.task = call.option("task");
  statement.review = call.option("review");
  statement.at = call.world.clock().wall() - call.duration("ago") + call.duration("ahead");
  statement.tree = base::sha256(call.option("tree", "a work tree"));
  for (const std::string& line : call.command.input()) {
    envelope::SignedCheck& check = statement.checks.emplace_back();
    std::istringstream words(line);
    std::string ended;
    words >> check.name;
    check.custom = check.name == "custom";
    if (check.custom) words >> check.name;
    words >> ended >> check.expected >> std::ws;
    if (ended != "-") check.exit_code = std::stoi(ended);
    std::getline(words, check.command);
  }
  auto token = envelope::sign(statement, key_of(call.option("key", statement.runner)));
  if (!token) return call.world.answer(scenarios::print(token.error()));
  for (const std::string& spoil : call.command.all("spoil")) {  // a text of the token, by another
    const std::size_t equals = spoil.find('=');
    if (const std::size_t at = token->find(spoil.substr(0, equals)); at != token->npos)
      token->replace(at, equals, spoil.substr(equals + 1));
  }
  call.world.keep_token("evidence/" + call.word(0), *token);
  call.world.answer("signed\n");
}

void list_agents(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto answer = call.world.broker().agents(*who, call.workspace(), {});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements())
      text += text_of(item, "agent_id") + members(item, {"profile", "agent_type", "mailbox"}) + '\n';
    return text;
  }));
}

// One agent's health: what stands beside it in the registry.
void show_health(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto answer = call.world.broker().agent(*who, call.workspace(), call.word(0));
  call.world.answer(print(answer, [&](json::Value agent) {
    const json::Value health = agent.find("health");
    if (!health) return call.word(0) + " nothing is known\n";
    return call.word(0) + members(health, {"state", "since", "last_heard", "next_available", "errors", "breaker"}) +
           (call.command.has("report") ? members(health, {"report"}) : "") + '\n';
  }));
}

// What an agent waits for (PIP-11), and whether that blocks the workspace.
void show_waits(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto agent = call.world.broker().agent(*who, call.workspace(), call.word(0));
  call.world.answer(print(agent, [&](json::Value shown) {
    const json::Value waits = shown.find("waits");
    if (!waits) return call.word(0) + " waits for nothing\n";
    std::string text = call.word(0) + members(waits, {"status", "since", "errors"}) + '\n';
    for (const json::Value error : waits.find("undecided").elements())
      text += " " + members(error, {"message_id", "task", "error_type", "severity", "blocks", "text"}) + '\n';
    return text;
  }));
  const auto workspace = call.world.broker().workspace(*who, call.workspace());
  call.world.answer(print(workspace, [](json::Value shown) {
    const json::Value blocked = shown.find("blocked");
    if (!blocked) return std::string("the workspace is not blocked\n");
    std::string text = "the workspace is" + members(blocked, {"status", "since", "errors"}) + '\n';
    for (const json::Value by : blocked.find("by").elements())
      text += " " + members(by, {"agent", "message_id"}) + '\n';
    return text;
  }));
}

// allocate AGENT RESOURCE limit=10 expires=2026-03-03T00:00:00Z renew=true; `limit=null`: none of its own
void allocate(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  std::string body;
  json::Writer writer(body);
  writer.begin_object().key("limit").raw(call.option("limit", "null"));
  if (call.command.has("expires")) writer.member("expires_at", call.option("expires"));
  writer.member("renew", call.option("renew") == "true").end_object();
  const auto document = json::Document::parse(body);
  call.world.answer(
      print(call.world.broker().allocate(*who, call.workspace(), call.word(0), call.word(1), document->root()),
            [](json::Value) { return std::string("allocated\n"); }));
}

std::string print_allocations(json::Value list) {
  std::string text;
  for (const json::Value one : list.elements())
    text +=
        "  " + text_of(one, "resource_type") + members(one, {"allocated", "consumed", "limit", "expires_at"}) + '\n';
  return text;
}

// What each agent may use and has used; and the workspace, where it has limits.
void resources(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto answer = call.world.broker().agents(*who, call.workspace(), {});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value agent : list.find("items").elements())
      if (const json::Value all = agent.find("allocations"))
        text += text_of(agent, "agent_id") + '\n' + print_allocations(all);
    return text.empty() ? "nothing is counted\n" : text;
  }));
  const auto workspace = call.world.broker().workspace(*who, call.workspace());
  call.world.answer(print(workspace, [&](json::Value one) {
    const json::Value budget = one.find("budget");
    return budget ? call.workspace() + members(budget, {"allocated", "consumed"}) + '\n' : std::string();
  }));
}

void rotate(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string id = call.word(0);
  if (call.command.has("keep")) call.world.keep_token(call.option("keep"), call.world.token(id));
  const auto answer = call.world.broker().rotate_token(*who, call.workspace(), "agents", id, call.duration("grace"));
  call.world.answer(print(answer, [&](json::Value body) {
    call.world.keep_token(call.workspace() + '/' + id, text_of(body, "token"));
    return std::string("rotated\n");
  }));
}

// ---- messages

std::string id_of(std::string_view profile, const std::string& sender, std::uint64_t number) {
  const std::string digits = std::to_string(number);
  if (profile == "pipeline") return "msg-" + digits + '-' + sender + "-1";
  return "00000000-0000-4000-8000-" + std::string(12 - std::min<std::size_t>(digits.size(), 12), '0') + digits;
}

Result<std::string> with(std::string text, const std::string& pointer, std::string_view value) {
  PARLEY_TRY(const json::Document document, json::Document::parse(text));
  if (const json::Value place = document.root().at_pointer(pointer))
    return conformance::replaced(document.root(), place, value);
  const std::size_t slash = pointer.rfind('/');
  const json::Value parent = document.root().at_pointer(pointer.substr(0, slash));
  if (!parent.is_object()) return base::fail(base::ErrorCode::BAD_REQUEST, "no place " + pointer);
  return conformance::with_member(document.root(), parent, pointer.substr(slash + 1), value);
}

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
  const auto sent = call.world.broker().send(who, call.workspace(), {bytes, *value}, call.option("key"), &options);
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
    if (!bytes) return call.world.say("SCRIPT: " + scenarios::print(bytes.error()));
    if (call.command.has("name") && given != call.world.native_bytes(call.option("name")))
      call.world.keep_native(call.option("name"), *bytes);
    results.push_back(send_one(call, *who, *bytes));
  }
  call.world.answer(results.size() > 16 ? tally(results) : joined(results, ""));
}

// A message to be sent later, by its name, with further changes.
void keep_template(const Call& call) {
  const auto bytes = bytes_of(call, read_source("spec/profiles/" + call.option("file")), call.option("profile"), 0);
  if (!bytes) return call.world.say("SCRIPT: " + scenarios::print(bytes.error()));
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
  const auto answer = call.world.broker().message(*who, call.workspace(), id, call.option("to"));
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
  call.world.answer(
      print(call.world.broker().rescind(*who, call.workspace(), id, call.option("to"), call.text("reason")),
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
  const auto answer = call.world.broker().check(*who, call.workspace(), agent, {deliveries, messages});
  call.world.answer(print(answer, [](json::Value body) {
    std::string text;
    for (const json::Value one : body.find("results").elements())
      text += text_of(one, one.find("delivery_id") ? "delivery_id" : "message_id") + ' ' + text_of(one, "status") +
              members(one, {"superseded_by", "why"}) + '\n';
    return text;
  }));
}

void records(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string task = call.option("task"), agent = call.option("agent"), after = call.option("after");
  const auto answer = call.world.broker().records(*who, call.workspace(), task, agent,
                                                  {after, static_cast<std::uint32_t>(call.number("limit", 100))});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements())
      text += text_of(item, "task") + " of " + text_of(item, "agent") + members(item, {"offset", "record"}) + '\n';
    text += next_of(list);
    return text.empty() ? "none\n" : text;
  }));
}

// ---- tasks

// "T-1 active epoch=1 of architect-main for developer-01", with what each may send next.
std::string print_task(json::Value task) {
  std::string text = text_of(task, "task_id") + ' ' + text_of(task, "state") + members(task, {"epoch"}) + " of " +
                     text_of(task, "assigner") + " for " + text_of(task, "assignee") +
                     members(task, {"deadline", "timeout", "again_at"}) +
                     (task.find("late").if_bool().value_or(false) ? " late" : "") +
                     (task.find("flagged") ? " flagged" + members(task, {"chain", "risk"}) : "") + '\n';
  if (const json::Value error = task.find("error"))
    text +=
        " " + members(error, {"error_type", "error_message", "recoverable", "suggested_action", "reported_by"}) + '\n';
  for (const json::Value on : task.find("dependencies").elements())
    text += "  depends on " + text_of(on, "task_id") + members(on, {"dependency_type", "state"}) + '\n';
  if (const json::Value why = task.find("blocked_by")) text += "  blocked: " + std::string(why.as_string()) + '\n';
  text += print_allocations(task.find("allocations"));
  for (const auto [agent, types] : task.find("legal_next").members()) {
    std::vector<std::string> names;
    for (const json::Value type : types.elements()) names.emplace_back(type.as_string());
    text += "  " + std::string(agent) + " may send " + scenarios::joined(names, ", ") + '\n';
  }
  return text;
}

void tasks(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string state = call.option("state"), agent = call.option("agent"), after = call.option("after");
  const auto answer = call.world.broker().tasks(*who, call.workspace(), state, agent,
                                                {after, static_cast<std::uint32_t>(call.number("limit", 100))});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value task : list.find("items").elements()) text += print_task(task);
    text += next_of(list);
    return text.empty() ? "none\n" : text;
  }));
}

void task(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(print(call.world.broker().task(*who, call.workspace(), call.word(0)), print_task));
}

// What happened to one task.
void history(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(print(call.world.broker().task(*who, call.workspace(), call.word(0)), [](json::Value task) {
    std::string text;
    for (const json::Value event : task.find("history").elements())
      text += text_of(event, "timestamp") + ' ' + text_of(event, "event_type") + members(event, {"agent_id"}) +
              members(event.find("details"), {"offset", "state", "epoch", "assignee", "target", "why"}) + '\n';
    const json::Value taken = task.find("taken");
    if (taken) text += "taken" + members(taken, {"agent_id", "estimated_completion", "requirements", "constraints"});
    for (const json::Value warning : taken.find("warnings").elements())
      text += ' ' + text_of(warning, "schema") + ": " + text_of(warning, "message");
    return taken ? text + '\n' : text;
  }));
}

// await-tasks T-1 T-2 mode=all|any|first_failure for=10s name=w; without `for` as they stand
void await_tasks(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  broker::TaskWait wait;
  for (const std::string& id : call.command.words()) wait.task_ids.push_back(id);
  const std::string mode = call.option("mode", "all");
  wait.until = mode == "any"             ? broker::TaskWait::Until::any
               : mode == "first_failure" ? broker::TaskWait::Until::first_failure
                                         : broker::TaskWait::Until::all;
  World& world = call.world;
  const auto awaited = world.broker().await_tasks(*who, call.workspace(), wait, true);
  if (!awaited) return world.answer(scenarios::print(awaited.error()));
  const auto document = json::Document::parse(awaited->answer.json);
  std::string text = "done=" + text_of(document->root(), "done") + members(document->root(), {"over", "failed"});
  for (const json::Value task : document->root().find("tasks").elements())
    text += ' ' + text_of(task, "task_id") + ':' + text_of(task, "state");
  world.answer(text + '\n');
  if (awaited->done || call.option("for").empty()) return;
  const std::string name = call.option("name", "wait");
  world.broker().wait_for_tasks(*who, call.workspace(), call.duration("for"),
                                [&world, name] { world.say(name + " <- woken\n"); });
}

// extend-task T-1 seconds=600 reason="…" | task-error T-1 type=timeout message="…" recoverable=true suggested=retry
// abort-task T-1 reason="…" cleanup=true
void ask_of_task(const Call& call, std::string_view what) {
  const auto who = caller(call, "admin");
  if (!who) return;
  std::string body;
  json::Writer writer(body);
  writer.begin_object();
  if (what == "extend") writer.key("timeout_seconds").unsigned_integer(call.number("seconds", 0));
  if (what == "error") {
    writer.member("error_type", call.option("type")).member("error_message", call.text("message"));
    writer.member("recoverable", call.option("recoverable", "true") == "true");
    writer.member("suggested_action", call.option("suggested", "retry"));
  } else {
    writer.member("reason", call.text("reason"));
  }
  if (what == "abort") writer.member("cleanup_required", call.option("cleanup") == "true");
  writer.end_object();
  const auto document = json::Document::parse(body);
  broker::Broker& broker = call.world.broker();
  const std::string workspace = call.workspace(), id = call.word(0);
  const auto answer = what == "extend"  ? broker.extend_task(*who, workspace, id, document->root())
                      : what == "error" ? broker.report_task_error(*who, workspace, id, document->root())
                                        : broker.abort_task(*who, workspace, id, document->root());
  call.world.answer(print(answer, print_task));
}

// depends T-2 T-1 T-0 type=hard|soft, in place of what it was; without `type` what it depends on
void depends(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto show = [](json::Value answer) {
    std::string text = text_of(answer, "task_id") + " depends on";
    for (const json::Value on : answer.find("dependencies").elements())
      text += "\n  " + text_of(on, "task_id") + ' ' + text_of(on, "dependency_type") + members(on, {"state"});
    return text + (answer.find("dependencies").size() == 0 ? " nothing\n" : "\n");
  };
  broker::Broker& broker = call.world.broker();
  const std::string type = call.option("type");
  if (type.empty()) return call.world.answer(print(broker.dependencies(*who, call.workspace(), call.word(0)), show));
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("task_id", call.word(0)).member("dependency_type", type);
  writer.key("depends_on").begin_array();
  for (std::size_t i = 1; i < call.command.words().size(); ++i) writer.string(call.word(i));
  writer.end_array().end_object();
  const auto document = json::Document::parse(body);
  call.world.answer(print(broker.set_dependencies(*who, call.workspace(), call.word(0), document->root()), show));
}

void check_task(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto answer = call.world.broker().check_task(*who, call.workspace(), call.word(0), call.number("epoch", 1));
  call.world.answer(print(answer, [](json::Value checked) {
    return text_of(checked, "status") + members(checked, {"epoch", "state"}) + '\n';
  }));
}

// ---- reviews

std::string print_review(json::Value review) {
  std::string text = text_of(review, "review_id") + ' ' + text_of(review, "state") +
                     members(review, {"iteration", "task_id", "asker", "reviewer", "due", "required", "checks"}) + '\n';
  if (const json::Value evidence = review.find("evidence"))
    text += "  evidence" + members(evidence, {"runner", "signed_at"}) +
            " tree=" + text_of(evidence, "tree").substr(0, 8) + '\n';
  for (const json::Value check : review.find("verification").elements())
    text += "  verification" + members(check, {"name", "custom", "passed", "signed", "runner", "exit_code"}) + '\n';
  if (const json::Value revision = review.find("revision"))
    text += "  previous_attempts=" + json::to_text(revision.find("previous_attempts")) +
            "\n  required_changes=" + json::to_text(revision.find("required_changes")) + '\n';
  return text;
}

void reviews(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string state = call.option("state"), task = call.option("task"), after = call.option("after");
  const auto answer = call.world.broker().reviews(*who, call.workspace(), state, task,
                                                  {after, static_cast<std::uint32_t>(call.number("limit", 100))});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value review : list.find("items").elements()) text += print_review(review);
    text += next_of(list);
    return text.empty() ? "none\n" : text;
  }));
}

void review(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(print(call.world.broker().review(*who, call.workspace(), call.word(0)), print_review));
}

// What earlier results said of a finding.
std::string print_history(json::Value history) {
  std::string text;
  for (const json::Value form : history.elements())
    text += "  was in" + members(form, {"iteration", "review_id"}) +
            members(form.find("finding"), {"severity", "description", "fixed_in_iteration"}) + '\n';
  return text;
}

void findings(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(print(call.world.broker().findings(*who, call.workspace(), call.word(0)), [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements())
      text += text_of(item, "finding_id") +
              members(item, {"blocks", "found_in_iteration", "fixed_in_iteration", "review_id", "signed_by"}) +
              members(item.find("finding"), {"severity", "description"}) + '\n' + print_history(item.find("history"));
    return text.empty() ? "none\n" : text;
  }));
}

// ---- help

std::string help_text(json::Value item) {
  std::string text =
      "help " + text_of(item, "help_id").substr(24) +
      members(item, {"offset", "state", "asker", "subject", "helper", "helpers", "deadline", "collaboration_id"}) +
      '\n';
  for (const json::Value answer : item.find("answers").elements())
    text += " " + members(answer, {"offset", "helper", "subject", "resources"}) + '\n';
  return text;
}

void help(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string state = call.option("state"), agent = call.option("agent");
  call.world.answer(
      print(call.world.broker().help_requests(*who, call.workspace(), state, agent, {{}, 100}), [](json::Value list) {
        std::string text;
        for (const json::Value item : list.find("items").elements()) text += help_text(item);
        return text.empty() ? "none\n" : text;
      }));
}

// All, or with `id` (of its opening message) one, with what was said in it.
void collaborations(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto text = [](json::Value item) {
    std::string shown = "collaboration " + text_of(item, "collaboration_id").substr(24) +
                        members(item, {"offset", "state", "help_id", "task", "participants", "messages", "opened_at",
                                       "closed_at", "closed_by", "why"}) +
                        '\n';
    for (const json::Value one : item.find("said").elements())
      shown += " " + members(one, {"offset", "message_id", "from", "type"}) + '\n';
    return shown;
  };
  const std::string state = call.option("state"), agent = call.option("agent");
  if (call.command.has("id"))
    return call.world.answer(print(
        call.world.broker().collaboration(*who, call.workspace(), id_of("handoff", "", call.number("id", 0))), text));
  const std::string after = call.option("after");
  const broker::Page page{after, static_cast<std::uint32_t>(call.number("limit", 100))};
  call.world.answer(
      print(call.world.broker().collaborations(*who, call.workspace(), state, agent, page), [&](json::Value list) {
        std::string all;
        for (const json::Value item : list.find("items").elements()) all += text(item);
        all += next_of(list);
        return all.empty() ? "none\n" : all;
      }));
}

// ---- approvals

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
  if (!kept || json::to_text(kept->root()) != sent) text += "  NOT WHAT WAS SENT\n";
  return text;
}

void approvals(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string state = call.option("state"), after = call.option("after");
  const auto answer = call.world.broker().approvals(*who, call.workspace(), state,
                                                    {after, static_cast<std::uint32_t>(call.number("limit", 100))});
  call.world.answer(print(answer, [&](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements()) text += approval_text(call, item);
    text += next_of(list);
    return text.empty() ? "none\n" : text;
  }));
}

// By the number of its id; or the oldest of those that wait, which the server itself may have asked for.
std::string approval_id(const Call& call) {
  if (call.command.has("id")) return id_of(call.option("profile", "supervisor"), "", call.number("id", 0));
  const engine::State& state = call.world.broker().engine().state();
  for (const auto& [offset, approval] : state.workspace(*state.find_workspace(call.workspace())).approvals.all())
    if (approval.waits()) return std::string(approval.id.view());
  return "none waits";
}

void approval(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string id = approval_id(call);
  call.world.answer(print(call.world.broker().approval(*who, call.workspace(), id),
                          [&](json::Value item) { return approval_text(call, item); }));
}

// decide approve id=1 as=ada rationale="fine": about what was sent, or about `shown`.
void decide(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
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
  call.world.answer(print(call.world.broker().decide_approval(*who, call.workspace(), id, document->root()),
                          [&](json::Value item) { return approval_text(call, item); }));
}

// ---- mailboxes

void take(const Call& call) {
  const std::string agent = call.option("agent");
  const auto who = caller(call, agent);
  if (!who) return;
  const std::string take_id = call.option("take_id"), keep_id = call.option("keep_id");
  const auto show = call.command.all("show");
  const auto taken =
      call.world.broker().take(*who, call.workspace(), agent,
                               {static_cast<std::uint32_t>(call.number("max", 10)), call.duration("lease"), take_id});
  if (!taken) return call.world.answer(scenarios::print(taken.error()));
  std::string text;
  for (const broker::Delivery& delivery : *taken) {
    text += scenarios::print(call.world, call.workspace(), delivery, show);
    const auto document = json::Document::parse(delivery.message);
    if (!keep_id.empty() && document)  // of the last: for {id} in a `set`
      call.world.keep_token("id:" + keep_id, std::string(document->root().find("message_id").if_string().value_or("")));
  }
  call.world.answer(text.empty() ? "nothing\n" : text);
}

void settle(const Call& call, broker::Settlement what) {
  const std::string agent = call.option("agent");
  const auto who = caller(call, agent);
  if (!who) return;
  const std::vector<std::string_view> ids(call.command.words().begin(), call.command.words().end());
  const std::string reason = call.text("reason") + std::string(call.number("reason_chars", 0), 'x');
  const std::string code = call.option("code");
  broker::SettleRequest request{what, ids, {}, reason, call.duration("lease"), code};
  if (call.command.has("delay")) request.delay = call.duration("delay");
  const auto settled = call.world.broker().settle(*who, call.workspace(), agent, request);
  if (!settled) return call.world.answer(scenarios::print(settled.error()));
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i)
    text += std::string(ids[i]) + ' ' + std::string(name((*settled)[i])) + '\n';
  call.world.answer(text);
}

void inbox(const Call& call) {
  const std::string agent = call.option("agent");
  const auto who = caller(call, agent);
  if (!who) return;
  const std::string after = call.option("after");
  const auto answer = call.world.broker().inbox(*who, call.workspace(), agent,
                                                {after, static_cast<std::uint32_t>(call.number("limit", 100))});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements())
      text += text_of(item, "offset") + ' ' + text_of(item, "state") +
              members(item, {"priority", "attempts", "from", "expires_at"}) + '\n';
    text += next_of(list);
    return text.empty() ? "empty\n" : text;
  }));
}

void dead_letters(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const std::string after = call.option("after");
  const auto answer = call.world.broker().dead_letters(*who, call.workspace(),
                                                       {after, static_cast<std::uint32_t>(call.number("limit", 100))});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements()) {
      text += text_of(item, "delivery_id") + " of " + text_of(item, "agent") + ": " + text_of(item, "reason") + '\n';
      for (const json::Value attempt : item.find("history").elements())
        text += "  " + text_of(attempt, "at") + " offer " + text_of(attempt, "offer") + ' ' + text_of(attempt, "what") +
                (text_of(attempt, "reason").empty() ? "" : ": ") + text_of(attempt, "reason") + '\n';
    }
    text += next_of(list);
    return text.empty() ? "none\n" : text;
  }));
}

void redrive(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(print(call.world.broker().redrive(*who, call.workspace(), call.word(0)),
                          [](json::Value body) { return text_of(body, "status") + '\n'; }));
}

void discard(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  call.world.answer(print(call.world.broker().discard(*who, call.workspace(), call.word(0)),
                          [](json::Value body) { return text_of(body, "status") + '\n'; }));
}

void log(const Call& call) {
  const auto who = caller(call, "admin");
  if (!who) return;
  const auto page = call.world.broker().log(*who, call.workspace(), call.number("from", 1),
                                            static_cast<std::uint32_t>(call.number("max", 1000)));
  const auto answer = page ? base::Result<broker::Answer>(page->answer) : std::unexpected(page.error());
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements()) {
      text += text_of(item, "offset") + ' ' + (item.find("private") ? "private" : text_of(item, "event"));
      text += members(item, {"agent",      "messages",   "from",
                             "to",         "type",       "kind",
                             "code",       "count",      "first_at",
                             "last_at",    "answers",    "extends",
                             "health",     "breaker",    "held",
                             "changed",    "superseded", "superseded_by",
                             "automatic",  "help_state", "collaboration_id",
                             "asks_again", "again_at",   "error_state",
                             "errors"});
      if (text_of(item, "event") == "help_moved") text += members(item, {"state", "helper"});
      if (text_of(item, "event").starts_with("approval_"))
        text += members(item, {"by", "state", "rationale", "modified_action", "due"});
      if (const json::Value code = item.find("notice").find("notice"))
        text += " notice=" + std::string(code.as_string());
      for (const json::Value error : item.find("validation_errors").elements())
        text += "\n  " + text_of(error, "schema") + " at '" + text_of(error, "instance") + "'";
      text += '\n';
    }
    return text + next_of(list);
  }));
}

void wait(const Call& call) {
  const std::string agent = call.option("agent");
  const std::string name = call.option("name", "wait");
  World& world = call.world;
  const auto woken = [&world, name] { world.say(name + " <- woken\n"); };
  const auto who = caller(call, agent.empty() ? "admin" : agent);
  if (!who) return;
  const auto id = agent.empty()
                      ? world.broker().wait_for_log(*who, call.workspace(), 0, call.duration("for"), woken)
                      : world.broker().wait_for_mail(*who, call.workspace(), agent, call.duration("for"), woken);
  world.answer(id.value == 0 ? "refused\n" : "waiting\n");
}

// session open name=s agent=… credit=10 | credit name=s credit=5 | room name=s full|free | close name=s
void session(const Call& call) {
  World::Session& session = call.world.session(call.option("name", "session"));
  broker::Broker& broker = call.world.broker();
  const std::string what = call.word(0);
  const auto credit = static_cast<std::uint32_t>(call.number("credit", 10));
  if (what == "open") {
    const auto who = caller(call, call.option("agent"));
    if (!who) return;
    session.workspace = who->workspace;
    call.world.answer("");
    const auto opened =
        broker.open_session(*who, session, {credit, call.duration("lease"), call.option("receipts") == "true"});
    if (opened) session.id = *opened;
    call.world.answer(opened ? "open\n" : scenarios::print(opened.error()));
  } else if (what == "credit") {
    broker.set_credit(session.id, credit);
    call.world.answer("credit " + std::to_string(credit) + '\n');
  } else if (what == "room") {
    session.room = call.word(1) == "free";
    if (session.room) broker.outbox_has_room(session.id);
    call.world.answer(session.room ? "free\n" : "full\n");
  } else {
    broker.close_session(session.id);
    call.world.answer("closed\n");
  }
}

// ---- time, and the end of the process

// The first command of a script, where its messages are of another day.
void clock(const Call& call) {
  call.world.begin(base::parse_rfc3339(call.word(0)).value());
}

// The clock on the wall jumps; the monotonic one knows nothing of it.
void wall(const Call& call) {
  std::string by = call.word(0);
  const bool back = by.starts_with('-');
  const base::Duration step = base::parse_duration(by.substr(1)).value();
  call.world.clock().set_wall(call.world.clock().wall() + (back ? -step : step));
}

// The machine sleeps, and everybody on it.
void suspend(const Call& call) {
  call.world.clock().suspend(base::parse_duration(call.word(0)).value());
}

void restart(const Call& call) {
  call.world.say("restarted ");
  call.world.restart(call.duration("down"));
}

void snapshot_restart(const Call& call) {
  if (!call.world.snapshot()) return call.world.say("NO SNAPSHOT\n");
  call.world.say("restarted ");
  call.world.restart(call.duration("down"));
}

const std::map<std::string, std::function<void(const Call&)>, std::less<>>& commands() {
  using broker::Settlement;
  static const std::map<std::string, std::function<void(const Call&)>, std::less<>> all{
      {"profile", change_profile},
      {"workspace", [](const Call& call) { create_or_change_workspace(call, true); }},
      {"change-workspace", [](const Call& call) { create_or_change_workspace(call, false); }},
      {"in", [](const Call& call) { call.world.workspace = call.word(0); }},
      {"agent", agent},
      {"agents", agents},
      {"change-agent", change_agent},
      {"remove-agent", remove_agent},
      {"person", person},
      {"runner", runner},
      {"runners", runners},
      {"revoke-runner", revoke_runner},
      {"sign", sign},
      {"list-agents", list_agents},
      {"health", show_health},
      {"waits", show_waits},
      {"allocate", allocate},
      {"resources", resources},
      {"rotate", rotate},
      {"template", keep_template},
      {"send", send},
      {"message", message},
      {"rescind", rescind},
      {"standing", standing},
      {"records", records},
      {"reviews", reviews},
      {"review", review},
      {"findings", findings},
      {"approvals", approvals},
      {"help", help},
      {"collaborations", collaborations},
      {"approval", approval},
      {"decide", decide},
      {"tasks", tasks},
      {"task", task},
      {"history", history},
      {"check", check_task},
      {"await-tasks", await_tasks},
      {"depends", depends},
      {"extend-task", [](const Call& call) { ask_of_task(call, "extend"); }},
      {"task-error", [](const Call& call) { ask_of_task(call, "error"); }},
      {"abort-task", [](const Call& call) { ask_of_task(call, "abort"); }},
      {"take", take},
      {"ack", [](const Call& call) { settle(call, Settlement::ack); }},
      {"act", [](const Call& call) { settle(call, Settlement::act); }},
      {"nack", [](const Call& call) { settle(call, Settlement::nack); }},
      {"extend", [](const Call& call) { settle(call, Settlement::extend); }},
      {"inbox", inbox},
      {"deadletters", dead_letters},
      {"redrive", redrive},
      {"discard", discard},
      {"log", log},
      {"wait", wait},
      {"session", session},
      {"clock", clock},
      {"wall", wall},
      {"suspend", suspend},
      {"advance", [](const Call& call) { call.world.advance(base::parse_duration(call.word(0)).value()); }},
      // The loop is held up while time passes: what comes due comes at once, afterwards.
      {"stall", [](const Call& call) { call.world.clock().pass(base::parse_duration(call.word(0)).value()); }},
      {"hold", [](const Call& call) { call.world.hold(true); }},
      {"turn", [](const Call& call) { call.world.hold(false); }},
      {"restart", restart},
      {"snapshot-restart", snapshot_restart},
  };
  return all;
}

}  // namespace

std::string run(World& world, const Command& command) {
  const auto known = commands().find(command.name());
  if (known == commands().end()) return "SCRIPT: no command '" + command.name() + "'\n";
  try {
    known->second({world, command});
    if (command.name() != "stall") world.settle();
    world.say(world.defects());
  } catch (const std::exception& broken) {
    world.say(std::string("BROKEN: ") + broken.what() + '\n');
  }
  if (const std::string unknown = command.unknown(); !unknown.empty())
    world.say("SCRIPT: unknown option" + unknown + '\n');
  const std::string text = world.take_output();
  return text.empty() ? "ok\n" : text;
}

}  // namespace parley::scenarios
