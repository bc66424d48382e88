#include "sim/world.hpp"

#include "base/assert.hpp"
#include "envelope/kind.hpp"
#include "journal/file/verify.hpp"
#include "sim/careless_files.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;

const std::string folder = "data";
constexpr int recovery_attempts = 6;

engine::RulesetOf finder(const profile::Rulesets& rulesets) {
  return [&rulesets](std::string_view name) { return rulesets.find(name).get(); };
}

std::string text_of(const base::Error& error) {
  return std::string(base::info(error.code).name) + ": " + error.message + (error.where.empty() ? "" : " at ") +
         error.where;
}

}  // namespace

World::World(const Options& options, const profile::Rulesets& rulesets, Dice dice, VirtualClock& clock, Ledger& ledger,
             Findings& findings, Sightings& sightings)
    : options_(options),
      rulesets_(rulesets),
      dice_(dice),
      random_(dice_.part("random")),
      clock_(clock),
      ledger_(ledger),
      findings_(findings),
      sightings_(sightings),
      files_(std::make_unique<FaultyFiles>(options.seed)),
      chronicle_(ledger, finder(rulesets), findings, sightings),
      follower_(finder(rulesets)) {}

World::~World() {
  stop();
}

void World::stop() {
  if (syncer_) syncer_->die();
  broker_.reset();
  journal_.reset();
  seen_files_.reset();
  stopped_ = false;
}

// Under some faults of ours the rules in force are not those of the profile.
engine::RulesetOf World::brokers_finder() {
  const Planted planted = options_.planted;
  const bool of_collab =
      planted == Planted::short_reviews || planted == Planted::hasty_limit || planted == Planted::retry_twice;
  if (!of_collab && planted != Planted::wrong_decider) return finder(rulesets_);
  planted_rules_ = *rulesets_.find(of_collab ? "collab" : "pipeline");
  if (planted == Planted::retry_twice) planted_rules_->tasks->after_exception.times = 2;
  if (planted == Planted::short_reviews) planted_rules_->reviews->timeout /= 2;
  if (planted == Planted::hasty_limit) planted_rules_->reviews->iterations = 1;
  if (planted == Planted::wrong_decider) planted_rules_->errors->decided_by = "development";
  return [this](std::string_view name) {
    return name == planted_rules_->name ? &*planted_rules_ : rulesets_.find(name).get();
  };
}

bool World::open() {
  journal::file::Options made;
  made.folder = folder;
  if (options_.planted == Planted::skip_folder_sync) seen_files_ = std::make_unique<CarelessFiles>(*files_);
  made.files = seen_files_ ? seen_files_.get() : files_.get();
  made.random = &random_;
  made.worker = journal::file::inline_worker();
  syncer_.emplace(dice_.part("syncer"), options_.late_sync, options_.planted == Planted::early_outcomes);
  made.syncer = &*syncer_;
  made.segment_bytes = options_.segment_bytes;
  made.reserve_bytes = 64 << 10;
  made.index_bytes = 8 << 10;
  made.reader_cache_bytes = 64 << 10;
  made.zeros = options_.zeros;
  made.unsafe.skip_sync = options_.planted == Planted::skip_sync;
  made.unsafe.skip_checks = options_.planted == Planted::skip_checks;
  auto opened = journal::file::open(std::move(made));
  if (!opened) {
    note_stop(opened.error());
    return false;
  }
  journal_ = std::move(opened->journal);
  recovered(opened->recovered);
  if (!findings_.clean()) return true;

  replayed_ = journal_->head().position;
  broker::Options how;
  how.admin_token_hash = base::sha256(admin_token);
  how.cache_bytes = options_.cache_bytes;
  how.block_bytes = options_.block_bytes;
  how.deliveries_a_turn = options_.deliveries_a_turn;
  how.step_messages = 2;
  broker_ = std::make_unique<broker::Broker>(broker::Parts{clock_, random_, *journal_, brokers_finder()}, how);
  const auto started = broker_->start();
  if (!started) {
    note_stop(started.error());
    return false;
  }
  for (const base::Error& refused : started->refused_snapshots)
    if (!fault_struck()) findings_.wrong("A7: a snapshot refused: " + text_of(refused));
  check_snapshot_recovery(started->from_snapshot);
  syncer_->started();
  if (started->from_snapshot && started->events > 0) sightings_.saw(Sighting::snapshot_and_journal_recovery);
  findings_.trace("up, head " + std::to_string(journal_->head().position.value) + ", replayed " +
                  std::to_string(started->events) + (started->from_snapshot ? " after a snapshot" : ""));
  return true;
}

void World::recovered(const journal::file::Recovered& report) {
  if (report.cut) {
    sightings_.saw(Sighting::torn_tail_cut);
    findings_.trace("cut " + std::to_string(report.cut->bytes) + " bytes of " + report.cut->file);
  }
  for (const base::Error& refused : report.refused_snapshots)
    findings_.wrong("A7: a snapshot refused: " + text_of(refused));
  const auto verified = journal::file::verify(*files_, folder);
  if (!verified) {
    if (!fault_struck()) findings_.wrong("O6: cannot be verified: " + text_of(verified.error()));
  } else if (!verified->intact()) {
    findings_.wrong("O6: " + text_of(*verified->first_bad));
  } else if (verified->head != journal_->head()) {
    findings_.wrong("O6: the journal goes on behind what can be verified: position " +
                    std::to_string(verified->head.position.value));
  }
  if (journal_->head().position < durable_)
    findings_.wrong("P1: recovery lost what was durable: head " + std::to_string(journal_->head().position.value) +
                    " after " + std::to_string(durable_.value));
  if (const auto read = follow(); !read && !fault_struck())
    findings_.wrong("P9: the journal does not read back: " + text_of(read.error()));
}

// O8: what comes of the newest snapshot and the journal after it is what comes of the whole journal.
void World::check_snapshot_recovery(bool from_snapshot) {
  if (const auto read = follow(); !read) {
    if (!fault_struck()) findings_.wrong("P9: the journal does not read back: " + text_of(read.error()));
    return;
  }
  if (follower_.state_hash() != broker_->engine().state_hash())
    findings_.wrong(std::string("O8: the recovered state is not the replayed one") +
                    (from_snapshot ? " (from a snapshot)" : ""));
}

void World::note_stop(const base::Error& why) {
  stopped_ = true;
  findings_.trace("stopped: " + text_of(why));
  if (!fault_struck()) findings_.wrong("the server stopped by itself: " + text_of(why));
}

void World::start() {
  for (int attempt = 0; attempt < recovery_attempts && findings_.clean(); ++attempt) {
    if (open()) return;
    sightings_.saw(Sighting::crash_in_recovery);
    end(files_->powered() ? End::kill : End::power_loss);
  }
  if (findings_.clean()) findings_.wrong("the server does not come up");
}

void World::turn() {
  const std::uint64_t blocks = broker_->counts().blocks;
  const std::uint64_t events = broker_->counts().events;
  const std::uint64_t made_ready = files_->calls(Call::allocate);
  if (clock_.passed() - ticked_ >= std::chrono::seconds(1)) {
    ticked_ = clock_.passed();
    journal_->tick();
  }
  const auto turned = broker_->turn();
  if (broker_->counts().blocks == blocks + 1 && broker_->counts().events > events + 1)
    sightings_.saw(Sighting::group_commit);
  if (files_->calls(Call::allocate) > made_ready) sightings_.saw(Sighting::segment_roll);
  if (turned) {
    const bool gathering = replayed_.value + broker_->counts().events > journal_->head().position.value;
    if (gathering && syncer_->under_way()) sightings_.saw(Sighting::sync_beside);
    durable_ = journal_->durable_head();
    return;
  }
  using enum Call;
  const auto call = files_->last_fault();
  if (call == sync && files_->powered()) sightings_.saw(Sighting::sync_error_stop);
  if (call && (*call == Call::open || *call == truncate || *call == allocate || *call == sync_folder))
    sightings_.saw(Sighting::crash_in_roll);
  note_stop(turned.error());
}

void World::snapshot() {
  // Only where the state is that of the journal's head.
  if (replayed_.value + broker_->counts().events != journal_->head().position.value) return;
  const std::string state = broker_->engine().save();
  auto writer = journal_->begin_snapshot();
  bool done = writer.has_value();
  for (std::size_t at = 0; done && at < state.size(); at += 8'000)
    done = (*writer)->write(std::string_view(state).substr(at, 8'000)).has_value();
  done = done && (*writer)->commit();
  findings_.trace(done ? "snapshot at " + std::to_string(journal_->head().position.value) : "snapshot failed");
  if (!files_->powered()) sightings_.saw(Sighting::crash_in_snapshot);
  if (!done && !fault_struck() && !disk_full_) findings_.wrong("A7: a snapshot failed by itself");
  // A snapshot that fails costs the server nothing; but it waits for the sync under way, and that may fail.
  if (files_->powered() && !syncer_->failed()) files_->forget_fault();
}

// What leaves may decide more; a bounded number of turns settles it.
void World::settle() {
  for (int i = 0; i < 200 && up() && !broker_->settled(); ++i) turn();
}

void World::tell_of_stop() {
  if (!up() || !broker_->settled()) return;
  if (const auto told = broker_->stop(); !told) return note_stop(told.error());
  settle();
}

void World::end(End how) {
  if (how == End::graceful && up()) {
    settle();
    tell_of_stop();
    if (up()) {
      catch_up();
      if (const auto closed = journal_->close(); !closed) note_stop(closed.error());
      sightings_.saw(Sighting::graceful_restart);
    }
  }
  const bool power_lost = how == End::power_loss || !files_->powered();
  if (power_lost) sightings_.saw(Sighting::power_loss);
  if (how != End::graceful && syncer_ && syncer_->unsynced()) sightings_.saw(Sighting::crash_in_sync);
  if (!power_lost && how == End::kill && !stopped_) sightings_.saw(Sighting::kill);
  findings_.trace(power_lost ? "power lost" : how == End::kill ? "killed" : "ended");
  stop();
  files_ = power_lost ? files_->after_power_loss(dice_.next()) : files_->after_kill();
  heal_disk();
}

void World::restart() {
  using namespace std::chrono_literals;
  clock_.pass(dice_.between(base::Duration(10ms), dice_.one_in(4) ? base::Duration(60s) : base::Duration(2s)));
  if (dice_.one_in(8)) {  // C2: the wall clock is set while the server is down
    clock_.jump(dice_.between(base::Duration(0), base::Duration(10min)) - base::Duration(5min));
    sightings_.saw(Sighting::wall_jump);
  }
  if (dice_.one_in(4))
    add_fault({std::nullopt, dice_.between(1, 25), dice_.one_in(3) ? Effect::io_error : Effect::power_off});
  start();
  files_->clear_faults();
  files_->forget_fault();
}

void World::answer(std::move_only_function<void()> then) {
  if (options_.planted == Planted::early_answers) return then();
  broker_->after_sync(std::move(then));
}

void World::add_fault(const Fault& fault) {
  files_->add_fault(fault);
}

void World::fill_disk() {
  findings_.trace("the disk is full");
  disk_full_ = true;
  files_->set_capacity(files_->used() + dice_.below(2 * options_.segment_bytes));
}

void World::heal_disk() {
  if (std::exchange(disk_full_, false)) findings_.trace("the disk has room");
  files_->set_capacity(UINT64_MAX);
}

void World::clear_faults() {
  files_->clear_faults();
  heal_disk();
}

// Faults that are as if the engine had decided otherwise.
void World::plant(event::Event& event) {
  if (options_.planted == Planted::lose_moves && event.has_message_accepted() &&
      event.message_accepted().kind() == static_cast<std::uint32_t>(envelope::Kind::task_complete))
    event.mutable_message_accepted()->clear_task_moved();
  if (options_.planted == Planted::hasty_watch && event.has_workspace_created()) {
    event::Settings& settings = *event.mutable_workspace_created()->mutable_settings();
    const base::Duration silence = settings.has_task_silence() ? base::Duration(settings.task_silence()) : 10min;
    settings.set_task_silence((2 * silence).count());
  }
  if (options_.planted == Planted::believe_unsigned && event.has_message_accepted() &&
      event.message_accepted().kind() == static_cast<std::uint32_t>(envelope::Kind::review_result) &&
      event.message_accepted().has_review_moved())
    event.mutable_message_accepted()->mutable_review_moved()->mutable_attested()->set_runner("runner-0");
  if (options_.planted == Planted::lose_parts && event.message_accepted().task_moved().part_of() != 0)
    event.mutable_message_accepted()->mutable_task_moved()->clear_part_of();
  if (options_.planted == Planted::deaf_session && event.message_accepted().has_session_aborted())
    event.mutable_message_accepted()->clear_session_aborted();
  if (options_.planted == Planted::decide_twice && event.has_message_accepted()) plant_second_decision(event);
}

// A decision is one on the error before it, too.
void World::plant_second_decision(event::Event& event) {
  event::MessageAccepted& message = *event.mutable_message_accepted();
  if (message.kind() != static_cast<std::uint32_t>(envelope::Kind::request) || !message.has_error_moved()) return;
  event::ErrorMoved& moved = *message.mutable_error_moved();
  const std::uint64_t error = moved.errors(0);
  if (last_error_ != 0) moved.add_errors(last_error_);
  last_error_ = error;
}

base::Result<> World::follow() {
  const base::Position durable = journal_->durable_head();
  if (durable <= followed_) return {};
  event::Event event;
  const auto reader = journal_->reader();
  return reader->read(
      base::Position(followed_.value + 1), [&](const journal::Entry& entry) -> base::Result<journal::Visit> {
        if (!event.ParseFromArray(entry.event.data(), static_cast<int>(entry.event.size())))
          return base::fail(base::ErrorCode::JOURNAL_DAMAGED, "no event at " + std::to_string(entry.position.value));
        plant(event);
        chronicle_.fold(event, entry.engine_time, entry.body_hash);
        if (!findings_.clean()) return journal::Visit::stop;  // what breaks a rule may break the follower too
        follower_.apply(event, {entry.position, entry.engine_time, entry.body_length, entry.body_hash});
        followed_ = entry.position;
        return entry.position == durable ? journal::Visit::stop : journal::Visit::next;
      });
}

void World::catch_up() {
  const base::Digest before = journal_->head().chain;
  if (const auto read = follow(); !read) {
    if (!fault_struck()) findings_.wrong("P9: the journal does not read back: " + text_of(read.error()));
    return;
  }
  PARLEY_ASSERT(before == journal_->head().chain);
  if (findings_.clean()) chronicle_.compare(ledger_);
  if (findings_.clean()) check_tasks();
  if (findings_.clean()) check_errors();
  if (findings_.clean()) check_reviews();
  if (findings_.clean()) check_collaborations();
  const bool settled = replayed_.value + broker_->counts().events == followed_.value;
  if (findings_.clean() && settled && follower_.state_hash() != broker_->engine().state_hash())
    findings_.wrong("O8: the live state is not what its events make");
}

// Tasks survive whatever happens: they stand as the journal says by rules that are not the engine's.
void World::check_tasks() {
  std::size_t known = 0;
  for (std::uint32_t i = 1; i <= follower_.state().workspaces.size(); ++i)
    known += follower_.state().workspace(base::WorkspaceNumber(i)).tasks.all().size();
  const auto& expected = chronicle_.tasks().tasks();
  if (known != expected.size())
    return findings_.wrong("COL-04: " + std::to_string(known) + " tasks are known, " + std::to_string(expected.size()) +
                           " were assigned");
  for (const auto& [place, task] : expected) {
    const auto& tasks = follower_.state().workspace(base::WorkspaceNumber(place.first)).tasks;
    const auto at = tasks.find(task.id);
    const bool same = at == base::Offset(place.second) && tasks.at(*at).epoch == task.epoch &&
                      static_cast<std::uint32_t>(tasks.at(*at).state) == static_cast<std::uint32_t>(task.state) &&
                      tasks.at(*at).assigner.value == task.assigner && tasks.at(*at).assignee.value == task.assignee;
    if (!same) findings_.wrong("COL-04: task '" + task.id + "' does not stand as the journal says");
  }
}

// PIP-11: what waits is what was reported and neither decided nor taken back.
void World::check_errors() {
  std::size_t known = 0;
  for (std::uint32_t i = 1; i <= follower_.state().workspaces.size(); ++i)
    known += follower_.state().workspace(base::WorkspaceNumber(i)).errors.all().size();
  const auto& expected = chronicle_.errors().waiting();
  if (known != expected.size())
    return findings_.wrong("PIP-11: " + std::to_string(known) + " errors are said to wait, and " +
                           std::to_string(expected.size()) + " do");
  for (const auto& [place, error] : expected) {
    const auto& errors = follower_.state().workspace(base::WorkspaceNumber(place.first)).errors;
    const engine::ErrorCase* const at = errors.find(base::Offset(place.second));
    findings_.require(at && at->agent.value == error.agent && at->id.view() == error.id, place,
                      "PIP-11: an error does not wait as it was reported");
  }
}

// HND-04: open are those whose request for help is, with the one who met.
void World::check_collaborations() {
  for (std::uint32_t i = 1; i <= follower_.state().workspaces.size(); ++i) {
    const engine::Workspace& workspace = follower_.state().workspace(base::WorkspaceNumber(i));
    findings_.require(workspace.collaborations.open() == chronicle_.collaborations().open(i), {i, workspace.head.value},
                      "HND-04: other collaborations are open than were opened and go on");
  }
}

// BEY-05: what is shown as signed was, by who is shown.
void World::check_reviews() {
  const auto& attested = chronicle_.runners().attested();
  for (std::uint32_t i = 1; i <= follower_.state().workspaces.size(); ++i)
    for (const auto& [offset, review] : follower_.state().workspace(base::WorkspaceNumber(i)).reviews.all()) {
      const auto known = attested.find({i, offset.value});
      const std::string by = review.signed_by ? std::string(review.signed_by->runner.view()) : std::string();
      findings_.require(by == (known == attested.end() ? std::string() : known->second), {i, offset.value},
                        "BEY-05: a review is not shown as signed by who signed it");
    }
}

std::string World::head_text() const {
  return base::to_hex(journal_->head().chain) + ' ' + base::to_hex(broker_->engine().state_hash());
}

}  // namespace parley::sim
