#include "world.hpp"
#include "broker/replay.hpp"

#include "base/hash.hpp"
#include "engine/test_consistency.hpp"
#include "journal/memory/memory_journal.hpp"
#include "json/parser.hpp"
#include "no_result.hpp"
#include "print.hpp"
#include "profile/files.hpp"
#include "profile/load.hpp"

namespace parley::scenarios {
namespace {

constexpr std::string_view admin_token = "pt_admin";
constexpr int turns_max = 1'000;

engine::RulesetOf ruleset_of(const profile::Rulesets& rulesets) {
  return [&rulesets](std::string_view name) -> const profile::Ruleset* { return rulesets.find(name).get(); };
}

Wire wire_of(const profile::Files& files) {
  const auto document = json::Document::parse(files.at("profile.json"));
  const json::Value root = document->root();
  const auto place = [&](const char* of) {
    return std::string(root.find("envelope").find(of).if_string().value_or(""));
  };
  return {place("id"),         place("timestamp"), place("sender"),
          place("recipients"), place("reply_to"),  std::string(root.find("type_at").if_string().value_or(""))};
}

}  // namespace

World::World() {
  for (const std::string& name : profile::built_in_names())
    wires_.emplace(name, wire_of(profile::built_in_files(name)));
  begin(clock_.wall());
}

void World::begin(base::Instant wall) {
  broker_.reset();
  journal_ = journal::memory::open();
  clock_.set_wall(wall);
  start();
  if (const auto recovery = broker_->start(); !recovery) say(server_error + "NOT STARTED: " + print(recovery.error()));
}

World::~World() = default;

base::Result<> World::add_profile(const profile::Files& files) {
  PARLEY_TRY(const profile::RulesetPtr ruleset, profile::load(files));
  PARLEY_CHECK(rulesets_.add(ruleset));
  wires_.insert_or_assign(ruleset->name, wire_of(files));
  restart({});
  return {};
}

void World::start() {
  broker::Options options;
  options.admin_token_hash = base::sha256(admin_token);
  broker_ = std::make_unique<broker::Broker>(broker::Parts{clock_, random_, *journal_, ruleset_of(rulesets_)}, options);
}

std::string World::token(const std::string& who) {
  if (who == "admin") return std::string(admin_token);
  const auto known = tokens_.find(who.find('/') == std::string::npos ? workspace + '/' + who : who);
  return known == tokens_.end() ? "pt_of_nobody" : known->second;
}

std::optional<broker::Caller> World::caller(const std::string& who) {
  constexpr std::string_view connection = "connection:";
  if (who.starts_with(connection)) return callers_.at(who.substr(connection.size()));
  auto caller = broker_->caller_of(token(who));
  if (caller) callers_[who] = *caller;
  return caller;
}

void World::keep_token(const std::string& who, std::string token) {
  tokens_[who.find('/') == std::string::npos ? workspace + '/' + who : who] = std::move(token);
}

const Wire* World::wire(std::string_view profile) const {
  const auto known = wires_.find(profile);
  return known == wires_.end() ? nullptr : &known->second;
}

std::string World::type_of(json::Value message) const {
  for (const auto& [profile, wire] : wires_)
    if (const auto type = message.at_pointer(wire.type).if_string()) return std::string(*type);
  return "?";
}

std::string World::native_bytes(const std::string& name) const {
  const auto known = natives_.find(name);
  return known == natives_.end() ? std::string() : known->second;
}

void World::keep_native(const std::string& name, std::string bytes) {
  natives_[name] = std::move(bytes);
}

void World::sent(const std::string& to, base::Offset offset, std::string bytes) {
  sent_.insert_or_assign({to, offset.value}, std::move(bytes));
}

std::string World::sent_bytes(const std::string& to, base::Offset offset) const {
  const auto known = sent_.find({to, offset.value});
  return known == sent_.end() ? std::string() : known->second;
}

bool World::as_sent(const std::string& from, base::Offset offset, std::string_view bytes) const {
  const auto known = sent_.find({from, offset.value});
  return known != sent_.end() && known->second == bytes;
}

void World::answer(std::string text) {
  broker_->after_sync([this, text = std::move(text)] { out_ += text; });
}

void World::settle() {
  if (held_ || failed_) return;
  for (int i = 0; i < turns_max; ++i) {
    if (const auto turned = broker_->turn(); !turned) {
      failed_ = true;
      return say(server_error + "STOPPED: " + print(turned.error()));
    }
    const auto due = broker_->until_next_due();
    if (broker_->idle() && (!due || *due > base::Duration{})) return;
  }
  say(server_error + "THE LOOP NEVER RESTS\n");
}

void World::advance(base::Duration time) {
  const base::Duration end = clock_.monotonic() + time;
  settle();
  while (!held_ && !failed_) {
    const auto due = broker_->until_next_due();
    if (!due || clock_.monotonic() + *due > end) break;
    clock_.pass(*due);
    settle();
  }
  clock_.pass(end - clock_.monotonic());
  settle();
}

bool World::restart(base::Duration down) {
  sessions_.clear();
  broker_.reset();
  clock_.pass(down);
  clock_.boot();
  held_ = failed_ = false;
  start();
  const auto recovery = broker_->start();
  if (!recovery) {
    failed_ = true;
    say(print(recovery.error()));
    return false;
  }
  say(std::string(recovery->from_snapshot ? "from a snapshot and " : "from ") + std::to_string(recovery->events) +
      " events, down for " + base::to_text(recovery->downtime) + '\n');
  return true;
}

void World::stop() {
  settle();
  if (held_ || failed_) return;
  if (const auto told = broker_->stop(); !told) say(server_error + "NOT STOPPED: " + print(told.error()));
  settle();
}

// While the loop is held the engine may know what the journal does not have yet.
bool World::snapshot() {
  if (held_) return false;
  settle();
  auto writer = journal_->begin_snapshot();
  return writer && (*writer)->write(broker_->engine().save()) && (*writer)->commit();
}

World::Session& World::session(const std::string& name) {
  auto& session = sessions_[name];
  if (!session) session = std::make_unique<Session>(*this, name);
  return *session;
}

std::string World::defects() {
  if (held_ || failed_) return {};
  std::string found;
  const engine::Engine& live = broker_->engine();

  engine::Engine replayed(ruleset_of(rulesets_));
  if (const auto read = broker::replay(*journal_->reader(), {}, journal_->head().position, replayed); !read)
    found += server_error + "NOT REPLAYED: " + print(read.error());
  else if (replayed.state_hash() != live.state_hash())
    found += server_error + "REPLAY GIVES ANOTHER STATE (O8)\n";

  engine::Engine loaded(ruleset_of(rulesets_));
  const std::string saved = live.save();
  if (!loaded.load(saved) || loaded.save() != saved) found += server_error + "A SNAPSHOT GIVES ANOTHER STATE (O8)\n";

  for (const std::string& defect : engine::inconsistencies(live.state()))
    found += server_error + "INCONSISTENT: " + defect + '\n';
  return found;
}

void World::Session::deliver(broker::Deliveries deliveries) {
  std::string text;
  for (const broker::Delivery& delivery : deliveries.all) text += name + " <- " + print(world, workspace, delivery, {});
  world.answer(std::move(text));
}

void World::Session::receipts(std::span<const broker::ReceiptChange> changes, std::uint64_t left_out) {
  std::string text = name + " <- receipts\n";
  for (const broker::ReceiptChange& change : changes) {
    text += "  " + std::to_string(change.offset.value) + " at " + change.recipient + ' ' + std::string(change.state);
    if (!change.why.empty()) text += " why=" + std::string(change.why);
    if (change.retrying_at) text += " retrying_at=" + base::to_rfc3339(*change.retrying_at);
    text += '\n';
  }
  if (left_out > 0) text += "  left out " + std::to_string(left_out) + '\n';
  if (changes.size() > 16)
    text = name + " <- " + std::to_string(changes.size()) + " receipts, left out " + std::to_string(left_out) + '\n';
  world.answer(std::move(text));
}

void World::Session::taken_over() {
  id = {};
  world.answer(name + " <- taken over\n");
}

}  // namespace parley::scenarios
