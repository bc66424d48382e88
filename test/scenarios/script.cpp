#include "script.hpp"

namespace parley::scenarios {
namespace {

constexpr std::string_view divider = "----";

base::Result<std::vector<std::string>> tokens(std::string_view line) {
  std::vector<std::string> tokens;
  std::string token;
  int depth = 0;
  bool in_string = false;
  bool escaped = false;
  for (const char c : line) {
    if (in_string) {
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ' ' && depth == 0) {
      if (!token.empty()) tokens.push_back(std::exchange(token, {}));
      continue;
    }
    token += c;
  }
  if (in_string || depth != 0)
    return base::fail(base::ErrorCode::BAD_REQUEST, "a string or bracket is not closed: " + std::string(line));
  if (!token.empty()) tokens.push_back(token);
  return tokens;
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

}  // namespace

base::Result<Command> Command::parse(std::string_view text) {
  Command command;
  PARLEY_TRY(const std::vector<std::string> parts, tokens(next_line(text)));
  while (!text.empty())
    if (const std::string_view line = next_line(text); !line.empty()) command.input_.emplace_back(line);
  for (const std::string& part : parts) {
    const std::size_t equals = part.find('=');
    if (command.name_.empty())
      command.name_ = part;
    else if (equals == std::string::npos || part.front() == '/' || part.front() == '{')
      command.words_.push_back(part);
    else
      command.options_.push_back({part.substr(0, equals), part.substr(equals + 1)});
  }
  return command;
}

std::string Command::option(std::string_view key, std::string_view otherwise) const {
  const std::vector<std::string> values = all(key);
  return values.empty() ? std::string(otherwise) : values.front();
}

bool Command::has(std::string_view key) const {
  return !all(key).empty();
}

std::vector<std::string> Command::all(std::string_view key) const {
  std::vector<std::string> values;
  for (const Option& option : options_) {
    if (option.key != key) continue;
    option.asked = true;
    values.push_back(option.value);
  }
  return values;
}

void Command::forgive() const {
  for (const Option& option : options_) option.asked = true;
}

std::string Command::unknown() const {
  std::string names;
  for (const Option& option : options_)
    if (!option.asked) names += ' ' + option.key;
  return names;
}

Script Script::parse(std::string_view text) {
  Script script;
  Block block;
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    ++number;
    if (block.command.empty() && (line.empty() || line.front() == '#')) {
      block.before.append(line) += '\n';
      continue;
    }
    if (block.command.empty()) block.line = number;
    if (line != divider && !line.empty()) {
      block.command.append(line) += '\n';
      continue;
    }
    if (line == divider) {
      for (std::string_view result; !text.empty() && !(result = next_line(text)).empty(); ++number)
        block.expected.append(result) += '\n';
      ++number;
    }
    // Without a divider: a command just written, which has no result yet.
    script.blocks.push_back(std::exchange(block, {}));
    block.before = "\n";
  }
  if (!block.command.empty()) script.blocks.push_back(std::exchange(block, {}));
  script.after = block.before == "\n" ? std::string() : block.before;
  return script;
}

std::string Script::text() const {
  std::string text;
  for (const Block& block : blocks) {
    text.append(block.before).append(block.command).append(divider) += '\n';
    text.append(block.expected);
  }
  return text + after;
}

}  // namespace parley::scenarios
