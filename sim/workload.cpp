#include "sim/workload.hpp"

#include "json/writer.hpp"

namespace parley::sim {
namespace {

constexpr std::string_view admin_id = "admin";

}  // namespace

Workload::Workload(const Options& options, const Natives& natives, World& world, Ledger& ledger, Dice dice,
                   VirtualClock& clock, Findings& findings, Sightings& sightings)
    : options_(options),
      natives_(natives),
      world_(world),
      ledger_(ledger),
      dice_(dice),
      clock_(clock),
      findings_(findings),
      sightings_(sightings) {
  admin_.kind = broker::Caller::Kind::admin;
  admin_.id = admin_id;
  for (std::uint32_t i = 0; i < options.workspaces; ++i) {
    workspaces_.push_back("space-" + std::to_string(i + 1));
    for (const CastMember& member : natives.cast()) {
      Client client;
      client.workspace = workspaces_.back();
      client.agent_id = member.agent_id;
      client.profile = member.profile;
      client.registration = member.registration;
      clients_.push_back(std::move(client));
    }
  }
}

Client* Workload::any_active() {
  for (int i = 0; i < 20; ++i)
    if (Client& client = any_client(); client.active()) return &client;
  return nullptr;
}

void Workload::act(Manner manner) {
  if (!make_workspaces()) return;
  for (Client& client : clients_) {
    const bool lost = client.token.empty() && !client.enrolling;
    if (lost && (manner != Manner::wild || dice_.one_in(4))) return enrol(client);
  }
  if (!unknown_.empty() && (manner != Manner::wild || dice_.one_in(3))) return retry_unknown();
  for (Client& client : clients_)
    if (client.active()) settle_due(client, manner);
  if (!world_.up()) return;

  Client* const client = any_active();
  if (!client) return;
  if (manner == Manner::drain) return take(*client, manner);
  const std::uint64_t choice = dice_.below(100);
  if (choice < 11) return work_on_a_task();
  if (choice < 14) return dice_.one_in(24) ? abort_session() : ask_of_a_task();
  if (choice < 17) return work_on_errors();
  if (choice < 21) return work_on_a_review();
  if (choice < 42) return send_something(manner);
  if (choice < 67) return take(*client, manner);
  if (choice < 69) return decide_something();
  if (choice < 72) return wait_for_mail(*client);
  if (choice < 82) return fiddle_with_connection(*client, manner);
  if (choice < 88) return send_again();
  if (choice < 89) return send_other_content();
  if (choice < 90) return take_something_back();
  if (choice < 92) return look_at_message();
  if (choice < 94) return read_log();
  if (choice < 97) return tend_dead_letters();
  if (choice < 98) return dice_.one_in(2) ? change_settings() : tend_runners();
  if (manner == Manner::wild && dice_.one_in(4)) remove_someone();
}

void Workload::server_ended() {
  for (Sending& sending : unanswered_) unknown_.push_back(std::move(sending));
  unanswered_.clear();
  for (Client& client : clients_) {
    client.enrolling = false;
    client.caller.reset();
    client.connection.reset();
    client.waits_until.reset();
  }
  refused_for_storage_ = false;
}

void Workload::server_started() {
  for (Client& client : clients_) {
    if (client.token.empty()) continue;
    client.caller = world_.broker().caller_of(client.token);
    if (!client.caller && !client.leaving) findings_.wrong("P1: the registration of '" + client.agent_id + "' is lost");
    if (!client.caller) client.token.clear();
    client.leaving = false;  // where it is known still, its removal was lost
  }
}

void Workload::check_inboxes() {
  for (Client& client : clients_) {
    if (!client.active()) continue;
    std::vector<std::uint64_t> listed;
    std::string after;
    do {
      const auto page =
          world_.broker().port().mailboxes.inbox(*client.caller, client.workspace, client.agent_id, {after, 20});
      if (!page) return findings_.wrong("an inbox cannot be read: " + page.error().message);
      const auto document = json::Document::parse(page->json);
      if (!document) return findings_.wrong("an inbox is no JSON: " + document.error().message);
      for (const json::Value item : document->root().find("items").elements())
        listed.push_back(item.find("offset").if_uint().value_or(0));
      after = document->root().find("next").if_string().value_or("");
    } while (!after.empty());
    const auto known = world_.chronicle().open_in(workspace_number(client), client.caller->agent.value);
    if (listed != known)
      findings_.wrong("P3: the inbox of '" + client.agent_id + "' lists " + std::to_string(listed.size()) +
                      " messages, the journal says " + std::to_string(known.size()));
  }
}

}  // namespace parley::sim
