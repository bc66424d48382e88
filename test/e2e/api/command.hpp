// The program as its users start it.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "server.hpp"

namespace parley::e2e {

struct Ran {
  int status = -1;  // -1: ended by a signal
  std::string out, err;
};

// `parley ARGUMENTS…`, with no more environment than a PATH.
Ran run_parley(const std::vector<std::string>& arguments);
// With more of it: "NAME=value".
Ran run_parley_with(const std::vector<std::string>& environment, const std::vector<std::string>& arguments);
// Against this server's data folder.
Ran run_parley(const Server& server, std::vector<std::string> arguments);
// Goes on; what it prints is in the file `out`.
pid_t start_parley(const std::string& out, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {});
// With its standard output there; empty: closed.
Ran run_parley_into(const std::string& out, const Server& server, std::vector<std::string> arguments);

}  // namespace parley::e2e
