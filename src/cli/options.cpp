// The only place that knows CLI11. Help is help.cpp's.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <sstream>

#include "base/joined.hpp"
#include "cli/help.hpp"
#include "cli/nearest.hpp"

namespace parley::cli {
namespace {

// What is longer is a slip, and no date or clock could be counted on by it.
constexpr std::chrono::days longest_duration{36'500};

// CLI11 wants to own conversion; durations come as texts and are read by base.
CLI::Option* add_duration(CLI::App& app, const Option& option, std::function<void(base::Duration)> set) {
  return app.add_option_function<std::string>(
      option.flags(),
      [set = std::move(set)](const std::string& text) {
        const auto duration = base::parse_duration(text);
        if (!duration) throw CLI::ValidationError("\"" + text + "\" is no duration such as 500ms, 30s, 5m");
        if (*duration > longest_duration) throw CLI::ValidationError("\"" + text + "\" is more than 36500d");
        set(*duration);
      },
      option.meaning);
}

struct Adder {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(bool* flag) const { return app.add_flag(option.flags(), *flag, option.meaning); }
  CLI::Option* operator()(base::Duration* duration) const {
    return add_duration(app, option, [duration](base::Duration d) { *duration = d; });
  }
  CLI::Option* operator()(std::optional<base::Duration>* duration) const {
    return add_duration(app, option, [duration](base::Duration d) { *duration = d; });
  }
  CLI::Option* operator()(std::vector<std::string>* list) const {
    auto* const added = app.add_option(option.flags(), *list, option.meaning);
    if (!option.is_positional()) added->allow_extra_args(false)->take_all();
    return added;
  }
  template <class T>
  CLI::Option* operator()(T* value) const {
    return app.add_option(option.flags(), *value, option.meaning);
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

// Where nothing would count as not said, and what is meant then is another folder, another caller, a list.
bool must_say_something(const Option& option) {
  const bool is_text = std::holds_alternative<std::string*>(option.target) ||
                       std::holds_alternative<std::vector<std::string>*>(option.target);
  static const std::set<std::string_view> names{"--as", "--data", "--server", "--token", "-w,--workspace"};
  return is_text && (option.is_positional() || names.contains(option.flags()));
}

std::string not_empty(const std::string& text) {
  return text.empty() ? "it is empty" : "";
}

void add_verb(CLI::App& parent, const Verb& verb, Parsed& parsed, const std::string& path) {
  CLI::App* const app = parent.add_subcommand(verb.name, verb.summary);
  app->set_help_flag();
  const std::string here = path.empty() ? verb.name : path + " " + verb.name;
  for (const auto& option : verb.options) {
    CLI::Option* const added = std::visit(Adder{*app, option}, option.target);
    added->required(option.required);
    if (takes_unsigned(option.target)) added->check(not_negative);
    if (must_say_something(option)) added->check(not_empty);
    if (option.least > 0) added->check(CLI::Range(option.least, std::numeric_limits<std::uint32_t>::max(), ""));
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

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

std::vector<std::string> names_of(const std::vector<Group>& groups, const Verb* verb) {
  std::vector<std::string> names;
  const auto add = [&names](const std::vector<Verb>& verbs) {
    for (const auto& one : verbs) names.push_back(one.name);
  };
  if (verb) {
    add(verb->verbs);
    return names;
  }
  for (const auto& group : groups) add(group.verbs);
  return names;
}

// By each of the names it has: "-n,--max".
using OptionsByName = std::vector<std::pair<std::string, const Option*>>;

OptionsByName options_by_name(const Verb& verb) {
  OptionsByName all;
  for (const auto& option : verb.options) {
    if (option.is_positional()) continue;
    std::istringstream names(option.flags());
    for (std::string name; std::getline(names, name, ',');) all.emplace_back(name, &option);
  }
  return all;
}

std::string no_option(const std::string& name, const OptionsByName& known) {
  std::vector<std::string> names{"--json"};
  for (const auto& one : known) names.push_back(one.first);
  return "there is no option '" + name + "' here" + did_you_mean(name, names);
}

std::size_t words_taken(const Verb& verb) {
  std::size_t count = 0;
  for (const auto& option : verb.options) {
    if (!option.is_positional()) continue;
    if (std::holds_alternative<std::vector<std::string>*>(option.target)) return SIZE_MAX;
    ++count;
  }
  return count;
}

// The option that the verb does not have, or the word that is one too many; empty: neither.
std::string not_understood(const Verb& verb, std::span<const std::string> words) {
  const auto known = options_by_name(verb);
  std::size_t left = words_taken(verb);
  std::string too_many;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') || word == "-") {
      if (left > 0)
        --left;
      else if (too_many.empty())
        too_many = "'" + word + "' is one word too many";
      continue;
    }
    const bool is_long = word.starts_with("--");
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const auto found = std::ranges::find(known, name, &OptionsByName::value_type::first);
    if (found == known.end()) return no_option(name, known);
    const bool has_value_with_it = name.size() < word.size();
    if (!found->second->is_flag() && !has_value_with_it) ++i;
  }
  return too_many;
}

// What is wrong, where the parser has no good words for it; empty where it has.
std::string better_words(const std::vector<Group>& groups, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  std::erase(words, "--json");
  std::string path;
  const Verb* const verb = find_verb(groups, words, path);
  const auto known = static_cast<std::size_t>(verb ? 1 + std::ranges::count(path, ' ') : 0);
  if (verb && verb->verbs.empty()) return not_understood(*verb, std::span(words).subspan(known));
  const auto names = names_of(groups, verb);
  if (known == words.size()) return "a verb is missing: " + base::joined(names);
  const std::string& word = words[known];
  if (word.starts_with('-')) return "there is no option '" + word + "' here";
  return "there is no verb '" + (verb ? path + " " : "") + word + "'" + did_you_mean(word, names);
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
    parsed.wrong = better_words(groups, arguments);
    if (parsed.wrong.empty()) parsed.wrong = error.what();
    parsed.verb = nullptr;
    parsed.json = parsed.json || std::ranges::find(arguments, "--json") != arguments.end();
  }
  return parsed;
}

}  // namespace parley::cli
