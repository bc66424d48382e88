#include "world.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>

#include "json/parser.hpp"

namespace parley::e2e {
namespace {

constexpr json::Limits answer_limits{.bytes = 64 << 20, .elements = 1'000'000};

json::Document parsed(const std::string& text) {
  auto document = json::Document::parse(text, answer_limits);
  if (!document) throw Unusable("the server's answer is no JSON: " + text.substr(0, 200));
  return std::move(*document);
}

std::string must(const base::Result<sdk::Reply>& reply) {
  if (!reply) throw Unusable(reply.error().message + " (" + reply.error().where + ")");
  return reply->body;
}

// The journal may still be making its first space ready.
std::string patiently(const std::function<base::Result<sdk::Reply>()>& call) {
  for (int i = 0; i < 200; ++i) {
    const auto reply = call();
    if (reply || reply.error().code != base::ErrorCode::OVERLOADED) return must(reply);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return must(call());
}

std::set<std::string> workspaces() {
  std::set<std::string> names;
  for (const AgentRole& role : cast()) names.insert(role.workspace);
  return names;
}

}  // namespace

World::World(const std::string& parent, std::vector<std::string> under)
    : data_folder_(parent + "/data"), log_(parent + "/server.log"), under_(std::move(under)) {
  std::filesystem::create_directories(data_folder_);
  std::filesystem::permissions(data_folder_, std::filesystem::perms::owner_all);
}

void World::launch() {
  server_.reset();
  auto started = Server::start({server_program, data_folder_, log_, under_});
  if (!started) throw Unusable(started.error().message);
  server_ = std::make_unique<Server>(std::move(*started));
}

void World::start(Milliseconds at_most) {
  launch();
  if (!server_->wait_until_ready(at_most)) throw Unusable("the server does not become ready:\n" + log());
  admin_token_ = server_->admin_token();
}

std::string World::url() const {
  return server_->access("").url;
}

sdk::Client World::admin() const {
  return sdk::Client(server_->access(admin_token_));
}

void World::enrol(Town& town) {
  sdk::Client client = admin();
  for (const std::string& name : workspaces())
    patiently(
        [&] { return client.post("/v1/workspaces", R"({"name":")" + name + R"(","settings":{"rate_messages":0}})"); });
  for (const AgentRole& role : cast()) {
    const json::Document answer =
        parsed(patiently([&] { return client.post(sdk::path_of(role.workspace, {"agents"}), role.registration); }));
    town.tokens[role.workspace + "/" + role.agent_id] = answer.root().find("token").if_string().value_or("");
  }
}

void World::read_logs(Ledger& ledger) {
  sdk::Client client = admin();
  for (const std::string& workspace : workspaces()) {
    while (true) {
      const std::uint64_t from = ledger.log_head(workspace) + 1;
      const json::Document page =
          parsed(must(client.get(sdk::path_of(workspace, {"log"}) + "?max=1000&from=" + std::to_string(from))));
      for (const json::Value item : page.root().find("items").elements()) ledger.logged(workspace, item);
      const std::uint64_t next = page.root().find("next").if_uint().value_or(0);
      if (next < from) ledger.wrong("O2: the log of " + workspace + " became shorter than it was");
      if (next <= from || page.root().find("items").size() == 0) break;
    }
  }
}

bool World::inboxes_empty() {
  sdk::Client client = admin();
  for (const AgentRole& role : cast()) {
    const json::Document page =
        parsed(must(client.get(sdk::path_of(role.workspace, {"agents", role.agent_id, "inbox"}) + "?limit=1")));
    if (page.root().find("items").size() > 0) return false;
  }
  return true;
}

std::string World::verify() {
  const std::string report = data_folder_ + "/../verify.txt";
  const End end = run({server_program, "verify", "--data", data_folder_, "--json"}, report);
  const std::string text = read_file(report);
  std::filesystem::remove(report);
  return end.status == 0 ? std::string() : "O6: parley verify ends with " + end.text() + ": " + text;
}

}  // namespace parley::e2e
