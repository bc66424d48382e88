// The command line of parley_sim. Value type.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/options.hpp"

namespace parley::sim {

struct Arguments {
  std::uint64_t first = 1, last = 200;  // seeds
  std::uint64_t steps = 300;
  unsigned jobs = 0;  // 0: as many as the machine has cores
  Planted planted = Planted::none;
  bool one = false;           // --seed: one run, whose end is printed
  std::string_view expected;  // succeeds only if a run goes wrong: `red`, or by which oracle
  bool twice = false;         // each seed runs twice and must end alike
  bool verbose = false;       // a readable trace
  bool json = false;
  bool any_sightings = false;  // does not ask that everything was seen
};

inline constexpr std::string_view usage =
    "usage: parley_sim [--seed N | --seeds A..B] [--steps M] [--jobs N] [--planted FAULT] [--expect red|ORACLE] "
    "[--twice]\n"
    "                  [--any-sightings] [--verbose] [--json]\n"
    "  --seed N         one run; --verbose prints every step of it\n"
    "  --seeds A..B     many, and what they have seen (default 1..200)\n"
    "  --planted FAULT  a fault of ours: skip-sync, lose-moves, … (options.cpp has them all)\n"
    "  --expect red     succeeds only if a run goes wrong; with an oracle's name, if it is found by that one\n"
    "  --twice          runs each seed twice and compares how it ends\n"
    "  --any-sightings  does not ask that everything was seen at least once\n";

std::optional<Arguments> read_arguments(int count, char** words);  // nothing: they are not of that form

}  // namespace parley::sim
