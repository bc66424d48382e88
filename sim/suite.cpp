#include "sim/suite.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "json/writer.hpp"

namespace parley::sim {
namespace {

// What the signal handler writes; a thread that aborts handles its own signal.
thread_local char repeating[256] = "";
bool abort_is_expected = false;

void write_error(const char* text) {
  (void)!::write(STDERR_FILENO, text, std::strlen(text));
}

extern "C" void on_abort(int) {
  write_error(abort_is_expected ? "red: an assertion failed\n  repeat:  " : "FAILED: an assertion\n  repeat:  ");
  write_error(repeating);
  write_error("\n");
  ::_exit(abort_is_expected ? 0 : 1);
}

class Runs {
 public:
  explicit Runs(const Arguments& arguments) : arguments_(arguments), next_(arguments.first) {}

  Suite go() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned jobs = arguments_.verbose || arguments_.one ? 1 : arguments_.jobs ? arguments_.jobs : cores;
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < jobs; ++i) threads.emplace_back([this] { work(); });
    work();
    threads.clear();
    return suite_;
  }

 private:
  void work() {
    while (!over_) {
      const std::uint64_t seed = next_++;
      if (seed > arguments_.last) return;
      const Options options = options_of(seed, arguments_.steps, arguments_.planted);
      std::snprintf(repeating, sizeof repeating, "%s", repeat_line(options).c_str());
      Outcome outcome = run(options, rulesets_, natives_, arguments_.verbose);
      if (arguments_.twice && outcome.wrong.empty() && run(options, rulesets_, natives_, false).head != outcome.head)
        outcome.wrong = "the same seed ended in another state";
      add(options, outcome);
    }
  }

  void add(const Options& options, const Outcome& outcome) {
    const std::scoped_lock lock(mutex_);
    ++suite_.runs;
    suite_.events += outcome.events;
    suite_.virtual_seconds += outcome.virtual_seconds;
    suite_.seen.add(outcome.sightings);
    if (outcome.wrong.empty()) {
      if (arguments_.one) std::printf("%s\nends as %s\n", describe(options).c_str(), outcome.head.c_str());
      return;
    }
    ++suite_.failed;
    const bool expected = arguments_.expected == "red" || names(outcome.wrong, arguments_.expected);
    suite_.as_expected += expected;
    over_ = over_ || expected;
    std::fflush(stdout);
    std::fprintf(expected ? stdout : stderr, "%s: %s\n  options: %s\n  repeat:  %s\n", expected ? "red" : "FAILED",
                 outcome.wrong.c_str(), describe(options).c_str(), repeat_line(options).c_str());
  }
  // "O2: …" is of the oracle O2.
  static bool names(std::string_view wrong, std::string_view oracle) {
    return !oracle.empty() && wrong.starts_with(oracle) && wrong.substr(oracle.size()).starts_with(':');
  }

  const Arguments& arguments_;
  const profile::Rulesets rulesets_ = profile::built_in();
  const Natives natives_;
  std::atomic<std::uint64_t> next_;
  std::atomic<bool> over_ = false;
  std::mutex mutex_;
  Suite suite_;
};

}  // namespace

int Suite::missing() const {
  int count = 0;
  for (std::size_t i = 0; i < sighting_names.size(); ++i)
    if (seen.count(i) == 0) ++count;
  return count;
}

Suite run_suite(const Arguments& arguments) {
  abort_is_expected = arguments.expected == "red";
  std::signal(SIGABRT, on_abort);
  return Runs(arguments).go();
}

void print_table(const Suite& suite) {
  for (std::size_t i = 0; i < sighting_names.size(); ++i)
    std::printf("  %-28s %8llu%s\n", sighting_names[i].data(), static_cast<unsigned long long>(suite.seen.count(i)),
                suite.seen.count(i) == 0 ? "   NEVER SEEN" : "");
  std::printf("%llu runs, %llu failed, %llu events, %.0f s of virtual time\n",
              static_cast<unsigned long long>(suite.runs), static_cast<unsigned long long>(suite.failed),
              static_cast<unsigned long long>(suite.events), suite.virtual_seconds);
}

void print_json(const Suite& suite) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object().member("runs", suite.runs).member("failed", suite.failed).member("events", suite.events);
  writer.member("virtual_seconds", suite.virtual_seconds).key("seen").begin_object();
  for (std::size_t i = 0; i < sighting_names.size(); ++i) writer.member(sighting_names[i], suite.seen.count(i));
  writer.end_object().end_object();
  std::printf("%s\n", text.c_str());
}

}  // namespace parley::sim
