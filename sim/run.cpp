#include "sim/run.hpp"

#include "sim/workload.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t tidy_steps = 60;
constexpr base::Duration drain_time = 2h;  // an example asks for an answer within one
constexpr std::uint64_t catch_up_every = 24;
constexpr Call rolling[] = {Call::open, Call::truncate, Call::allocate, Call::sync_folder};

class Run {
 public:
  Run(const Options& options, const profile::Rulesets& rulesets, const Natives& natives, bool verbose)
      : options_(options),
        dice_(options.seed * 0x2545F4914F6CDD1Dull + 1),
        findings_(clock_, verbose),
        world_(options, rulesets, dice_.part("world"), clock_, ledger_, findings_, sightings_),
        workload_(options, natives, world_, ledger_, dice_.part("workload"), clock_, findings_, sightings_),
        faults_(dice_.part("faults")) {}

  Outcome go() {
    findings_.trace(describe(options_));
    world_.start();
    settle_in();
    for (std::uint64_t step = 0; step < options_.steps && right(); ++step) {
      throw_fault();
      this->step(Manner::wild);
      if (right() && step % catch_up_every == 0) world_.catch_up();
    }
    heal();
    for (std::uint64_t step = 0; step < tidy_steps && right(); ++step) this->step(Manner::tidy);
    drain();
    if (right()) world_.chronicle().check_all_ended();
    if (right()) check_last_restart();
    Outcome outcome{findings_.first_wrong(), {}, sightings_, 0, static_cast<double>(clock_.passed().count()) / 1e6};
    if (!right()) return outcome;
    outcome.head = world_.head_text();
    outcome.events = world_.head();
    return outcome;
  }

 private:
  bool right() const { return findings_.clean(); }

  void settle_in() {
    for (int i = 0; i < 120 && right(); ++i) step(Manner::tidy);
  }

  // Some clients act, the loop turns, time passes: to what is due next, or some.
  void step(Manner manner) {
    const std::uint64_t acts = dice_.between(1, options_.acts_a_turn);
    for (std::uint64_t i = 0; i < acts && world_.up() && right(); ++i) workload_.act(manner);
    if (right() && world_.up()) world_.turn();
    if (right() && world_.up()) workload_.check_waits();
    if (right() && !world_.up()) come_back(End::kill);
    if (!right()) return;
    base::Duration time = dice_.between(base::Duration(100us), base::Duration(60ms));
    if (dice_.one_in(6))
      if (const auto due = world_.broker().until_next_due()) time = std::min(*due, base::Duration(20s));
    if (world_.sync_is_under_way()) time = std::min(time, base::Duration(2ms));
    clock_.pass(std::max(time, base::Duration(1us)));
    if (dice_.one_in(2'000)) clock_.suspend(dice_.between(base::Duration(2s), base::Duration(10min)));
  }

  void come_back(End how) {
    world_.end(how);
    workload_.server_ended();
    if (!right()) return;
    world_.restart();
    if (!right()) return;
    workload_.server_started();
    if (right()) world_.catch_up();
    if (right()) workload_.check_inboxes();
  }

  bool comes_up(std::uint64_t once_in) { return once_in != 0 && faults_.one_in(once_in); }

  void throw_fault() {
    if (world_.disk_is_full()) {
      // Most of the time it stays up, so that it is seen to heal without a restart.
      if (faults_.one_in(workload_.refused_for_storage() ? 4 : 60)) world_.heal_disk();
      if (!faults_.one_in(8)) return;
    } else if (comes_up(options_.full_disk)) {
      world_.fill_disk();
    }
    arm_calls();
    if (comes_up(options_.snapshot)) take_snapshot();
    if (right() && world_.up() && comes_up(options_.kill)) come_back(End::kill);
    if (right() && world_.up() && comes_up(options_.graceful)) come_back(End::graceful);
    if (right() && world_.up() && comes_up(2 * options_.power_loss)) come_back(End::power_loss);
  }

  void arm_calls() {
    if (comes_up(options_.power_loss)) {
      // At any call, or at one that only a roll makes.
      const auto call = faults_.one_in(3) ? std::optional(rolling[faults_.below(std::size(rolling))]) : std::nullopt;
      world_.add_fault({call, faults_.between(1, call ? 2 : 30), Effect::power_off});
    }
    if (comes_up(options_.sync_error)) world_.add_fault({Call::sync, faults_.between(1, 20), Effect::io_error});
  }

  void take_snapshot() {
    // Some of them meet the end of the power half way.
    if (options_.power_loss != 0 && faults_.one_in(4))
      world_.add_fault({std::nullopt, faults_.between(1, 6), Effect::power_off});
    world_.snapshot();
    if (!world_.up()) come_back(End::power_loss);
  }

  void heal() {
    if (!right()) return;
    findings_.trace("all faults end");
    world_.clear_faults();
  }

  void drain() {
    const base::Duration until = clock_.monotonic() + drain_time;  // what waits for agents waits as long as they sleep
    for (std::uint64_t i = 1; right(); ++i) {
      step(Manner::drain);
      if (i % catch_up_every != 0 || !right()) continue;
      world_.catch_up();
      if (world_.chronicle().open_everywhere() + world_.chronicle().open_requests() == 0 && !workload_.unsure()) return;
      if (clock_.monotonic() > until)
        findings_.wrong("liveness: after " + base::to_text(drain_time) + " " +
                        std::to_string(world_.chronicle().open_everywhere()) + " messages are still in mailboxes, " +
                        std::to_string(world_.chronicle().open_requests()) + " requests await an answer" +
                        (workload_.unsure() ? ", and a client does not know what became of a message" : ""));
    }
  }

  void check_last_restart() {
    world_.end(End::graceful);
    workload_.server_ended();
    if (right()) world_.start();
    if (right()) workload_.server_started();
    if (right()) world_.catch_up();
  }

  const Options options_;
  VirtualClock clock_;
  Dice dice_;
  Findings findings_;
  Sightings sightings_;
  Ledger ledger_;
  World world_;
  Workload workload_;
  Dice faults_;
};

}  // namespace

Outcome run(const Options& options, const profile::Rulesets& rulesets, const Natives& natives, bool verbose) {
  return Run(options, rulesets, natives, verbose).go();
}

}  // namespace parley::sim
