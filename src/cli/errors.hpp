// An error as a person reads it, and as a program does.
#pragma once
#include "base/error.hpp"
#include "cli/verb.hpp"

namespace parley::cli {

// With --json the error's JSON on standard output; else text on standard error:
//   refused: SCHEMA  The message is no task_assignment.
//     at     /payload/priority: expected one of …, found "urgent"
//     where  POST /v1/workspaces/demo/messages
//     hint   Mend each place in `details`.
//     retry  in 1s
//     next   task_progress, task_completion
void print_error(const Context& context, const base::Error& error);

// With a hint that names commands, where the catalogue's is for a program. `path`: of the verb, "agent add".
base::Error advised(base::Error error, const std::string& path);

// So, and in the words of who typed it, for a person: options instead of query parameters, and of the names there are
// the one that was meant.
base::Error as_typed(base::Error error, const std::string& path);

// "See `parley help agent add`."
std::string see_help(const std::string& path);

// A warning that came with something accepted, as a line:
//   warning  BOUNCED  /to  the mailbox of 'b' is full
std::string warning_text(const base::Problem& warning, bool is_tty);

std::string error_text(const base::Error& error, bool is_tty);

}  // namespace parley::cli
