// A1: SIGKILL of the real server at random moments under load, N times, checked by the ledger (O1-O4, P3, P5) and by
// `parley verify` (O6). Chance decides the moments; the seed repeats the load, not the scheduler.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "trial.hpp"

namespace {

using namespace parley::e2e;
using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view usage =
    "usage: crash_test [--rounds N] [--seed S] [--planted early-answers|ignore-epoch] [--expect ORACLE]\n"
    "  --expect O4  succeeds only if the first wrong is that oracle's\n";
constexpr std::uint64_t rounds_a_folder = 20;
constexpr std::uint64_t rounds_a_reading = 4;  // of the log; at the end of a folder it is read again from its beginning
constexpr Milliseconds ready_at_most(5'000);   // A1 asks for 2 s on a machine of its own

struct Arguments {
  std::uint64_t rounds = 50, seed = 1;
  Planted planted = Planted::none;
  std::string expected;  // the oracle that must turn red; empty: none
};

struct Figures {
  std::uint64_t kills = 0, kills_in_start = 0, folders = 0, tails_cut = 0;
  std::vector<std::int64_t> outstanding;
  std::vector<std::int64_t> ready_ms;
  Counts counts;
};

std::int64_t milliseconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration_cast<Milliseconds>(SteadyClock::now() - begin).count();
}

// With early answers what a kill lost stays outstanding for ever: senders must not come to wait for it.
LoadOptions options_of(const Arguments& arguments, std::uint64_t seed) {
  LoadOptions options{.seed = seed, .planted = arguments.planted};
  if (arguments.planted == Planted::early_answers) options.outstanding_max = 10'000;
  return options;
}

// The rounds of one data folder.
class Rounds {
 public:
  Rounds(const Arguments& arguments, std::uint64_t seed, Figures& figures)
      : random_(seed), figures_(figures), trial_("crash", options_of(arguments, seed)) {}

  void go(std::uint64_t rounds) {
    trial_.begin();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      trial_.wait_for_load();
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 150'000));
      kill();
      come_back();
      if (round % rounds_a_reading == 0) trial_.world().read_logs(trial_.ledger());
      trial_.check();
      ++figures_.kills;
    }
    trial_.drain_and_judge();
    figures_.counts.add(trial_.ledger().counts());
    const std::string log = trial_.world().log();
    for (std::size_t at = 0; (at = log.find("journal_tail_cut", at)) != std::string::npos; ++at) ++figures_.tails_cut;
  }

 private:
  void kill() {
    figures_.outstanding.push_back(trial_.ledger().outstanding());
    trial_.world().server().kill();
    trial_.server_is_gone();
    trial_.verify();
    while (random_() % 5 == 0) {  // and again, while it starts
      trial_.world().launch();
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 30'000));
      trial_.world().server().kill();
      ++figures_.kills_in_start;
      trial_.verify();
    }
  }

  void come_back() {
    const auto begin = SteadyClock::now();
    trial_.restart();
    const std::int64_t took = milliseconds_since(begin);
    figures_.ready_ms.push_back(took);
    require(took <= ready_at_most.count(), "A1: ready only after " + std::to_string(took) + " ms");
  }

  std::mt19937_64 random_;
  Figures& figures_;
  Trial trial_;
};

std::int64_t at(std::vector<std::int64_t> sorted, double part) {
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void print(const Figures& figures, double seconds) {
  const auto row = [](const char* name, auto value) {
    std::printf("  %-46s %12lld\n", name, static_cast<long long>(value));
  };
  const Counts& c = figures.counts;
  row("kills under load (N)", figures.kills);
  row("kills while starting, besides", figures.kills_in_start);
  row("data folders", figures.folders);
  row("senders, each", Load::senders);
  row("receivers, each", Load::receivers);
  row("outstanding at the kill: least", at(figures.outstanding, 0));
  row("outstanding at the kill: median", at(figures.outstanding, 0.5));
  row("ready again, ms: median", at(figures.ready_ms, 0.5));
  row("ready again, ms: longest", at(figures.ready_ms, 1));
  row("torn tails cut", figures.tails_cut);
  row("messages sent", c.sent);
  row("sends unknown at a kill", c.unknown);
  row("  of which had been accepted (duplicate)", c.unknown_were_duplicates);
  row("  of which had not", c.unknown_were_new);
  row("accepted messages repeated: duplicate", c.duplicates_asked);
  row("ids repeated with other content: ID_CONFLICT", c.conflicts_asked);
  row("refused for now and sent again", c.refused_for_now);
  row("deliveries", c.deliveries);
  row("  of which again (lease, nack, kill)", c.redeliveries);
  row("  of which the same take asked again", c.takes_repeated);
  row("acks answered done", c.acked);
  row("late acks fenced (superseded)", c.fenced);
  row("nacks", c.nacked);
  row("expired, dead-lettered, on record", c.ended_otherwise);
  row("at most once: handed over", c.handed_over);
  row("at most once: handed over as the server died", c.handed_over_unseen);
  std::printf("  0 of %llu rounds went wrong: with 95 %% confidence a round goes wrong in less than %.2f %% (3/N)\n",
              static_cast<unsigned long long>(figures.kills), 300.0 / static_cast<double>(figures.kills));
  std::printf("  %.0f s, %.2f s a round\n", seconds, seconds / static_cast<double>(figures.kills));
}

bool read_number(const char* text, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), into);
  return error == std::errc() && *end == 0;
}

bool read(int count, char** words, Arguments& arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view word = words[i], value = words[i + 1];
    bool good = true;
    if (word == "--rounds") {
      good = read_number(words[i + 1], arguments.rounds) && arguments.rounds > 0;
    } else if (word == "--seed") {
      good = read_number(words[i + 1], arguments.seed);
    } else if (word == "--planted") {
      arguments.planted = value == "early-answers" ? Planted::early_answers : Planted::ignore_epoch;
      good = value == "early-answers" || value == "ignore-epoch";
    } else if (word == "--expect") {
      arguments.expected = value;
    } else {
      good = false;
    }
    if (!good) return false;
  }
  return count % 2 == 1;
}

int finish_red(const Arguments& arguments, std::uint64_t seed, const std::string& what) {
  if (!arguments.expected.empty() && what.starts_with(arguments.expected)) {
    std::printf("red, as it must be: %s\n", what.c_str());
    return 0;
  }
  std::fprintf(stderr, "WRONG %s\n  repeat: crash_test --rounds %llu --seed %llu\n", what.c_str(),
               static_cast<unsigned long long>(std::min(rounds_a_folder, arguments.rounds)),
               static_cast<unsigned long long>(seed));
  return 1;
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!read(count, words, arguments)) {
    std::fputs(usage.data(), stderr);
    return 2;
  }
  Figures figures;
  const auto begin = SteadyClock::now();
  std::uint64_t seed = arguments.seed;
  try {
    for (std::uint64_t done = 0; done < arguments.rounds; done += rounds_a_folder, ++seed) {
      Rounds(arguments, seed, figures).go(std::min(rounds_a_folder, arguments.rounds - done));
      ++figures.folders;
      if (arguments.rounds > 4 * rounds_a_folder) {
        std::printf("seed %llu: %llu rounds right, %lld s\n", static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(figures.kills),
                    static_cast<long long>(milliseconds_since(begin) / 1000));
        std::fflush(stdout);
      }
    }
  } catch (const Wrong& wrong) {
    return finish_red(arguments, seed, wrong.what);
  } catch (const std::exception& unusable) {
    std::fprintf(stderr, "UNUSABLE %s\n", unusable.what());
    return 3;
  }
  print(figures, static_cast<double>(milliseconds_since(begin)) / 1000);
  if (arguments.expected.empty()) return 0;
  std::fprintf(stderr, "WRONG a planted fault went unnoticed\n");
  return 1;
}
