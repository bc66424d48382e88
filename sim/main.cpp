// parley_sim: the whole server under a seed. `parley_sim --seed N --steps M` repeats a failed run, with --verbose as a
// readable trace; `--seeds A..B` runs many and prints what they have seen. Exit status: 0 right, 1 wrong, 2 usage.
#include <cstdio>

#include "sim/suite.hpp"

int main(int count, char** words) {
  using namespace parley;
  const auto arguments = sim::read_arguments(count, words);
  if (!arguments) {
    std::fputs(sim::usage.data(), stderr);
    return 2;
  }
  const sim::Suite suite = sim::run_suite(*arguments);
  if (!arguments->expected.empty()) {
    if (suite.as_expected == 0) std::fputs("FAILED: a planted fault went unnoticed\n", stderr);
    return suite.as_expected == 0 ? 1 : 0;
  }
  if (arguments->json)
    sim::print_json(suite);
  else if (!arguments->one)
    sim::print_table(suite);
  const bool asks_for_sightings = !arguments->one && !arguments->any_sightings;
  const bool missing = asks_for_sightings && suite.missing() > 0;
  if (missing) std::fprintf(stderr, "FAILED: %d sightings are missing\n", suite.missing());
  return suite.failed > 0 || missing ? 1 : 0;
}
