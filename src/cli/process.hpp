// A command of the shell, run to its end or to the end of its time, with all that it started. POSIX.
#pragma once
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::cli {

struct Ended {
  int exit_code = 0;  // 128 + the signal's number where one ended it, as a shell says
  bool timed_out = false;
  std::string output;  // of both streams; its end, where it is long
};

struct ShellCommand {
  std::string text;  // for `bash -c`
  std::string directory;
  base::Duration timeout{};
  std::size_t output_max = 4'096;  // bytes
};

// What was started with the command ends with it. Variables PARLEY_* are kept from it: they hold tokens. Error:
// INTERNAL, where it cannot be started, or the system does not tell how it ended (SIGCHLD is ignored).
base::Result<Ended> run(const ShellCommand& command);

}  // namespace parley::cli
