#include "printed.hpp"

#include <array>
#include <utility>

namespace parley::seeds {
namespace {

constexpr std::string_view fence = "```";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string heading_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of("#* ");
  const std::size_t last = line.find_last_not_of("*: ");
  return first == std::string_view::npos ? std::string() : std::string(line.substr(first, last + 1 - first));
}

// Words that stand for a value. The ids are version 4 UUIDs, as the documents ask for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> placeholders{{
    {"unique_uuid", "5b0e1f7a-3c52-4e0b-9d3e-6a1f0c2b4d11"},
    {"original_message_id", "5b0e1f7a-3c52-4e0b-9d3e-6a1f0c2b4d12"},
    {"original_task_id", "5b0e1f7a-3c52-4e0b-9d3e-6a1f0c2b4d12"},  // R38: a delegation's id is its task's
    {"github_event_id", "gh-20251020-000123"},
    {"owner/repo_name", "owner/repo_name"},
    {"msg-{timestamp}-{agent}-{sequence}", "msg-20251022120000-architecture-agent-001"},
}};

// The one object printed as `{ ... }` is a workflow_plan (001, Shared State File); this is the one 001 prints in full.
constexpr std::string_view left_out = "{ ... }";
constexpr std::string_view workflow_plan = R"({
  "complexity": "medium", "parallel_developers": 2,
  "stages": ["architecture", "dependencies", "validation", "arbitration", "integration", "testing"]
})";

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" \"{}[],:") == std::string_view::npos;
}

// "high|medium|low" → high, medium, low; anything else is one text.
std::vector<std::string> alternatives_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    if (!is_word(text.substr(at, end - at))) return {std::string(text)};
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string filled(std::string text) {
  for (const auto& [placeholder, value] : placeholders)
    if (text == placeholder) return std::string(value);
  return text;
}

// A printed block as plain pieces and choices between string literals, in turn.
struct Template {
  std::vector<std::string> pieces{""};            // one more than choices
  std::vector<std::vector<std::string>> choices;  // each at least one literal, quotes included
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Template read() {
    while (at_ < text_.size()) {
      if (text_[at_] == '"') {
        read_string();
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with(left_out)) {
        out_.pieces.back() += workflow_plan;
        at_ += left_out.size();
      } else {
        out_.pieces.back() += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  // A string literal, and those that follow it after a bar: "a" | "b".
  void read_string() {
    std::vector<std::string> literals;
    do {
      for (const std::string& word : alternatives_in(literal())) literals.push_back('"' + filled(word) + '"');
    } while (skip_bar());
    if (literals.size() == 1) {
      out_.pieces.back() += literals.front();
      return;
    }
    out_.choices.push_back(std::move(literals));
    out_.pieces.emplace_back();
  }

  // The inside of the literal that begins here; the documents print no escapes inside placeholders.
  std::string_view literal() {
    const std::size_t first = ++at_;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    return text_.substr(first, at_++ - first);
  }

  bool skip_bar() {
    const std::size_t next = text_.find_first_not_of(' ', at_);
    if (next == std::string_view::npos || text_[next] != '|') return false;
    at_ = text_.find('"', next);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Template out_;
};

// The text with choice `which` at its alternative `number`, all others at their first.
std::string chosen(const Template& text, std::size_t which, std::size_t number) {
  std::string out = text.pieces.front();
  for (std::size_t i = 0; i < text.choices.size(); ++i) {
    out += text.choices[i][i == which ? number : 0];
    out += text.pieces[i + 1];
  }
  return out;
}

}  // namespace

std::vector<Block> json_blocks(std::string_view document) {
  std::vector<Block> blocks;
  std::string heading;
  bool inside = false, is_json = false;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(document)) {
    ++number;
    if (line.starts_with(fence)) {
      is_json = !inside && line == "```json";
      inside = !inside;
      if (is_json) blocks.push_back({number, heading, {}});
    } else if (inside) {
      if (is_json) blocks.back().text += std::string(line) + '\n';
    } else if (line.starts_with('#') || line.starts_with("**Example: ")) {
      heading = heading_of(line);
    }
  }
  return blocks;
}

std::vector<std::string> filled_in(std::string_view printed) {
  const Template text = Reader(printed).read();
  std::vector<std::string> texts{chosen(text, 0, 0)};
  for (std::size_t i = 0; i < text.choices.size(); ++i)
    for (std::size_t n = 1; n < text.choices[i].size(); ++n) texts.push_back(chosen(text, i, n));
  return texts;
}

}  // namespace parley::seeds
