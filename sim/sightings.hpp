// What a suite of runs must have seen at least once ("sometimes" assertions, reliability §6): a simulator that never
// gets into trouble proves nothing. Value types.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace parley::sim {

enum class Sighting {
  power_loss,
  kill,
  graceful_restart,
  crash_in_recovery,
  crash_in_roll,
  crash_in_snapshot,
  crash_in_sync,
  sync_error_stop,
  torn_tail_cut,
  snapshot_and_journal_recovery,
  segment_roll,
  group_commit,
  sync_beside,
  wall_jump,
  duplicate_answered,
  lost_answer_retried,
  id_conflict,
  refused_invalid,
  storage_full_refused,
  storage_healed,
  mailbox_full_refused,
  bounced,
  expired,
  lease_fenced,
  lease_ran_out,
  lane_given_back,
  take_repeated,
  session_taken_over,
  at_most_once_offered,
  dead_letter,
  redriven,
  agent_removed,
  ids_forgotten,
  too_old_refused,
  rate_limited,
  request_answered,
  request_extended,
  request_timed_out,
  agent_silent,
  unavailable_refused,
  task_completed,
  task_aborted,
  task_assigned_again,
  task_stalled,
  task_late,
  task_given_up,
  task_order_lost,
  task_postponed,
  task_given_again,
  out_of_sequence_refused,
  not_party_refused,
  stale_order_refused,
  task_offered,
  task_handed_over,
  superseded,
};
inline constexpr std::array<std::string_view, 55> sighting_names = {
    "power loss",
    "kill",
    "graceful restart",
    "crash in recovery",
    "crash in roll",
    "crash in snapshot",
    "crash in sync",
    "sync error stop",
    "torn tail cut",
    "snapshot + journal recovery",
    "segment roll",
    "group commit > 1",
    "block gathered during sync",
    "wall clock jump",
    "duplicate answered",
    "lost answer retried",
    "id conflict",
    "invalid refused",
    "storage full refused",
    "storage healed",
    "mailbox full refused",
    "bounced",
    "expired",
    "lease fenced",
    "lease ran out",
    "lane given back",
    "take repeated",
    "session taken over",
    "at most once offered",
    "dead letter",
    "redriven",
    "agent removed",
    "ids forgotten",
    "too old refused",
    "rate limited",
    "request answered",
    "request extended",
    "request timed out",
    "agent silent",
    "unavailable refused",
    "task completed",
    "task aborted",
    "task assigned again",
    "task stalled",
    "task late",
    "task given up",
    "task order lost",
    "task postponed",
    "task given again",
    "out of sequence refused",
    "not party refused",
    "stale order refused",
    "task offered",
    "task handed over",
    "superseded",
};

class Sightings {
 public:
  void saw(Sighting what, std::uint64_t times = 1) { counts_[static_cast<std::size_t>(what)] += times; }
  std::uint64_t count(std::size_t what) const { return counts_[what]; }
  void add(const Sightings& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }

 private:
  std::array<std::uint64_t, sighting_names.size()> counts_{};
};

}  // namespace parley::sim
