// A1: SIGKILL of the real server at random moments under load, N times, checked by the ledger (O1-O4, P3, P5) and by
// `parley verify` (O6). Chance decides the moments; the seed repeats the load, not the scheduler.
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "world.hpp"

namespace {

using namespace parley::e2e;
using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view usage =
    "usage: e2e_crash PARLEY [--rounds N] [--seed S] [--planted early-answers|ignore-epoch] [--expect red]\n";
constexpr std::uint64_t rounds_a_folder = 25;
constexpr Milliseconds patience(20'000);
constexpr Milliseconds ready_at_most(5'000);  // A1 asks for 2 s on a machine of its own

struct Arguments {
  std::string program;
  std::uint64_t rounds = 50, seed = 1;
  Planted planted = Planted::none;
  bool expect_red = false;
};

struct Wrong {
  std::string what;
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

// One data folder, from its first start over a number of kills to its last word.
class Life {
 public:
  Life(const Arguments& arguments, std::uint64_t seed, Figures& figures)
      : arguments_(arguments),
        random_(seed),
        figures_(figures),
        folder_("crash"),
        world_(arguments.program, folder_.path()),
        options_{.seed = seed, .planted = arguments.planted} {}

  void go(std::uint64_t rounds) {
    world_.start();
    world_.enrol(town_);
    town_.server_up(world_.url());
    {
      const Load load(town_, ledger_, options_);
      for (std::uint64_t round = 0; round < rounds; ++round) {
        wait_for_load();
        kill();
        come_back();
        figures_.kills += 1;
      }
      town_.drain();
      wait("the mailboxes do not run empty", patience, [this] { return drained(); });
    }
    stop();
    judge_the_whole_log();
    figures_.counts.add(ledger_.counts());
    const std::string log = world_.log();
    for (std::size_t at = 0; (at = log.find("journal_tail_cut", at)) != std::string::npos; ++at) ++figures_.tails_cut;
  }

 private:
  void check() const {
    if (std::string wrong = ledger_.first_wrong(); !wrong.empty()) throw Wrong{std::move(wrong)};
  }

  template <class Holds>
  void wait(std::string_view what, Milliseconds at_most, const Holds& holds) {
    const auto begin = SteadyClock::now();
    while (!holds()) {
      check();
      if (SteadyClock::now() - begin > at_most) throw Wrong{"liveness: " + std::string(what) + "\n" + state()};
      std::this_thread::sleep_for(Milliseconds(1));
    }
  }

  std::string state() const {
    return "  outstanding " + std::to_string(ledger_.outstanding()) + ", clients through " +
           std::to_string(town_.clients_through()) + ", unsure senders " + std::to_string(town_.unsure_senders) +
           "\n" + ledger_.outstanding_text() + world_.log().substr(world_.log().size() - std::min<std::size_t>(world_.log().size(), 2000));
  }

  void wait_for_load() {
    wait("the clients do not get through", patience, [this] {
      return town_.clients_through() >= Load::senders + Load::receivers &&
             ledger_.outstanding() >= options_.outstanding_min;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 80'000));
  }

  void kill() {
    figures_.outstanding.push_back(ledger_.outstanding());
    world_.server().kill();
    town_.server_down();
    verify();
    while (random_() % 5 == 0) {  // and again, while it starts
      world_.launch();
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 30'000));
      world_.server().kill();
      ++figures_.kills_in_start;
      verify();
    }
  }

  void verify() {
    if (std::string wrong = world_.verify(); !wrong.empty()) throw Wrong{std::move(wrong)};
  }

  void come_back() {
    const auto begin = SteadyClock::now();
    world_.start();
    figures_.ready_ms.push_back(milliseconds_since(begin));
    if (figures_.ready_ms.back() > ready_at_most.count()) throw Wrong{"A1: ready only after " + std::to_string(figures_.ready_ms.back()) + " ms"};
    town_.server_up(world_.url());
    world_.read_logs(ledger_);
    check();
  }

  bool drained() {
    if (town_.unsure_senders > 0) return false;
    world_.read_logs(ledger_);
    return ledger_.outstanding() == 0 && world_.inboxes_empty();
  }

  void stop() {
    world_.server().send(SIGTERM);
    const auto end = world_.server().wait(Milliseconds(5'000));
    if (!end || end->status != 0) throw Wrong{"SIGTERM: " + (end ? end->text() : "it does not end within 5 s")};
    verify();
  }

  void judge_the_whole_log() {
    world_.start();
    for (const AgentRole& role : cast()) ledger_.read_log_anew(role.workspace);
    world_.read_logs(ledger_);
    ledger_.check_all_ended();
    check();
    if (!world_.inboxes_empty()) throw Wrong{"O4: a restart fills an empty mailbox"};
  }

  const Arguments& arguments_;
  std::mt19937_64 random_;
  Figures& figures_;
  TempFolder folder_;
  World world_;
  LoadOptions options_;
  Town town_;
  Ledger ledger_;
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
  row("refused as OVERLOADED and sent again", c.overloaded);
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
  if (count < 2) return false;
  arguments.program = words[1];
  for (int i = 2; i + 1 < count; i += 2) {
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
      arguments.expect_red = good = value == "red";
    } else {
      good = false;
    }
    if (!good) return false;
  }
  return count % 2 == 0;
}

int finish_red(const Arguments& arguments, std::uint64_t seed, const std::string& what) {
  if (arguments.expect_red) {
    std::printf("red, as it must be: %s\n", what.c_str());
    return 0;
  }
  std::fprintf(stderr, "WRONG %s\n  repeat: e2e_crash %s --rounds %llu --seed %llu\n", what.c_str(),
               arguments.program.c_str(), static_cast<unsigned long long>(std::min(rounds_a_folder, arguments.rounds)),
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
      Life(arguments, seed, figures).go(std::min(rounds_a_folder, arguments.rounds - done));
      ++figures.folders;
      if (arguments.rounds > 4 * rounds_a_folder) {
        std::printf("seed %llu: %llu rounds right, %lld s\n", static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(figures.kills), static_cast<long long>(milliseconds_since(begin) / 1000));
        std::fflush(stdout);
      }
    }
  } catch (const Wrong& wrong) {
    return finish_red(arguments, seed, wrong.what);
  } catch (const Unusable& unusable) {
    std::fprintf(stderr, "UNUSABLE %s\n", unusable.what());
    return 3;
  }
  print(figures, static_cast<double>(milliseconds_since(begin)) / 1000);
  if (arguments.expect_red) std::fprintf(stderr, "WRONG a planted fault went unnoticed\n");
  return arguments.expect_red ? 1 : 0;
}
