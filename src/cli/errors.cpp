// Code, what is so, where, what to do next, when, what is legal next: always in this order.
#include "cli/errors.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "base/joined.hpp"
#include "base/time.hpp"
#include "cli/nearest.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

constexpr std::string_view command_line = "command line";  // the place of a misuse; no server's error has it

// A single defect, which is the message, at the place that `where` names.
bool is_said_already(const base::Error& error, const base::Problem& problem) {
  const bool is_placed = !error.where.empty() || problem.instance.empty();
  return error.details.size() == 1 && error.message == problem.message && is_placed;
}

std::string rule_of(const base::Problem& problem, bool is_tty) {
  return problem.schema.empty() ? "" : "  " + coloured("(" + printable(problem.schema) + ")", Colour::faint, is_tty);
}

// What the catalogue tells a program to do, in terms of the command line.
constexpr std::pair<base::ErrorCode, std::string_view> advice[] = {
    {base::ErrorCode::AGENT_EXISTS, "Change it with `parley agent change`, or choose another id."},
    {base::ErrorCode::APPROVAL_UNKNOWN, "`parley approve list` lists them; the id is that of the message that asked."},
    {base::ErrorCode::BAD_CURSOR, "Start again without --after."},
    {base::ErrorCode::CAPABILITY_MISSING, "Choose one that is; `parley agent list` tells who can what."},
    {base::ErrorCode::TASK_UNKNOWN, "Check the id: `parley task list` lists the tasks you may see."},
    {base::ErrorCode::UNAUTHENTICATED,
     "Give a token with --token or PARLEY_TOKEN, or name the server's own data folder with --data."},
    {base::ErrorCode::WORKSPACE_EXISTS, "Change it with `parley workspace set`, or choose another name."},
};

// Which call it was, and that its parameter stands in a query, says nothing to who wrote an option.
void tell_of_options(base::Error& error) {
  if (!error.details.empty() && error.message.ends_with(": " + error.details.front().message))
    error.message = error.details.front().message;
  if (!error.where.starts_with('?')) return;
  error.where.replace(0, 1, "--");
  std::ranges::replace(error.where, '_', '-');
}

// Of a name that is a slip away from one of those there are, that one alone.
void tell_what_was_meant(base::Error& error) {
  if (error.details.empty() || !error.details.front().schema.ends_with("/additionalProperties")) return;
  const std::string& place = error.details.front().instance;
  if (const std::string meant = nearest(place.substr(place.rfind('/') + 1), error.legal_next); !meant.empty())
    error.legal_next = {meant};
}

}  // namespace

// Where a server said something better than its catalogue does, that stays.
base::Error advised(base::Error error, const std::string& path) {
  if (error.code == base::ErrorCode::BAD_REQUEST && error.hint_text() == base::info(error.code).hint)
    error.hint = see_help(path);
  for (const auto& [code, hint] : advice)
    if (error.code == code && error.hint_text() == base::info(code).hint) error.hint = hint;
  return error;
}

base::Error as_typed(base::Error error, const std::string& path) {
  if (error.code == base::ErrorCode::BAD_REQUEST || error.code == base::ErrorCode::BAD_ID) tell_of_options(error);
  tell_what_was_meant(error);
  return advised(std::move(error), path);
}

std::unexpected<base::Error> misuse(std::string message, std::string hint) {
  return base::fail(base::ErrorCode::BAD_REQUEST, std::move(message), std::string(command_line), std::move(hint));
}

Exit exit_of(const base::Error& error) {
  if (error.where == command_line) return Exit::usage;
  return sdk::kind_of(error) == sdk::Failure::unreachable ? Exit::unreachable : Exit::refused;
}

std::string see_help(const std::string& path) {
  return "See `parley help" + (path.empty() ? "" : " " + path) + "`.";
}

std::string warning_text(const base::Problem& warning, bool is_tty) {
  const bool has_code = !warning.schema.starts_with('/');  // else it is a rule of the schema
  std::string text = "  " + coloured("warning", Colour::yellow, is_tty);
  const auto add = [&text](const std::string& said) {
    if (!said.empty()) text += "  " + printable(said);
  };
  if (has_code) add(warning.schema);
  add(warning.instance);
  add(warning.message);
  return text + (has_code ? "" : rule_of(warning, is_tty)) + "\n";
}

std::string error_text(const base::Error& error, bool is_tty) {
  std::string text;
  if (exit_of(error) == Exit::usage)
    return coloured("usage: ", Colour::red, is_tty) + printable(error.message) + "\n  " + printable(error.hint_text()) +
           "\n";
  const auto line = [&](std::string_view name, std::string_view said) {
    if (said.empty()) return;
    const std::string padded = std::string(name) + std::string(7 - name.size(), ' ');
    text += "  " + coloured(padded, Colour::faint, is_tty) + std::string(said) + "\n";
  };
  const bool refused = exit_of(error) == Exit::refused;
  text += coloured(refused ? "refused: " : "not reached: ", Colour::red, is_tty);
  text += coloured(base::info(error.code).name, Colour::strong, is_tty) + "  " + printable(error.message) + "\n";
  for (const auto& problem : error.details) {
    if (is_said_already(error, problem)) continue;
    const std::string place = problem.instance.empty() ? "the document" : printable(problem.instance);
    line("at", place + ": " + printable(problem.message) + rule_of(problem, is_tty));
  }
  line("where", printable(error.where));
  line("hint", printable(error.hint_text()));
  if (error.retry_after.count() > 0) line("retry", "in " + base::to_text(error.retry_after));
  line("next", base::joined(error.legal_next, [](const std::string& move) { return printable(move); }));
  return text;
}

void print_error(const Context& context, const base::Error& error) {
  if (context.json)
    print_json(context.terminal, sdk::to_json(advised(error, context.path)));
  else
    context.terminal.err << error_text(as_typed(error, context.path), context.terminal.err_is_tty);
}

}  // namespace parley::cli
