// The only place that knows CLI11. Help is help.cpp's.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/help.hpp"

namespace parley::cli {
namespace {

// CLI11 wants to own conversion; durations come as texts and are read by base.
CLI::Option* add_duration(CLI::App& app, const Option& option, std::function<void(base::Duration)> set) {
  return app.add_option_function<std::string>(
      option.name,
      [set = std::move(set)](const std::string& text) {
        const auto duration = base::parse_duration(text);
        if (!duration) throw CLI::ValidationError("\"" + text + "\" is no duration such as 500ms, 30s, 5m");
        set(*duration);
      },
      option.meaning);
}

struct Adder {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(bool* flag) const { return app.add_flag(option.name, *flag, option.meaning); }
  CLI::Option* operator()(base::Duration* duration) const {
    return add_duration(app, option, [duration](base::Duration d) { *duration = d; });
  }
  CLI::Option* operator()(std::optional<base::Duration>* duration) const {
    return add_duration(app, option, [duration](base::Duration d) { *duration = d; });
  }
  CLI::Option* operator()(std::vector<std::string>* list) const {
    auto* const added = app.add_option(option.name, *list, option.meaning);
    if (!option.is_positional()) added->allow_extra_args(false)->take_all();
    return added;
  }
  template <class T>
  CLI::Option* operator()(T* value) const {
    return app.add_option(option.name, *value, option.meaning);
  }
};

bool takes_unsigned(const Target& target) {
  return std::holds_alternative<std::uint32_t*>(target) || std::holds_alternative<std::uint64_t*>(target) ||
         std::holds_alternative<std::optional<std::uint32_t>*>(target);
}

// CLI11 reads "-1" as the largest number there is. What is wrong; empty: nothing.
std::string not_negative(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first != text.npos && text[first] == '-' ? "\"" + text + "\" is negative" : std::string();
}

void add_verb(CLI::App& parent, const Verb& verb, Parsed& parsed, const std::string& path) {
  CLI::App* const app = parent.add_subcommand(verb.name, verb.summary);
  app->set_help_flag();
  const std::string here = path.empty() ? verb.name : path + " " + verb.name;
  for (const auto& option : verb.options) {
    CLI::Option* const added = std::visit(Adder{*app, option}, option.target);
    added->required(option.required);
    if (takes_unsigned(option.target)) added->check(not_negative);
    if (!option.choices.empty()) added->check(CLI::IsMember(option.choices));
  }
  app->add_flag("--json", parsed.json, "one JSON document on standard output");
  app->parse_complete_callback([&parsed, &verb, here] {
    if (!verb.run) return;
    parsed.verb = &verb;
    parsed.path = here;
  });
  for (const auto& inner : verb.verbs) add_verb(*app, inner, parsed, here);
  if (!verb.verbs.empty()) app->require_subcommand(1);
}

// What stands where a verb should, and is none; empty where the parser has better words.
std::string no_verb(const std::vector<Group>& groups, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  std::erase(words, "--json");
  std::string path;
  const Verb* const verb = find_verb(groups, words, path);
  const auto known = static_cast<std::size_t>(verb ? 1 + std::ranges::count(path, ' ') : 0);
  if (known >= words.size() || (verb && verb->verbs.empty())) return {};
  if (words[known].starts_with('-')) return "there is no option '" + words[known] + "' here";
  return "there is no verb '" + (verb ? path + " " : "") + words[known] + "'";
}

}  // namespace

Parsed parse(const std::vector<Group>& groups, const std::vector<std::string>& arguments) {
  Parsed parsed;
  CLI::App app("", "parley");
  app.set_help_flag();
  app.add_flag("--json", parsed.json);
  app.require_subcommand(1);
  for (const auto& group : groups)
    for (const auto& verb : group.verbs) add_verb(app, verb, parsed, "");
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    parsed.wrong = no_verb(groups, arguments);
    if (parsed.wrong.empty()) parsed.wrong = error.what();
    parsed.verb = nullptr;
    parsed.json = parsed.json || std::ranges::find(arguments, "--json") != arguments.end();
  }
  return parsed;
}

}  // namespace parley::cli
