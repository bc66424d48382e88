// parley_sim: the whole server under a seed. `parley_sim --seed N --steps M` repeats a failed run, with --verbose as a
// readable trace; `--seeds A..B` runs many and prints what they have seen.
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "json/writer.hpp"
#include "sim/run.hpp"

namespace {

using namespace parley;

constexpr std::string_view usage =
    "usage: parley_sim [--seed N | --seeds A..B] [--steps M] [--planted FAULT] [--expect red] [--twice] [--verbose]\n"
    "                  [--json] [--any-sightings]\n"
    "  --planted FAULT    skip-sync, skip-folder-sync, skip-checks, early-answers, ignore-epoch, alter-bytes\n"
    "  --expect red       succeeds only if a run goes wrong\n"
    "  --twice            runs each seed twice and compares the final hashes\n"
    "  --any-sightings    does not ask that everything was seen at least once\n";

struct Arguments {
  std::uint64_t first = 1, last = 200, steps = 300;
  sim::Planted planted = sim::Planted::none;
  bool expect_red = false, twice = false, verbose = false, json = false, any_sightings = false;
  bool many = true;
};

// The line that repeats the run, ready for the signal handler: an assertion of the server's ends the process.
char repeat[256] = "";
bool abort_is_expected = false;

extern "C" void on_abort(int) {
  const char* const words = abort_is_expected ? "red, an assertion failed: " : "FAILED, an assertion: ";
  (void)!::write(STDERR_FILENO, words, std::strlen(words));
  (void)!::write(STDERR_FILENO, repeat, std::strlen(repeat));
  (void)!::write(STDERR_FILENO, "\n", 1);
  ::_exit(abort_is_expected ? 0 : 1);
}

bool read_number(std::string_view text, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_range(std::string_view text, Arguments& arguments) {
  const std::size_t dots = text.find("..");
  return dots != std::string_view::npos && read_number(text.substr(0, dots), arguments.first) &&
         read_number(text.substr(dots + 2), arguments.last) && arguments.first <= arguments.last;
}

bool read(int count, char** words, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string_view value = i + 1 < count ? words[i + 1] : "";
    bool good = true;
    bool takes_value = true;
    if (word == "--seed") {
      good = read_number(value, arguments.first);
      arguments.last = arguments.first;
      arguments.many = false;
    } else if (word == "--seeds") {
      good = read_range(value, arguments);
    } else if (word == "--steps") {
      good = read_number(value, arguments.steps);
    } else if (word == "--planted") {
      const auto planted = sim::planted_named(value);
      good = planted.has_value();
      arguments.planted = planted.value_or(sim::Planted::none);
    } else if (word == "--expect") {
      good = value == "red";
      arguments.expect_red = true;
    } else {
      takes_value = false;
      if (word == "--twice")
        arguments.twice = true;
      else if (word == "--verbose")
        arguments.verbose = true;
      else if (word == "--json")
        arguments.json = true;
      else if (word == "--any-sightings")
        arguments.any_sightings = true;
      else
        good = false;
    }
    if (!good) return false;
    if (takes_value) ++i;
  }
  return true;
}

// How many sightings are missing.
int print_table(const sim::Sightings& seen) {
  int missing = 0;
  for (std::size_t i = 0; i < sim::sighting_names.size(); ++i) {
    std::printf("  %-28s %8llu%s\n", sim::sighting_names[i].data(), static_cast<unsigned long long>(seen.count(i)),
                seen.count(i) == 0 ? "   NEVER SEEN" : "");
    if (seen.count(i) == 0) ++missing;
  }
  return missing;
}

struct Total {
  std::uint64_t runs = 0, events = 0, failed = 0;
  double virtual_seconds = 0;
  sim::Sightings seen;
};

void report(const Arguments& arguments, const sim::Options& options, const sim::Outcome& outcome) {
  if (outcome.wrong.empty()) {
    if (!arguments.many && !arguments.json)
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(options.seed), outcome.head.c_str());
    return;
  }
  std::fflush(stdout);
  std::FILE* const to = arguments.expect_red ? stdout : stderr;
  std::fprintf(to, "%s: %s\n  options: %s\n  repeat:  %s\n", arguments.expect_red ? "red" : "FAILED",
               outcome.wrong.c_str(), sim::describe(options).c_str(), sim::repeat_line(options).c_str());
}

int finish(const Arguments& arguments, const Total& total) {
  const bool whole = arguments.many && !arguments.expect_red && !arguments.any_sightings;
  int missing = 0;
  if (arguments.json) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().member("runs", total.runs).member("failed", total.failed).member("events", total.events);
    writer.member("virtual_seconds", total.virtual_seconds).key("seen").begin_object();
    for (std::size_t i = 0; i < sim::sighting_names.size(); ++i) {
      writer.member(sim::sighting_names[i], total.seen.count(i));
      if (total.seen.count(i) == 0) ++missing;
    }
    writer.end_object().end_object();
    std::printf("%s\n", text.c_str());
  } else if (arguments.many && !arguments.expect_red) {
    missing = print_table(total.seen);
    std::printf("%llu runs, %llu failed, %llu events, %.0f s of virtual time\n",
                static_cast<unsigned long long>(total.runs), static_cast<unsigned long long>(total.failed),
                static_cast<unsigned long long>(total.events), total.virtual_seconds);
  }
  if (arguments.expect_red) {
    if (total.failed == 0) std::fprintf(stderr, "FAILED: a planted fault went unnoticed\n");
    return total.failed == 0 ? 1 : 0;
  }
  if (whole && missing > 0) std::fprintf(stderr, "FAILED: %d sightings are missing\n", missing);
  return total.failed > 0 || (whole && missing > 0) ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!read(count, words, arguments)) {
    std::fputs(usage.data(), stderr);
    return 2;
  }
  abort_is_expected = arguments.expect_red;
  std::signal(SIGABRT, on_abort);
  const profile::Rulesets rulesets = profile::built_in();
  const sim::Natives natives;
  Total total;
  for (std::uint64_t seed = arguments.first; seed <= arguments.last; ++seed) {
    const sim::Options options = sim::options_of(seed, arguments.steps, arguments.planted);
    std::snprintf(repeat, sizeof repeat, "%s", sim::repeat_line(options).c_str());
    sim::Outcome outcome = sim::run(options, rulesets, natives, arguments.verbose);
    if (arguments.twice && outcome.wrong.empty() && sim::run(options, rulesets, natives, false).head != outcome.head)
      outcome.wrong = "the same seed ended in another state";
    ++total.runs;
    total.events += outcome.events;
    total.virtual_seconds += outcome.virtual_seconds;
    total.seen.add(outcome.sightings);
    if (!outcome.wrong.empty()) ++total.failed;
    report(arguments, options, outcome);
    if (!outcome.wrong.empty() && arguments.expect_red) break;
  }
  return finish(arguments, total);
}
