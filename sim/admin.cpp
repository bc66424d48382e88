// The admin's part of the workload: workspaces, agents, settings, dead letters.
#include "json/writer.hpp"
#include "sim/workload.hpp"

namespace parley::sim {

bool Workload::make_workspaces() {
  for (const std::string& name : workspaces_) {
    if (made_.contains(name)) continue;
    std::string body;
    json::Writer writer(body);
    writer.begin_object().member("name", name);
    const bool lenient = options_.lenient && name == workspaces_.back();
    writer.member("validation", std::string_view(lenient ? "lenient" : "strict")).key("settings").begin_object();
    writer.member("mailbox_messages", options_.mailbox_messages).member("remembered_ids", options_.remembered_ids);
    writer.member("lease", base::to_text(options_.lease)).member("rate_messages", options_.rate_messages);
    if (options_.task_silence > base::Duration{}) {
      writer.member("task_silence", base::to_text(options_.task_silence));
      writer.member("task_progress_after", base::to_text(options_.task_silence / 4));
      writer.member("task_progress_every", base::to_text(options_.task_silence / 8));
    }
    if (options_.near_loops) writer.member("loop_hops", 1u).member("loop_rounds", 1u).member("loop_messages", 3u);
    if (options_.unsigned_missing) writer.member("unsigned_checks", std::string_view("missing"));
    if (options_.budget > 0)
      writer.key("budget_limits")
          .begin_object()
          .member("per_task", 2)
          .member("per_agent", options_.budget)
          .member("total", 3 * options_.budget)
          .end_object();
    if (options_.risks)
      writer.key("risk_thresholds").begin_object().member("low", 0.3).member("high", 0.7).end_object();
    writer.member("auto_revision", name == workspaces_.front());  // R12
    writer.member("rate_window", std::string_view("10s")).end_object().end_object();
    const auto document = json::Document::parse(body);
    const auto made = world_.broker().port().registry.create_workspace(admin_, document->root());
    if (!made && !for_want_of_room(made.error())) findings_.wrong("a workspace was refused: " + made.error().message);
    if (made) world_.answer([this, name] { made_.insert(name); });
    return false;
  }
  return true;
}

void Workload::enrol(Client& client) {
  const auto body = json::Document::parse(client.registration);
  auto made = world_.broker().port().registry.register_agent(admin_, client.workspace, body->root());
  if (!made && for_want_of_room(made.error())) return;
  if (!made) return findings_.wrong("'" + client.agent_id + "' was not registered: " + made.error().message);
  client.enrolling = true;
  findings_.trace("enrol " + client.agent_id + (made->status == 200 ? " (known)" : ""));
  world_.answer([this, &client, answer = std::move(*made)] {
    client.enrolling = false;
    if (answer.status == 201) return settle_in(client, answer.json);
    client.enrolling = true;  // it exists, and nobody was told its token
    renew_token(client);
  });
}

void Workload::renew_token(Client& client) {
  auto renewed = world_.broker().port().registry.rotate_token(admin_, client.workspace, "agents", client.agent_id, {});
  if (!renewed && for_want_of_room(renewed.error())) {
    client.enrolling = false;
    return;
  }
  if (!renewed) return findings_.wrong("'" + client.agent_id + "' got no token: " + renewed.error().message);
  world_.answer([this, &client, answer = std::move(*renewed)] {
    client.enrolling = false;
    settle_in(client, answer.json);
  });
}

void Workload::settle_in(Client& client, std::string_view answer) {
  const auto document = json::Document::parse(answer);
  client.token = document->root().find("token").if_string().value_or("");
  client.caller = world_.broker().caller_of(client.token);
  client.leaving = false;
  client.in_hand.clear();  // those were another agent's, of the same name
  client.newest_offer.clear();
  if (!client.caller) findings_.wrong("the new token of '" + client.agent_id + "' is not known");
}

void Workload::remove_someone() {
  Client* const client = any_active();
  if (!client) return;
  const auto removed = world_.broker().port().registry.remove_agent(admin_, client->workspace, client->agent_id);
  if (!removed && for_want_of_room(removed.error())) return;
  if (!removed) return findings_.wrong("'" + client->agent_id + "' was not removed: " + removed.error().message);
  findings_.trace("remove " + client->agent_id);
  client->leaving = true;
  world_.answer([this, client] {
    if (world_.broker().caller_of(client->token)) findings_.wrong("a removed agent's token is still good");
    client->token.clear();
    client->caller.reset();
    client->connection.reset();
  });
}

void Workload::change_settings() {
  const std::string& name = dice_.among(workspaces_);
  std::string body;
  json::Writer writer(body);
  const std::uint64_t most = options_.mailbox_messages > 1'000 ? options_.mailbox_messages : dice_.between(4, 60);
  writer.begin_object().key("settings").begin_object().member("mailbox_messages", most);
  writer.member("lease", base::to_text(dice_.between(base::Duration(1'000'000), base::Duration(15'000'000))));
  writer.end_object().end_object();
  const auto document = json::Document::parse(body);
  const auto changed = world_.broker().port().registry.change_workspace(admin_, name, document->root());
  if (!changed && for_want_of_room(changed.error())) return;
  if (!changed) return findings_.wrong("settings were refused: " + changed.error().message);
  findings_.trace("settings of " + name + ": " + body);
}

// Those of an agent that was removed stay to be read, and so do orders that were replaced (BEY-03).
void Workload::tend_dead_letters() {
  const std::string& name = dice_.among(workspaces_);
  const auto list = world_.broker().port().mailboxes.dead_letters(admin_, name, {{}, 100});
  if (!list) {
    if (world_.up()) findings_.wrong("dead letters cannot be read: " + list.error().message);
    return;
  }
  const auto document = json::Document::parse(list->json);
  if (!document) return findings_.wrong("the list of dead letters is no JSON");
  std::vector<std::string> ids;
  for (const json::Value item : document->root().find("items").elements())
    ids.emplace_back(item.find("delivery_id").if_string().value_or(""));
  if (ids.empty()) return;
  const std::string& id = dice_.among(ids);
  const bool redrives = !dice_.one_in(4);
  const auto done = redrives ? world_.broker().port().mailboxes.redrive(admin_, name, id)
                             : world_.broker().port().mailboxes.discard(admin_, name, id);
  findings_.trace((redrives ? "redrive " : "discard ") + id + (done ? "" : ": " + done.error().message));
  if (done || for_want_of_room(done.error())) return;
  const base::ErrorCode code = done.error().code;
  const bool is_over =
      code == base::ErrorCode::EXPIRED || code == base::ErrorCode::STALE_ORDER || code == base::ErrorCode::NOT_FOUND;
  if (!redrives || !is_over)
    findings_.wrong("a dead letter that was listed was not " + std::string(redrives ? "redriven" : "discarded") + ": " +
                    done.error().message);
}

}  // namespace parley::sim
