#include "base/glob_overlap.hpp"

#include <array>
#include <vector>

namespace parley::base {
namespace {

enum class Kind : std::uint8_t { letter, one, star, names, rest, end };  // `names`: "**/", `rest`: "**" at the end
struct Token {
  Kind kind = Kind::end;
  char letter = 0;
};

std::vector<Token> tokens_of(std::string_view glob) {
  std::vector<Token> tokens;
  tokens.reserve(glob.size() + 2);
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const bool at_name = i == 0 || glob[i - 1] == '/';
    if (at_name && glob.substr(i) == "**") return tokens.push_back({Kind::rest, 0}), tokens.push_back({}), tokens;
    if (at_name && glob.substr(i).starts_with("**/")) {
      tokens.push_back({Kind::names, 0});
      i += 2;
    } else if (glob[i] == '*') {
      tokens.push_back({Kind::star, 0});
    } else {
      tokens.push_back({glob[i] == '?' ? Kind::one : Kind::letter, glob[i]});
    }
  }
  tokens.push_back({});
  return tokens;
}

bool takes(const Token& token, char c) {
  switch (token.kind) {
    case Kind::letter:
      return token.letter == c;
    case Kind::one:
    case Kind::star:
      return c != '/';
    case Kind::names:
    case Kind::rest:
      return true;
    case Kind::end:
      break;
  }
  return false;
}

bool stays(const Token& token) {
  return token.kind == Kind::star || token.kind == Kind::names || token.kind == Kind::rest;
}

// A path that both match, looked for letter by letter; where both take any letter, one stands for all but '/'.
class Walk {
 public:
  Walk(std::string_view one, std::string_view other, std::uint64_t& steps)
      : a_(tokens_of(one)), b_(tokens_of(other)), seen_(a_.size() * b_.size() * 2), steps_(steps) {}

  bool run() {
    reach(0, 0, true);
    while (!open_.empty()) {
      const Place at = open_.back();
      open_.pop_back();
      ++steps_;
      if (ends(at)) return true;
      skip(at);
      step(at);
    }
    return false;
  }

 private:
  struct Place {
    std::size_t a, b;
    bool at_name;  // at the beginning of a name
  };

  void reach(std::size_t a, std::size_t b, bool at_name) {
    const std::size_t number = (a * b_.size() + b) * 2 + (at_name ? 1 : 0);
    if (seen_[number]) return;
    seen_[number] = true;
    open_.push_back({a, b, at_name});
  }
  bool ends(const Place& at) const {
    const auto over = [](const Token& token) { return token.kind == Kind::end || token.kind == Kind::rest; };
    return !at.at_name && over(a_[at.a]) && over(b_[at.b]);
  }
  static bool may_skip(const Token& token, bool at_name) {
    return token.kind == Kind::star || (token.kind == Kind::names && at_name);
  }
  void skip(const Place& at) {
    if (may_skip(a_[at.a], at.at_name)) reach(at.a + 1, at.b, at.at_name);
    if (may_skip(b_[at.b], at.at_name)) reach(at.a, at.b + 1, at.at_name);
  }
  void step(const Place& at) {
    const Token &a = a_[at.a], &b = b_[at.b];
    const char some = a.kind == Kind::letter ? a.letter : b.kind == Kind::letter ? b.letter : 'x';
    for (const char c : std::array{some, '/'}) {
      if (!takes(a, c) || !takes(b, c) || (c == '/' && at.at_name)) continue;
      reach(stays(a) ? at.a : at.a + 1, stays(b) ? at.b : at.b + 1, c == '/');
    }
  }

  const std::vector<Token> a_, b_;
  std::vector<bool> seen_;
  std::vector<Place> open_;
  std::uint64_t& steps_;
};

bool is_letter(std::string_view glob, std::size_t at) {
  return at < glob.size() && glob[at] != '*' && glob[at] != '?';
}

// How far both begin with the same letters, before any wildcard.
std::size_t shared_letters(std::string_view one, std::string_view other) {
  std::size_t at = 0;
  while (is_letter(one, at) && is_letter(other, at) && one[at] == other[at]) ++at;
  return at;
}

}  // namespace

bool globs_overlap(std::string_view one, std::string_view other, std::uint64_t& steps) {
  ++steps;
  const std::string_view shared = one.substr(0, shared_letters(one, other));
  const bool one_goes_on = is_letter(one, shared.size()), other_goes_on = is_letter(other, shared.size());
  const bool parts = (one_goes_on && (other_goes_on || shared.size() == other.size())) ||
                     (other_goes_on && shared.size() == one.size());
  if (parts || shared.starts_with('/') || shared.contains("//")) return false;  // no name of a path is empty
  const std::size_t folders = shared.rfind('/') + 1;                            // 0 without any
  return Walk(one.substr(folders), other.substr(folders), steps).run();
}

}  // namespace parley::base
