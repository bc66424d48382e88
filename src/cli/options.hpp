// The table of verbs as a parser.
#pragma once
#include <string>
#include <vector>

#include "cli/verb.hpp"

namespace parley::cli {

// What the arguments asked for. Value type; points into the table.
struct Parsed {
  const Verb* verb = nullptr;  // to be run
  std::string path;            // "agent add"
  bool json = false;
  std::string wrong;  // a usage error; `verb` is the nearest, or none
};

// Fills the targets of the verb's options.
Parsed parse(const std::vector<Group>& groups, const std::vector<std::string>& arguments);

}  // namespace parley::cli
