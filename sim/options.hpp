// What one run is: everything that the seed decides beforehand, printed in full when the run fails. Value types.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/file/file_journal.hpp"

namespace parley::sim {

// Faults that the product must not have: each planted alone, each must turn the run red (reliability §6).
enum class Planted {
  none,
  skip_sync,         // the journal writes and never syncs
  skip_folder_sync,  // names of new files are never synced
  skip_checks,       // the journal believes any checksum
  early_answers,     // answers leave before the sync they rest on
  early_outcomes,    // the journal believes a sync that is still under way
  ignore_epoch,      // an ack of an older delivery counts for the newest
  alter_bytes,       // a delivery's bytes are not those that were sent
  lose_moves,        // a completion is accepted, and its task does not move
  hasty_watch,       // tasks are given up in half the time that is due to them
  believe_unsigned,  // a result's checks are shown as signed, and nobody signed them
  short_reviews,     // a verdict is due in half the time that is due to it
  hasty_limit,       // the first review is the last
  wrong_decider,     // errors are decided by another role than the profile names
  decide_twice,      // a decision counts for an error that was decided before, too
  retry_twice,       // an exception is followed by two attempts more
  lose_parts,        // what answers a request for parts is none of them
  deaf_session,      // a session is aborted, and goes on
};
std::optional<Planted> planted_named(std::string_view name);
std::vector<std::string_view> planted_names();  // without none

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t steps = 0;  // turns under faults
  Planted planted = Planted::none;

  // The server.
  std::uint64_t segment_bytes = 0;
  std::size_t block_bytes = 0;
  std::size_t cache_bytes = 0;
  std::size_t deliveries_a_turn = 0;
  journal::file::Zeros zeros{};
  std::uint64_t late_sync = 0;  // one sync in so many is beside the loop, 0 none

  // The workspaces.
  std::uint32_t workspaces = 1;
  bool lenient = false;  // the last one
  std::uint32_t mailbox_messages = 0;
  std::uint64_t remembered_ids = 0;
  base::Duration lease{};
  std::uint32_t rate_messages = 0;  // of an agent in 10 s; 0: none
  std::uint64_t budget = 0;         // of an agent; 0: nobody counts
  bool risks = false;               // risky assignments are held
  base::Duration task_silence{};    // 0: tasks have their profile's times; else progress is due far oftener
  bool near_loops = false;          // bounds of loops are low
  bool unsigned_missing = false;    // custom checks that no runner has signed count as missing

  // The load and the faults: once in so many turns, 0 never.
  std::uint64_t acts_a_turn = 0;  // at most
  std::uint64_t power_loss = 0, kill = 0, graceful = 0, sync_error = 0, full_disk = 0, snapshot = 0;
};

Options options_of(std::uint64_t seed, std::uint64_t steps, Planted planted);
std::string describe(const Options& options);
std::string repeat_line(const Options& options);  // parley_sim --seed N --steps M

}  // namespace parley::sim
