// The server of one run: the real broker over the real file journal over faulty files, under virtual time; started,
// stopped by whatever the faults do to it, and started again. Resource type, one thread.
#pragma once
#include <memory>
#include <optional>

#include "broker/broker.hpp"
#include "engine/engine.hpp"
#include "profile/rulesets.hpp"
#include "sim/chronicle.hpp"
#include "sim/dice.hpp"
#include "sim/faulty_files.hpp"
#include "sim/findings.hpp"
#include "sim/late_syncer.hpp"
#include "sim/ledger.hpp"
#include "sim/options.hpp"
#include "sim/sightings.hpp"
#include "sim/virtual_clock.hpp"

namespace parley::sim {

enum class End {
  power_loss,  // the files are what the disk had, and a random part of what it had not
  kill,        // the page cache stays
  graceful,    // all answered, the journal closed
};

class World {
 public:
  World(const Options& options, const profile::Rulesets& rulesets, Dice dice, VirtualClock& clock, Ledger& ledger,
        Findings& findings, Sightings& sightings);
  ~World();

  static constexpr std::string_view admin_token = "admin";

  broker::Broker& broker() { return *broker_; }
  FaultyFiles& files() { return *files_; }
  bool up() const { return broker_ != nullptr && files_->powered() && !stopped_; }

  void start();
  // One turn of the loop; afterwards it may be down.
  void turn();
  void end(End how);
  // Has to be called when down. Recovery may itself meet faults; it is repeated until the server is up again.
  void restart();
  void snapshot();

  // Hands an answer to the output gate.
  void answer(std::move_only_function<void()> then);

  void add_fault(const Fault& fault);
  void fill_disk();
  void heal_disk();
  bool sync_is_under_way() const { return syncer_->under_way(); }
  bool disk_is_full() const { return disk_full_; }
  void clear_faults();
  // Whether a fault of ours may explain that the server failed.
  bool fault_struck() const { return !files_->powered() || files_->last_fault().has_value(); }

  // Reads what became durable: the chronicle folds it and the follower applies it; then the live state must be the
  // follower's (O8), and the released answers what the chronicle says.
  void catch_up();
  std::string head_text() const;  // chain and state, for comparing two runs
  std::uint64_t head() const { return journal_->head().position.value; }
  Chronicle& chronicle() { return chronicle_; }

 private:
  bool open();  // one attempt of recovery
  void recovered(const journal::file::Recovered& recovered);
  void check_snapshot_recovery(bool from_snapshot);
  void note_stop(const base::Error& why);
  void stop();  // the process is gone
  void settle();
  void tell_of_stop();
  base::Result<> follow();
  engine::RulesetOf brokers_finder();
  void plant(event::Event& event);
  void plant_second_decision(event::Event& event);
  void check_tasks();
  void check_errors();
  void check_collaborations();
  void check_reviews();

  const Options options_;
  const profile::Rulesets& rulesets_;
  Dice dice_;
  SeededRandom random_;
  VirtualClock& clock_;
  Ledger& ledger_;
  Findings& findings_;
  Sightings& sightings_;

  std::unique_ptr<FaultyFiles> files_;
  std::unique_ptr<base::FileSystem> seen_files_;  // what the journal is given, where it is not files_ itself
  std::optional<LateSyncer> syncer_;
  std::unique_ptr<journal::Journal> journal_;
  std::unique_ptr<broker::Broker> broker_;
  base::Position replayed_;  // the head that this process found
  bool stopped_ = false;
  bool disk_full_ = false;
  base::Position durable_;  // as of the last turn, of whatever process

  std::optional<profile::Ruleset> planted_rules_;  // for the broker alone
  std::uint64_t last_error_ = 0;                   // that was decided
  Chronicle chronicle_;
  engine::Engine follower_;
  base::Position followed_;
  base::Duration ticked_{};
};

}  // namespace parley::sim
