// B3: the k-th fdatasync, or sync_file_range before it, of the loop's thread fails with EIO. The server stops within a
// second, with a status that is not 0; nothing that the failed group holds was told to anybody; that file is never
// synced again; a restart recovers, and nothing acked is lost.
#include <cstdio>
#include <set>

#include "trace.hpp"
#include "trial.hpp"

namespace {

using namespace parley::e2e;

bool syncs(const SystemCall& call) {
  return call.name == "fdatasync" || call.name == "sync_file_range";
}

// Gives how many messages the failed group held.
std::size_t check_trace(const Trace& trace) {
  std::vector<std::uint64_t> group;  // messages since the last sync that worked
  std::set<std::uint64_t> lost;
  const SystemCall* failed = nullptr;
  for (const SystemCall& call : trace.calls()) {
    if (failed) {
      require(!syncs(call) || call.path != failed->path,
              "B3: " + std::string(call.path) + " is synced again after EIO, in line " + std::to_string(call.begun));
      // Segments that are being made ready are others.
      require(!is_journal_write(call) || call.path != failed->path,
              "B3: " + std::string(call.path) + " is written after EIO, in line " + std::to_string(call.begun));
      if (is_send(call))
        for_each_message(call, [&](std::uint64_t number) {
          require(!lost.contains(number), "B3: message " + id_of(number) + " of the failed group is told of");
        });
    } else if (is_journal_write(call)) {
      for_each_message(call, [&](std::uint64_t number) { group.push_back(number); });
    } else if (syncs(call) && call.injected) {
      failed = &call;
      lost.insert(group.begin(), group.end());
    } else if (call.name == "fdatasync") {
      group.clear();
    }
  }
  require(failed != nullptr, "B3: no sync failed");
  const double took = trace.ended_at() - failed->time;
  require(trace.ended_at() > 0 && took <= 1.0, "B3: the server needs " + std::to_string(took) + " s to stop after EIO");
  std::printf("B3: %s failed with %zu messages in its group; stopped after %.0f ms\n",
              std::string(failed->name).c_str(), lost.size(), took * 1e3);
  return lost.size();
}

std::size_t run_test(const std::string& call, int k) {
  const TempFolder folder("trace");
  const std::string file = folder / "trace";
  Trial trial("sync-error", {.seed = static_cast<std::uint64_t>(k)},
              under_strace(file, call + ":error=EIO:when=" + std::to_string(k)));
  trial.begin();
  std::optional<End> end;
  trial.wait("the server goes on after EIO", Milliseconds(60'000),
             [&] { return (end = trial.world().server().wait(Milliseconds(0))).has_value(); });
  trial.server_is_gone();
  require(end->signal == 0 && end->status != 0, "B3: after EIO the server ends with " + end->text());
  require(trial.world().log().find("journal_failed") != std::string::npos, "B3: its log does not say why it stopped");
  const std::size_t lost = check_trace(Trace(file));
  trial.verify();
  trial.restart();
  trial.wait_for_load();
  trial.drain_and_judge();
  return lost;
}

}  // namespace

int main() {
  return judge([] {
    // Enrolling takes some forty syncs; a count is each thread's own. Which group is met is chance: some are of acks.
    for (const std::string call : {"fdatasync", "sync_file_range"}) {
      std::size_t tries = 0, held_messages = 0;
      for (int k = 60; tries < 3 || (held_messages == 0 && tries < 12); k += 37, ++tries)
        held_messages += run_test(call, k) > 0 ? 1 : 0;
      require(held_messages > 0, "no group whose " + call + " failed held a message: nothing was shown");
    }
  });
}
