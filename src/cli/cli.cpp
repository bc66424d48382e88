// Help is looked for before anything is parsed, so that it is given whatever else is missing.
#include "cli/cli.hpp"

#include <algorithm>
#include <ostream>

#include "cli/errors.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"

namespace parley::cli {
namespace {

bool asks_for_help(const std::vector<std::string>& arguments) {
  return arguments.empty() || arguments.front() == "help" ||
         std::ranges::find(arguments, "--help") != arguments.end() ||
         std::ranges::find(arguments, "-h") != arguments.end();
}

// A misuse without a hint of its own is sent to the help of the verb.
Exit tell(const Context& context, base::Error error, const std::string& path) {
  const Exit exit = exit_of(error);
  if (exit == Exit::usage && error.hint.empty()) error.hint = see_help(path);
  print_error(context, error);
  return exit;
}

Exit help(const std::vector<Group>& groups, std::vector<std::string> words, Terminal& terminal) {
  const bool is_asked_of_words = !words.empty() && words.front() == "help";  // not of a whole command line
  if (is_asked_of_words) words.erase(words.begin());
  if (!words.empty() && words.front() == "--reference") {
    terminal.out << reference(groups);
    return Exit::done;
  }
  std::string path;
  const Verb* const verb = find_verb(groups, words, path);
  const auto known = static_cast<std::size_t>(verb ? 1 + std::ranges::count(path, ' ') : 0);
  if (is_asked_of_words && known < words.size() && !words[known].starts_with('-'))
    return tell({terminal}, misuse("there is no verb '" + (verb ? path + " " : "") + words[known] + "'").error(), path);
  terminal.out << (verb ? help_page(*verb, path, terminal.out_is_tty) : help_page(groups, terminal.out_is_tty));
  return Exit::done;
}

Exit run_verb(const std::vector<std::string>& arguments, const Services& services, Terminal& terminal) {
  const auto groups = all_verbs(services);
  if (asks_for_help(arguments)) return help(groups, arguments, terminal);
  if (arguments.front() == "--version") {
    terminal.out << "parley " << PARLEY_VERSION << '\n';
    return Exit::done;
  }
  const Parsed parsed = parse(groups, arguments);
  Context context{terminal, parsed.json, parsed.path};
  if (!parsed.verb) {
    std::string path;
    find_verb(groups, arguments, path);
    return tell(context, misuse(parsed.wrong).error(), path);
  }
  auto exit = parsed.verb->run(context);
  return exit ? *exit : tell(context, std::move(exit).error(), parsed.path);
}

}  // namespace

int run(const std::vector<std::string>& arguments, const Services& services, Terminal& terminal) {
  Exit exit = run_verb(arguments, services, terminal);
  if (const auto flushed = flush(terminal); !flushed) {
    terminal.err << coloured("not written: ", Colour::red, terminal.err_is_tty) << flushed.error().message << '\n';
    if (exit == Exit::done) exit = Exit::refused;
  }
  return static_cast<int>(exit);
}

}  // namespace parley::cli
