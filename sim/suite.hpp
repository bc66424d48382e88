// Many runs, on as many threads as there are cores: runs share nothing but the compiled profiles, which are only read.
#pragma once
#include "sim/arguments.hpp"
#include "sim/run.hpp"

namespace parley::sim {

struct Suite {
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;
  std::uint64_t as_expected = 0;  // of those
  std::uint64_t events = 0;
  double virtual_seconds = 0;
  Sightings seen;

  int missing() const;  // sightings
};

// Prints each failure as it comes, with the line that repeats it. Ends at the first where a failure is what is
// expected. A failed assertion of the server ends the process after naming its run.
Suite run_suite(const Arguments& arguments);

void print_table(const Suite& suite);
void print_json(const Suite& suite);

}  // namespace parley::sim
