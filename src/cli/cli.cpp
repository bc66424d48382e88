// Help is looked for before anything is parsed, so that it is given whatever else is missing.
#include "cli/cli.hpp"

#include <algorithm>
#include <csignal>
#include <ostream>

#include "cli/errors.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

bool asks_for_help(const std::vector<std::string>& arguments) {
  return arguments.front() == "help" || std::ranges::find(arguments, "--help") != arguments.end() ||
         std::ranges::find(arguments, "-h") != arguments.end();
}

// A misuse without a hint of its own is sent to the help of the verb.
Exit tell(const Context& context, base::Error error, const std::string& path) {
  const Exit exit = exit_of(error);
  if (exit == Exit::usage && error.hint.empty()) error.hint = see_help(path);
  print_error(context, error);
  return exit;
}

// With --json as the one member of an object: help is text, and who asks for JSON gets it everywhere.
Exit show_help(const Context& context, const std::string& text) {
  if (!context.json) {
    context.terminal.out << text;
    return Exit::done;
  }
  std::string document;
  json::Writer(document).begin_object().member("help", text).end_object();
  print_json(context.terminal, document);
  return Exit::done;
}

Exit help(const std::vector<Group>& groups, std::vector<std::string> words, const Context& context) {
  const bool is_asked_of_words = !words.empty() && words.front() == "help";  // not of a whole command line
  if (is_asked_of_words) words.erase(words.begin());
  if (!words.empty() && words.front() == "--reference") return show_help(context, reference(groups));
  std::string path;
  const Verb* const verb = find_verb(groups, words, path);
  const auto known = static_cast<std::size_t>(verb ? 1 + std::ranges::count(path, ' ') : 0);
  if (is_asked_of_words && known < words.size() && !words[known].starts_with('-'))
    return tell(context, misuse("there is no verb '" + (verb ? path + " " : "") + words[known] + "'").error(), path);
  const bool is_tty = context.terminal.out_is_tty && !context.json;
  return show_help(context, verb ? help_page(*verb, path, is_tty) : help_page(groups, is_tty));
}

Exit version(const Context& context) {
  if (!context.json) {
    context.terminal.out << "parley " << PARLEY_VERSION << '\n';
    return Exit::done;
  }
  std::string document;
  json::Writer(document).begin_object().member("version", PARLEY_VERSION).end_object();
  print_json(context.terminal, document);
  return Exit::done;
}

Exit run_verb(const std::vector<std::string>& arguments, const Services& services, Terminal& terminal) {
  const auto groups = all_verbs(services);
  std::vector<std::string> words = arguments;
  const bool json = std::erase(words, "--json") > 0;
  if (arguments.empty() || (!words.empty() && asks_for_help(words))) return help(groups, words, {terminal, json});
  if (!words.empty() && words.front() == "--version") return version({terminal, json});
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
  std::signal(SIGPIPE, SIG_IGN);  // what is under way ends in order, and with a status of this program
  std::signal(SIGCHLD, SIG_DFL);  // who started this program may ignore it, and no child's end would be told then
  Exit exit = run_verb(arguments, services, terminal);
  if (const auto flushed = flush(terminal); !flushed) {
    if (!terminal.reader_is_gone)
      terminal.err << coloured("not written: ", Colour::red, terminal.err_is_tty) << flushed.error().message << '\n';
    if (exit == Exit::done) exit = Exit::refused;
  }
  return static_cast<int>(exit);
}

}  // namespace parley::cli
