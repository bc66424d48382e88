// The help pages, from the table of verbs.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/verb.hpp"

namespace parley::cli {

std::string help_page(const std::vector<Group>& groups, bool is_tty);
// `path` is "agent add".
std::string help_page(const Verb& verb, const std::string& path, bool is_tty);

// The verb that the leading words name, as far as they do; null where not even the first does. `path` becomes its name.
const Verb* find_verb(const std::vector<Group>& groups, const std::vector<std::string>& words, std::string& path);

// The whole reference, docs/reference/cli.md.
std::string reference(const std::vector<Group>& groups);

}  // namespace parley::cli
