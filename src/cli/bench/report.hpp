// A run's figures, as JSON and for people.
#pragma once
#include <string>

#include "cli/bench/run.hpp"
#include "cli/terminal.hpp"

namespace parley::cli::bench {

std::string to_json(const Settings& settings, const Outcome& outcome);
void print(const Terminal& terminal, const Settings& settings, const Outcome& outcome);

}  // namespace parley::cli::bench
