// Workspaces, agents, people and runners; their profiles, keys and bounds.
#include "call.hpp"

#include <sstream>

#include "../conformance/profiles/edit.hpp"
#include "base/hash.hpp"
#include "envelope/statement.hpp"
#include "json/writer.hpp"
#include "no_result.hpp"
#include "print.hpp"
#include "profile/files.hpp"
#include "source.hpp"

namespace parley::scenarios {
namespace {

using base::Result;

// profile collab set=/version="1.1.0" set=…: one of the five, with changes in its profile.json, in that one's place.
// profile kitchen folder=test/…: one beside the five, of a folder of the source tree.
void change_profile(const Call& call) {
  const std::string folder = call.option("folder", "spec/profiles/" + call.word(0));
  auto files = profile::read_folder(source_folder() + '/' + folder);
  if (!files) return call.world.say(script_error + scenarios::print(files.error()));
  std::string& text = files->at("profile.json");
  for (const std::string& set : call.command.all("set")) {
    const std::size_t equals = set.find('=');
    const auto changed = with(text, set.substr(0, equals), set.substr(equals + 1));
    if (!changed) return call.world.say(script_error + scenarios::print(changed.error()));
    text = *changed;
  }
  call.world.say(call.command.has("folder") ? "added, and restarted " : "changed, and restarted ");
  const auto added = call.world.add_profile(*files);
  if (!added) call.world.say(scenarios::print(added.error()));
}

void create_or_change_workspace(const Call& call, const broker::Caller& who, bool create) {
  const std::string name = call.word(0).empty() ? call.world.workspace : call.word(0);
  const auto keys = {std::pair<std::string_view, std::string_view>{"validation", "validation"},
                     {"profiles", "profiles"},
                     {"settings", "settings"}};
  const auto body = json::Document::parse(create ? body_of(call, keys, "name", name) : body_of(call, keys));
  const auto answer = create ? call.world.broker().port().registry.create_workspace(who, body->root())
                             : call.world.broker().port().registry.change_workspace(who, name, body->root());
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

void agent(const Call& call, const broker::Caller& who) {
  const std::string body = body_of(call,
                                   {{"profile", "profile"},
                                    {"type", "agent_type"},
                                    {"instance", "instance_id"},
                                    {"capabilities", "capabilities"},
                                    {"max_load", "max_load"}},
                                   "agent_id", call.word(0));
  const auto document = json::Document::parse(body);
  registered(call, call.word(0),
             call.world.broker().port().registry.register_agent(who, call.workspace(), document->root()));
}

// Those of a profile's own examples.
void agents(const Call& call, const broker::Caller& who) {
  const std::string profile = call.word(0);
  const auto list = json::Document::parse(read_source("spec/profiles/" + profile + "/examples/agents.json"));
  for (const json::Value agent : list->root().find("agents").elements()) {
    const auto body = json::Document::parse(conformance::with_member(agent, agent, "profile", '"' + profile + '"'));
    registered(call, text_of(agent, "agent_id"),
               call.world.broker().port().registry.register_agent(who, call.workspace(), body->root()));
  }
}

void change_agent(const Call& call, const broker::Caller& who) {
  const auto body = json::Document::parse(body_of(
      call, {{"profile", "profile"}, {"type", "agent_type"}, {"instance", "instance_id"}, {"max_load", "max_load"}}));
  call.world.answer(
      print(call.world.broker().port().registry.change_agent(who, call.workspace(), call.word(0), body->root()),
            [](json::Value) { return std::string("changed\n"); }));
}

void remove_agent(const Call& call, const broker::Caller& who) {
  call.world.answer(print(call.world.broker().port().registry.remove_agent(who, call.workspace(), call.word(0)),
                          [](json::Value) { return std::string("removed\n"); }));
}

void person(const Call& call, const broker::Caller& who) {
  const auto body = json::Document::parse(body_of(call, {{"roles", "roles"}}, "person_id", call.word(0)));
  registered(call, call.word(0),
             call.world.broker().port().registry.register_person(who, call.workspace(), body->root()));
}

// The key of a name: the same in every script.
base::SigningKey key_of(const std::string& name) {
  return base::SigningKey::of_seed(base::sha256("key of " + name));
}

void runner(const Call& call, const broker::Caller& who) {
  const std::string id = call.word(0);
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("runner_id", id);
  writer.member("public_key", call.option("public_key", base::to_text(key_of(call.option("key", id)).public_half())));
  if (call.command.has("valid_until")) writer.member("valid_until", call.option("valid_until"));
  writer.end_object();
  const auto document = json::Document::parse(body);
  call.world.answer(print(call.world.broker().port().registry.register_runner(who, call.workspace(), document->root()),
                          [](json::Value runner) {
                            return text_of(runner, "runner_id") + members(runner, {"state", "valid_until"}) + '\n';
                          }));
}

void runners(const Call& call, const broker::Caller& who) {
  const std::string after = call.option("after");
  const auto answer = call.world.broker().port().registry.runners(who, call.workspace(), call.page(after));
  call.world.answer(print_list(answer, [](json::Value runner) {
    return text_of(runner, "runner_id") + members(runner, {"state", "registered_at", "valid_until", "revoked_at"}) +
           '\n';
  }));
}

void revoke_runner(const Call& call, const broker::Caller& who) {
  call.world.answer(print(call.world.broker().port().registry.revoke_runner(who, call.workspace(), call.word(0)),
                          [](json::Value runner) {
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

void list_agents(const Call& call, const broker::Caller& who) {
  const auto answer = call.world.broker().port().registry.agents(who, call.workspace(), {});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value item : list.find("items").elements())
      text += text_of(item, "agent_id") + members(item, {"profile", "agent_type", "mailbox"}) + '\n';
    return text;
  }));
}

// One agent's health: what stands beside it in the registry.
void show_health(const Call& call, const broker::Caller& who) {
  const auto answer = call.world.broker().port().registry.agent(who, call.workspace(), call.word(0));
  call.world.answer(print(answer, [&](json::Value agent) {
    const json::Value health = agent.find("health");
    if (!health) return call.word(0) + " nothing is known\n";
    return call.word(0) + members(health, {"state", "since", "last_heard", "next_available", "errors", "breaker"}) +
           (call.command.has("report") ? members(health, {"report"}) : "") + '\n';
  }));
}

// What an agent waits for (PIP-11), and whether that blocks the workspace.
void show_waits(const Call& call, const broker::Caller& who) {
  const auto agent = call.world.broker().port().registry.agent(who, call.workspace(), call.word(0));
  call.world.answer(print(agent, [&](json::Value shown) {
    const json::Value waits = shown.find("waits");
    if (!waits) return call.word(0) + " waits for nothing\n";
    std::string text = call.word(0) + members(waits, {"status", "since", "errors"}) + '\n';
    for (const json::Value error : waits.find("undecided").elements())
      text += " " + members(error, {"message_id", "task", "error_type", "severity", "blocks", "text"}) + '\n';
    return text;
  }));
  const auto workspace = call.world.broker().port().registry.workspace(who, call.workspace());
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
void allocate(const Call& call, const broker::Caller& who) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object().key("limit").raw(call.option("limit", "null"));
  if (call.command.has("expires")) writer.member("expires_at", call.option("expires"));
  writer.member("renew", call.option("renew") == "true").end_object();
  const auto document = json::Document::parse(body);
  call.world.answer(print(
      call.world.broker().port().registry.allocate(who, call.workspace(), call.word(0), call.word(1), document->root()),
      [](json::Value) { return std::string("allocated\n"); }));
}

// What each agent may use and has used; and the workspace, where it has limits.
void resources(const Call& call, const broker::Caller& who) {
  const auto answer = call.world.broker().port().registry.agents(who, call.workspace(), {});
  call.world.answer(print(answer, [](json::Value list) {
    std::string text;
    for (const json::Value agent : list.find("items").elements())
      if (const json::Value all = agent.find("allocations"))
        text += text_of(agent, "agent_id") + '\n' + print_allocations(all);
    return text.empty() ? "nothing is counted\n" : text;
  }));
  const auto workspace = call.world.broker().port().registry.workspace(who, call.workspace());
  call.world.answer(print(workspace, [&](json::Value one) {
    const json::Value budget = one.find("budget");
    return budget ? call.workspace() + members(budget, {"allocated", "consumed"}) + '\n' : std::string();
  }));
}

void rotate(const Call& call, const broker::Caller& who) {
  const std::string id = call.word(0);
  if (call.command.has("keep")) call.world.keep_token(call.option("keep"), call.world.token(id));
  const auto answer =
      call.world.broker().port().registry.rotate_token(who, call.workspace(), "agents", id, call.duration("grace"));
  call.world.answer(print(answer, [&](json::Value body) {
    call.world.keep_token(call.workspace() + '/' + id, text_of(body, "token"));
    return std::string("rotated\n");
  }));
}

}  // namespace

void add_registry_commands(Commands& all) {
  all.merge(Commands{
      {"profile", change_profile},
      {"workspace",
       by_admin([](const Call& call, const broker::Caller& who) { create_or_change_workspace(call, who, true); })},
      {"change-workspace",
       by_admin([](const Call& call, const broker::Caller& who) { create_or_change_workspace(call, who, false); })},
      {"agent", by_admin(agent)},
      {"agents", by_admin(agents)},
      {"change-agent", by_admin(change_agent)},
      {"remove-agent", by_admin(remove_agent)},
      {"person", by_admin(person)},
      {"runner", by_admin(runner)},
      {"runners", by_admin(runners)},
      {"revoke-runner", by_admin(revoke_runner)},
      {"sign", sign},
      {"list-agents", by_admin(list_agents)},
      {"health", by_admin(show_health)},
      {"waits", by_admin(show_waits)},
      {"allocate", by_admin(allocate)},
      {"resources", by_admin(resources)},
      {"rotate", by_admin(rotate)},
  });
}

}  // namespace parley::scenarios
