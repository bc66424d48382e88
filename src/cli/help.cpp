// One calm page for all, one for each verb.
#include "cli/help.hpp"

#include <algorithm>

#include "base/joined.hpp"
#include "cli/online.hpp"

namespace parley::cli {
namespace {

struct Shown {
  std::string text;  // "--limit N"
  std::string meaning;
};

std::string placeholder(const Option& option) {
  if (const auto word = option.word(); !word.empty()) return " " + std::string(word);
  struct {
    std::string operator()(bool*) const { return ""; }
    std::string operator()(std::string*) const { return " TEXT"; }
    std::string operator()(std::vector<std::string>*) const { return " TEXT"; }
    std::string operator()(std::uint32_t*) const { return " N"; }
    std::string operator()(std::uint64_t*) const { return " N"; }
    std::string operator()(double*) const { return " N"; }
    std::string operator()(base::Duration*) const { return " TIME"; }
    std::string operator()(std::optional<std::uint32_t>*) const { return " N"; }
    std::string operator()(std::optional<base::Duration>*) const { return " TIME"; }
  } const word;
  return std::visit(word, option.target);
}

// What a target holds before anything was parsed; empty where that says nothing.
std::string default_of(const Option& option) {
  if (const auto* const text = std::get_if<std::string*>(&option.target)) return **text;
  if (const auto* const n = std::get_if<std::uint32_t*>(&option.target)) return std::to_string(**n);
  if (const auto* const n = std::get_if<std::uint64_t*>(&option.target)) return std::to_string(**n);
  if (const auto* const d = std::get_if<base::Duration*>(&option.target))
    return (*d)->count() > 0 ? base::to_text(**d) : "";
  return "";
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

std::string meaning_of(const Option& option) {
  std::string text = option.meaning;
  const bool names_all =
      std::ranges::all_of(option.choices, [&text](const auto& choice) { return text.find(choice) != text.npos; });
  if (!names_all) text += ": " + base::joined(option.choices);
  if (option.required && !option.is_positional()) text += " (required)";
  const bool says_default = text.find("(default") != text.npos;
  if (const auto standing = default_of(option); !standing.empty() && !option.is_positional() && !says_default)
    text += " (default " + standing + ")";
  return text;
}

Shown shown(const Option& option) {
  if (option.is_positional()) return {capitals(option.name), meaning_of(option)};
  std::string name = option.flags();
  if (const auto comma = name.find(','); comma != name.npos) name.insert(comma + 1, " ");
  return {name + placeholder(option), meaning_of(option)};
}

std::string usage_of(const Verb& verb, const std::string& path) {
  std::string text = "parley " + path;
  if (!verb.verbs.empty()) return text + " VERB …";
  for (const auto& option : verb.options) {
    const bool many = std::holds_alternative<std::vector<std::string>*>(option.target);
    if (option.is_positional())
      text += (option.required ? " " : " [") + capitals(option.name) + (many ? "…" : "") + (option.required ? "" : "]");
    else if (option.required)
      text += " " + option.flags() + placeholder(option);
  }
  return text + " [options]";
}

std::string rows(const std::vector<Shown>& all, std::size_t width) {
  std::string text;
  for (const auto& [name, meaning] : all)
    text += "  " + name + std::string(width > width_of(name) ? width - width_of(name) : 1, ' ') + meaning + "\n";
  return text;
}

std::size_t width_of_all(const std::vector<Shown>& all) {
  std::size_t width = 0;
  for (const auto& one : all) width = std::max(width, width_of(one.text));
  return width + 2;
}

// Options that most verbs have, told once.
const std::vector<Option>& options_that_find_a_server() {
  static Online nobody;
  static const std::vector<Option> options = workspace_options(nobody);
  return options;
}

// Of a verb that looks for one: `serve` has a data folder too.
bool finds_server(const Verb& verb, const Option& option) {
  const bool looks = std::ranges::any_of(verb.options, [](const auto& one) { return one.flags() == "--server"; });
  return looks && std::ranges::any_of(options_that_find_a_server(), [&option](const Option& one) {
           return one.name == option.name && one.meaning == option.meaning;
         });
}

std::string table_of(const std::vector<Option>& options) {
  std::string text = "| option | meaning |\n|---|---|\n";
  for (const auto& option : options) {
    std::string meaning = meaning_of(option);
    for (std::size_t at = 0; (at = meaning.find('|', at)) != meaning.npos; at += 2) meaning.insert(at, "\\");
    text += "| `" + shown(option).text + "` | " + meaning + " |\n";
  }
  return text;
}

void append_reference(std::string& text, const Verb& verb, const std::string& path) {
  text += "\n## parley " + path + "\n" + verb.summary + ".\n\n```\n" + usage_of(verb, path) + "\n```\n";
  std::vector<Option> own;
  std::string others;
  for (const auto& option : verb.options)
    if (finds_server(verb, option))
      others += (others.empty() ? "`" : ", `") + option.flags().substr(0, option.flags().find(',')) + "`";
    else
      own.push_back(option);
  if (!own.empty()) text += "\n" + table_of(own);
  if (!others.empty()) text += "\nAlso " + others + ": [where the server is](#where-the-server-is).\n";
  if (!verb.notes.empty()) text += "\n" + verb.notes;
  if (!verb.examples.empty()) {
    text += "\n```sh\n";
    for (const auto& example : verb.examples) text += example + "\n";
    text += "```\n";
  }
  for (const auto& inner : verb.verbs) append_reference(text, inner, path + " " + inner.name);
}

}  // namespace

const Verb* find_verb(const std::vector<Group>& groups, const std::vector<std::string>& words, std::string& path) {
  const Verb* found = nullptr;
  const auto among = [](const std::vector<Verb>& verbs, const std::string& word) {
    const auto at = std::ranges::find(verbs, word, &Verb::name);
    return at == verbs.end() ? nullptr : &*at;
  };
  for (const auto& word : words) {
    const Verb* next = nullptr;
    if (found)
      next = among(found->verbs, word);
    else
      for (const auto& group : groups)
        if (!next) next = among(group.verbs, word);
    if (!next) break;
    found = next;
    path += (path.empty() ? "" : " ") + word;
  }
  return found;
}

std::string help_page(const std::vector<Group>& groups, bool is_tty) {
  std::string text = coloured("parley", Colour::strong, is_tty) + ": messages between agents, kept and delivered.\n";
  for (const auto& group : groups) {
    text += "\n" + coloured(group.title, Colour::faint, is_tty) + "\n";
    std::vector<Shown> all;
    for (const auto& verb : group.verbs) all.push_back({verb.name, verb.summary});
    text += rows(all, 13);
  }
  text +=
      "\n`parley help VERB` tells more. Every verb takes --json.\n"
      "Exit status: 0 done, 1 refused, 2 usage, 3 the server could not be reached.\n";
  return text;
}

std::string help_page(const Verb& verb, const std::string& path, bool is_tty) {
  std::string text = verb.summary + ".\n\n  " + coloured(usage_of(verb, path), Colour::strong, is_tty) + "\n";
  std::vector<Shown> all;
  for (const auto& inner : verb.verbs) all.push_back({inner.name, inner.summary});
  if (verb.verbs.empty()) {
    for (const auto& option : verb.options) all.push_back(shown(option));
    all.push_back({"--json", "one JSON document on standard output"});
  }
  text += "\n" + rows(all, width_of_all(all));
  if (!verb.notes.empty()) text += "\n" + verb.notes;
  if (!verb.examples.empty()) {
    text += "\n";
    for (const auto& example : verb.examples) text += "  " + coloured(example, Colour::faint, is_tty) + "\n";
  }
  return text;
}

std::string reference(const std::vector<Group>& groups) {
  std::string text =
      "# The command line\n"
      "\n"
      "One program, `parley`. This page is written by `parley help --reference`.\n"
      "\n"
      "- **Exit status**: 0 done, 1 refused, 2 usage, 3 the server could not be reached. It is 1, too, where standard\n"
      "  output could not be written, without a word where it is a pipe that nobody reads any more; `wait --ack` and\n"
      "  `request` leave in the mailbox what they did not print.\n"
      "- **`--json`** on every verb: one JSON document on standard output, also where the answer is an error\n"
      "  (`{\"error\": {code, message, hint, where, legal_next?, retry_after?, details}}`), and for help and\n"
      "  `--version`; `tail` prints one document a line.\n"
      "- **`--as NAME`** calls with the agent's own token, which `parley agent add` keeps in the data folder's\n"
      "  `tokens/WORKSPACE/agents/NAME.token`, readable by its owner alone; or with the person's, from `people/`, "
      "where\n"
      "  no agent's of that name is kept.\n"
      "- Colours are for terminals only (`NO_COLOR` turns them off). Control characters in messages are shown as\n"
      "  escapes, never sent to the terminal.\n"
      "\n"
      "## Where the server is\n"
      "Verbs that call a server find it, and the token for it, by these options.\n"
      "\n" +
      table_of(options_that_find_a_server()) +
      "\n"
      "The data folder of a server on this machine has its `server.json` and `admin.token`: neither address nor token\n"
      "need be named. Without `--data` and `PARLEY_DATA` it is `$XDG_DATA_HOME/parley`, else `~/.local/share/parley`.\n"
      "A token kept there is sent to the server that gave it, while that runs, and to no other: for another "
      "`--server`\n"
      "give `--token` or `PARLEY_TOKEN`.\n"
      "\n"
      "A proxy that the environment names (`https_proxy` or `ALL_PROXY`, but for what `NO_PROXY` lists) is used for\n"
      "`https://` addresses of other machines alone: there it sees the server's name, and not the token. Loopback and\n"
      "`http://` addresses are called directly; `http_proxy` means nothing.\n"
      "For `https://` addresses `SSL_CERT_FILE` names a file of certificates to trust (PEM): a CA's of your own.\n";
  for (const auto& group : groups)
    for (const auto& verb : group.verbs) append_reference(text, verb, verb.name);
  return text;
}

}  // namespace parley::cli
