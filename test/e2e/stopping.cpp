// A3 and B7: SIGTERM under load, SIGSTOP for two seconds, and a second server on the same data folder.
#include <signal.h>

#include <cstdio>

#include "trial.hpp"

namespace {

using namespace parley::e2e;
using SteadyClock = std::chrono::steady_clock;

std::int64_t milliseconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration_cast<Milliseconds>(SteadyClock::now() - begin).count();
}

// A3: nothing acked is lost, and it ends within 5 s.
void sigterm_under_load() {
  Trial trial("sigterm", {.seed = 31});
  trial.begin();
  std::int64_t longest = 0;
  for (int round = 0; round < 4; ++round) {
    trial.wait_for_load();
    const auto begin = SteadyClock::now();
    trial.stop_in_time();
    longest = std::max(longest, milliseconds_since(begin));
    trial.server_is_gone();
    trial.verify();
    trial.restart();
    trial.world().read_logs(trial.ledger());
    trial.check();
  }
  trial.drain_and_judge();
  std::printf("A3: 4 times SIGTERM under load, ended after at most %lld ms\n", static_cast<long long>(longest));
}

// A3: leases that ran out meanwhile are over, and late acks of them are refused once they were offered anew (O4).
void sigstop_under_load() {
  Trial trial("sigstop", {.seed = 32});
  trial.begin();
  for (int round = 0; round < 2; ++round) {
    trial.wait_for_load();
    const auto before = trial.ledger().counts();
    trial.world().server().send(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(2));
    trial.world().server().send(SIGCONT);
    trial.wait("the server does not go on after SIGCONT", Milliseconds(20'000), [&] {
      const auto now = trial.ledger().counts();
      return now.accepted > before.accepted + 500 && now.acked > before.acked + 500;
    });
  }
  trial.drain_and_judge();
  std::printf("A3: 2 times SIGSTOP for 2 s under load; %llu late acks were fenced\n",
              static_cast<unsigned long long>(trial.ledger().counts().fenced));
}

void refuse_second(Trial& trial, const std::string& journal) {
  const std::string log = trial.folder() / ("second-" + journal + ".log");
  const auto begin = SteadyClock::now();
  const End end = run(
      {server_program, "serve", "--data", trial.world().data_folder(), "--listen", "127.0.0.1:0", "--journal", journal},
      log);
  const std::int64_t took = milliseconds_since(begin);
  require(end.signal == 0 && end.status != 0, "B7: a second server on the data folder ends with " + end.text());
  require(took <= 1'000, "B7: the second server is refused only after " + std::to_string(took) + " ms");
  require(read_file(log).find("JOURNAL_LOCKED") != std::string::npos, "B7: its words are: " + read_file(log));
  std::printf("B7: a second server (journal: %s) was refused after %lld ms with %s\n", journal.c_str(),
              static_cast<long long>(took), end.text().c_str());
}

// B7: refused within a second, with a status and words, whatever its journal; the first goes on, and is found as
// before; a killed one leaves nothing in the way.
void second_server() {
  Trial trial("second", {.seed = 33});
  trial.begin();
  trial.wait_for_load();
  const std::string file = trial.world().data_folder() + "/server.json";
  const std::string found = read_file(file);
  for (const std::string journal : {"file", "memory"}) refuse_second(trial, journal);
  require(!found.empty() && read_file(file) == found, "B7: the command line finds another server");
  const auto before = trial.ledger().counts().accepted;
  trial.wait("the first server does not go on", Milliseconds(20'000),
             [&] { return trial.ledger().counts().accepted > before + 500; });
  trial.world().server().kill();
  trial.server_is_gone();
  trial.restart();
  trial.drain_and_judge();
}

}  // namespace

int main(int count, char** words) {
  const std::string_view name = count == 2 ? words[1] : "";
  if (name == "sigterm") return judge(sigterm_under_load);
  if (name == "sigstop") return judge(sigstop_under_load);
  if (name == "second") return judge(second_server);
  std::fputs("usage: stopping_test sigterm|sigstop|second\n", stderr);
  return 2;
}
