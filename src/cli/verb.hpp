// What a verb of the command line is: its options as data, bound to the fields of a plain struct, and what it does.
// options.cpp makes a parser of the table, help.cpp the help pages; a verb's file knows nothing of either.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/terminal.hpp"

namespace parley::cli {

// The contract of the exit status.
enum class Exit : std::uint8_t { done = 0, refused = 1, usage = 2, unreachable = 3 };
Exit exit_of(const base::Error& error);

// What is wrong with the command line itself: Exit::usage. Without a hint, the verb's help is named.
std::unexpected<base::Error> misuse(std::string message, std::string hint = {});

// Where an option's value goes. A bool is a flag; a vector takes the option more than once.
using Target = std::variant<bool*, std::string*, std::vector<std::string>*, std::uint32_t*, std::uint64_t*, double*,
                            base::Duration*, std::optional<std::uint32_t>*, std::optional<base::Duration>*>;

struct Option {
  std::string name;  // "--limit", "-n,--limit", "--data FOLDER", or a plain word for a positional argument
  std::string meaning;
  Target target;
  bool required = false;
  std::vector<std::string> choices{};  // empty: anything
  std::uint32_t least = 0;             // of a number

  bool is_positional() const { return name.front() != '-'; }
  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  std::string flags() const { return name.substr(0, name.find(' ')); }  // as the parser knows it
  std::string_view word() const {  // what stands for its value in the help; empty: what its kind says
    const auto space = name.find(' ');
    return space == name.npos ? std::string_view() : std::string_view(name).substr(space + 1);
  }
};

struct Context {
  Terminal& terminal;
  bool json = false;   // one JSON document on standard output, whatever happens
  std::string path{};  // of the verb that runs, "agent add"
};

struct Verb {
  std::string name;
  std::string summary;  // one line, imperative
  std::vector<std::string> examples{};
  std::vector<Option> options{};
  std::function<base::Result<Exit>(Context&)> run{};  // none where it has verbs of its own
  std::vector<Verb> verbs{};
  std::string notes{};  // what its page says after the options, lines
};

// Verbs of one purpose, as the help page shows them.
struct Group {
  std::string title;
  std::vector<Verb> verbs;
};

}  // namespace parley::cli
