// A scenario as a text a person can read: comments, a command, "----", what it printed. Value types; no broker here.
//
//   # COL-21: the same bytes again
//   send file=collab/task_assignment.json from=architect-main
//   ----
//   accepted offset=6
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace parley::scenarios {

// "take agent=developer-01 max=10 4-1": a name, options, and words that are neither; further lines are input.
class Command {
 public:
  // Spaces separate, but for those inside JSON strings, objects and arrays.
  static base::Result<Command> parse(std::string_view text);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& words() const { return words_; }
  const std::vector<std::string>& input() const { return input_; }

  // What is asked for counts as known; `unknown` names the options nobody asked for.
  std::string option(std::string_view key, std::string_view otherwise = {}) const;
  bool has(std::string_view key) const;
  std::vector<std::string> all(std::string_view key) const;  // of options that may be repeated, in order
  void forgive() const;                                      // nobody will ask: the command was refused at once
  std::string unknown() const;

 private:
  struct Option {
    std::string key, value;
    mutable bool asked = false;
  };
  std::string name_;
  std::vector<std::string> words_, input_;
  std::vector<Option> options_;
};

struct Block {
  int line = 0;         // of the command
  std::string before;   // blank lines and comments, as they are
  std::string command;  // as it is, input lines and all
  std::string expected;
};

struct Script {
  std::vector<Block> blocks;
  std::string after;  // what follows the last block

  static Script parse(std::string_view text);
  std::string text() const;
};

}  // namespace parley::scenarios
