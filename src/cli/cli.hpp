// The command line: `parley VERB …`. Finds the verb, reads its options, runs it, prints what it says.
#pragma once
#include <string>
#include <vector>

#include "cli/verb.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {

// The exit status of the process. `arguments` without the program's name.
int run(const std::vector<std::string>& arguments, const Services& services, Terminal& terminal);

}  // namespace parley::cli
