// A5, by strace: for each message that anything told of over a socket, an fdatasync of the segment completed between
// the journal write that holds it and that send. Group commit is allowed: one sync may serve many. And the folder is
// synced after each file that is made or renamed in it, before anything is acknowledged.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "trace.hpp"
#include "trial.hpp"

namespace {

using namespace parley::e2e;

// Where a message is on its way.
struct Journey {
  std::string_view segment;
  std::uint64_t written = 0;  // when its journal write was done
  bool synced = false;
};

// What counts of a call: of a write and a sync that they are done, of a send that it begins; syncs are on threads of
// their own, and others' calls come between their two ends.
std::vector<const SystemCall*> in_order(const Trace& trace) {
  std::vector<std::pair<std::uint64_t, const SystemCall*>> moments;
  for (const SystemCall& call : trace.calls()) moments.emplace_back(is_send(call) ? call.begun : call.done, &call);
  std::ranges::sort(moments);
  std::vector<const SystemCall*> calls;
  for (const auto& [line, call] : moments) calls.push_back(call);
  return calls;
}

struct Proof {
  std::uint64_t messages = 0, blocks = 0, syncs = 0, sends = 0, created = 0, folder_syncs = 0;
  std::uint64_t beside = 0;  // syncs between whose two ends other threads made calls
  std::uint64_t largest_group = 0;
};

// Syncs make durable what was written to their file before they began.
class Checker {
 public:
  void see(const SystemCall& call) {
    if (is_journal_write(call) && call.result > 0) return written(call);
    if (call.name == "fdatasync" && call.path.ends_with(".segment") && call.result == 0 && !call.injected)
      return synced(call);
    if (is_send(call)) return sent(call);
  }
  const Proof& proof() const { return proof_; }

 private:
  void written(const SystemCall& call) {
    bool holds_messages = false;
    for_each_message(call, [&](std::uint64_t number) {
      holds_messages = true;
      if (!journeys_.emplace(number, Journey{call.path, call.done, false}).second) return;
      unsynced_.push_back(number);
      ++proof_.messages;
    });
    proof_.blocks += holds_messages ? 1 : 0;
  }

  void synced(const SystemCall& call) {
    ++proof_.syncs;
    proof_.beside += call.done > call.begun ? 1 : 0;
    const std::size_t before = unsynced_.size();
    std::erase_if(unsynced_, [&](std::uint64_t number) {
      Journey& journey = journeys_.at(number);
      journey.synced = journey.segment == call.path && journey.written < call.begun;
      return journey.synced;
    });
    proof_.largest_group = std::max<std::uint64_t>(proof_.largest_group, before - unsynced_.size());
  }

  void sent(const SystemCall& call) {
    ++proof_.sends;
    for_each_message(call, [&](std::uint64_t number) {
      const auto journey = journeys_.find(number);
      const std::string what = "A5: message " + id_of(number) + " is told of in line " + std::to_string(call.begun);
      // A refusal names an id too; this test's messages are all good, and conflicts are of accepted ones.
      require(journey != journeys_.end(), what + " and was never written to the journal");
      require(journey->second.synced,
              what + " before an fdatasync of what was written by line " + std::to_string(journey->second.written));
    });
  }

  std::unordered_map<std::uint64_t, Journey> journeys_;
  std::vector<std::uint64_t> unsynced_;
  Proof proof_;
};

// "AT_FDCWD</…>, "/path", …": the n-th quoted path.
std::string quoted(std::string_view arguments, int n) {
  std::size_t begin = 0, end = 0;
  for (int i = 0; i <= n; ++i) {
    begin = arguments.find('"', end);
    if (begin == std::string_view::npos) return {};
    end = arguments.find('"', ++begin);
    if (i < n) ++end;
  }
  return std::string(arguments.substr(begin, end - begin));
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// What lasts only when its folder was synced, by folder. The lock's file and server.json hold nothing that must last.
std::optional<std::string> new_name(const SystemCall& call, const std::string& data_folder) {
  if (call.result < 0) return std::nullopt;
  std::string path;
  if (call.name.starts_with("rename")) path = quoted(call.arguments, 1);
  if (call.name == "mkdir") path = quoted(call.arguments, 0);
  if (call.name == "openat" && call.arguments.find("O_EXCL") != std::string_view::npos)
    path = quoted(call.arguments, 0);
  if (!path.starts_with(data_folder + "/") || path.ends_with("/server.json") || path.ends_with(".unfinished"))
    return std::nullopt;
  return path;
}

void check_folders(const Trace& trace, const std::string& data_folder, Proof& proof) {
  std::map<std::string, std::string> unsynced;  // path → its folder
  for (const SystemCall& call : trace.calls()) {
    if (const auto path = new_name(call, data_folder)) {
      unsynced[*path] = folder_of(*path);
      ++proof.created;
    } else if (call.name == "fsync" && call.result == 0 && !call.injected) {
      if (std::erase_if(unsynced, [&](const auto& item) { return item.second == call.path; }) > 0) ++proof.folder_syncs;
    } else if (is_journal_write(call)) {
      bool holds_messages = false;
      for_each_message(call, [&](std::uint64_t) { holds_messages = true; });
      if (!holds_messages) continue;
      for (const auto& [name, in] : unsynced)
        // A segment that is being made ready is not yet one that messages are in.
        require(name.ends_with(".segment") && name != call.path,
                "A5: " + name + " was made or renamed, and its folder not synced before line " +
                    std::to_string(call.begun) + " holds messages");
    }
  }
}

void run_test(std::uint64_t sends, bool no_sync) {
  const TempFolder folder("trace");
  const std::string file = folder / "trace";
  Trial trial("sync-proof", {.seed = 5}, under_strace(file, no_sync ? "fdatasync:retval=0" : ""));
  trial.begin();
  trial.wait("the sends take too long", Milliseconds(150'000),
             [&] { return trial.ledger().counts().accepted >= sends; });
  trial.drain_and_judge();

  const Trace trace(file);
  Checker checker;
  for (const SystemCall* const call : in_order(trace)) checker.see(*call);
  Proof proof = checker.proof();
  require(proof.messages >= sends, "A5: the trace shows " + std::to_string(proof.messages) + " messages only");
  check_folders(trace, trial.world().data_folder(), proof);
  std::printf(
      "A5: %llu messages in %llu blocks; %llu fdatasyncs, %llu of them beside other calls, the largest for %llu "
      "messages; %llu sends to sockets,\n"
      "    none before the sync of what it tells of; %llu files made or renamed, %llu folder syncs\n",
      static_cast<unsigned long long>(proof.messages), static_cast<unsigned long long>(proof.blocks),
      static_cast<unsigned long long>(proof.syncs), static_cast<unsigned long long>(proof.beside),
      static_cast<unsigned long long>(proof.largest_group), static_cast<unsigned long long>(proof.sends),
      static_cast<unsigned long long>(proof.created), static_cast<unsigned long long>(proof.folder_syncs));
}

}  // namespace

int main(int count, char** words) {
  const bool no_sync = count == 2 && std::strcmp(words[1], "--no-sync") == 0;
  if (count > 1 && !no_sync) {
    std::fputs("usage: sync_proof_test [--no-sync]\n  --no-sync  every fdatasync does nothing: must be noticed\n",
               stderr);
    return 2;
  }
  if (!no_sync) return judge([&] { run_test(10'000, false); });
  return judge([&] {
    try {
      run_test(500, true);
    } catch (const Wrong& wrong) {
      require(wrong.what.starts_with("A5: message"), wrong.what);
      std::printf("red, as it must be: %s\n", wrong.what.c_str());
      return;
    }
    throw Wrong{"A5: a server that never syncs went unnoticed"};
  });
}
