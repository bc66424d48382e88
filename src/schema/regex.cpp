// From ECMA-262 to RE2. The only file that knows RE2.
#include "schema/regex.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

namespace parley::schema {
namespace {

using base::ErrorCode;

constexpr std::int64_t memory_max = 2 << 20;  // of one RE2: program and both DFAs
constexpr std::size_t pattern_bytes_max = 4096;

// ECMA's \s: WhiteSpace and LineTerminator. RE2's knows ASCII only.
constexpr std::string_view space_class =
    "\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
constexpr std::string_view not_space_class =
    "\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"
    "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

// Unicode's long names of general categories, as ECMA allows them.
std::string_view category(std::string_view name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"Letter", "L"},
      {"Cased_Letter", "LC"},
      {"Uppercase_Letter", "Lu"},
      {"Lowercase_Letter", "Ll"},
      {"Titlecase_Letter", "Lt"},
      {"Modifier_Letter", "Lm"},
      {"Other_Letter", "Lo"},
      {"Mark", "M"},
      {"Combining_Mark", "M"},
      {"Nonspacing_Mark", "Mn"},
      {"Spacing_Mark", "Mc"},
      {"Enclosing_Mark", "Me"},
      {"Number", "N"},
      {"Decimal_Number", "Nd"},
      {"digit", "Nd"},
      {"Letter_Number", "Nl"},
      {"Other_Number", "No"},
      {"Punctuation", "P"},
      {"punct", "P"},
      {"Connector_Punctuation", "Pc"},
      {"Dash_Punctuation", "Pd"},
      {"Open_Punctuation", "Ps"},
      {"Close_Punctuation", "Pe"},
      {"Initial_Punctuation", "Pi"},
      {"Final_Punctuation", "Pf"},
      {"Other_Punctuation", "Po"},
      {"Symbol", "S"},
      {"Math_Symbol", "Sm"},
      {"Currency_Symbol", "Sc"},
      {"Modifier_Symbol", "Sk"},
      {"Other_Symbol", "So"},
      {"Separator", "Z"},
      {"Space_Separator", "Zs"},
      {"Line_Separator", "Zl"},
      {"Paragraph_Separator", "Zp"},
      {"Other", "C"},
      {"Control", "Cc"},
      {"cntrl", "Cc"},
      {"Format", "Cf"},
      {"Surrogate", "Cs"},
      {"Private_Use", "Co"},
  };
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

std::unexpected<base::Error> refuse(std::string message, std::string hint = {}) {
  return base::fail(ErrorCode::SCHEMA_INVALID, std::move(message), {}, std::move(hint));
}

class Translation {
 public:
  explicit Translation(std::string_view ecma) : in_(ecma) {}

  base::Result<std::string> run() {
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '\\') {
        PARLEY_CHECK(escape(false));
      } else if (c == '[') {
        PARLEY_CHECK(char_class());
      } else if (c == '(') {
        PARLEY_CHECK(group());
      } else if (c == '.') {
        out_ += "[^\\n\\r\\x{2028}\\x{2029}]";
        ++at_;
      } else {
        out_ += c;
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  base::Result<> group() {
    const std::string_view rest = in_.substr(at_);
    if (rest.starts_with("(?=") || rest.starts_with("(?!") || rest.starts_with("(?<=") || rest.starts_with("(?<!"))
      return refuse("Lookahead and lookbehind are not supported in patterns.",
                    "Say it with `not`, `allOf` or several patterns.");
    if (rest.starts_with("(?:")) {
      out_ += "(?:";
      at_ += 3;
    } else if (rest.starts_with("(?<")) {
      const auto end = rest.find('>');
      if (end == rest.npos) return refuse("A group's name does not end.");
      out_ += "(?:";
      at_ += end + 1;
    } else if (rest.starts_with("(?")) {
      return refuse("A group begins with '(?' and nothing ECMA-262 knows.");
    } else {
      out_ += "(?:";
      at_ += 1;
    }
    return {};
  }

  base::Result<> char_class() {
    ++at_;
    const bool negated = peek() == '^';
    if (negated) ++at_;
    if (peek() == ']') {  // RE2 would take the bracket as a member
      ++at_;
      out_ += negated ? "(?s:.)" : "[^\\x00-\\x{10FFFF}]";
      return {};
    }
    out_ += negated ? "[^" : "[";
    while (at_ < in_.size() && in_[at_] != ']') {
      if (in_[at_] == '\\') {
        PARLEY_CHECK(escape(true));
        continue;
      }
      if (in_[at_] == '[' || in_[at_] == '^') out_ += '\\';
      out_ += in_[at_++];
    }
    if (at_ == in_.size()) return refuse("A character class does not end.");
    ++at_;
    out_ += ']';
    return {};
  }

  base::Result<> escape(bool in_class) {
    ++at_;
    if (at_ == in_.size()) return refuse("A pattern ends with '\\'.");
    const char c = in_[at_++];
    switch (c) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 't':
      case 'n':
      case 'v':
      case 'f':
      case 'r':
        append(std::string{'\\', c});
        return {};
      case 's':
        append_class(in_class, space_class);
        return {};
      case 'S':
        append_class(in_class, not_space_class);
        return {};
      case 'b':
        append(in_class ? "\\x08" : "\\b");
        return {};
      case 'B':
        if (in_class) return refuse("'\\B' stands in a character class.");
        append("\\B");
        return {};
      case '0':
        if (peek() >= '0' && peek() <= '9') return refuse("Octal escapes are not of ECMA-262.");
        append("\\x00");
        return {};
      case 'c':
        return control();
      case 'x':
        return hex(2);
      case 'u':
        return unicode();
      case 'p':
      case 'P':
        return property(c);
      case 'k':
        return refuse("Back references are not supported in patterns.");
      default:
        break;
    }
    if (c >= '1' && c <= '9') return refuse("Back references are not supported in patterns.");
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || byte >= 0x80)
      return refuse(std::string("'\\") + c + "' is no escape of ECMA-262.");
    append(std::string{'\\', c});
    return {};
  }

  base::Result<> control() {
    const char c = peek();
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return refuse("'\\c' is followed by a letter.");
    ++at_;
    append_code_point(static_cast<unsigned>(c) % 32);
    return {};
  }

  std::optional<unsigned> read_hex(std::size_t from, std::size_t digits) const {
    if (from + digits > in_.size()) return std::nullopt;
    unsigned value = 0;
    const char* const start = in_.data() + from;
    if (*start == '-') return std::nullopt;
    const auto [end, error] = std::from_chars(start, start + digits, value, 16);
    return error == std::errc() && end == start + digits ? std::optional(value) : std::nullopt;
  }

  base::Result<> hex(std::size_t digits) {
    const auto value = read_hex(at_, digits);
    if (!value) return refuse("An escape lacks hexadecimal digits.");
    at_ += digits;
    append_code_point(*value);
    return {};
  }

  base::Result<> unicode() {
    if (peek() == '{') {
      const auto end = in_.find('}', at_);
      const auto value = end == in_.npos || end - at_ > 8 ? std::nullopt : read_hex(at_ + 1, end - at_ - 1);
      if (!value || *value > 0x10FFFF) return refuse("'\\u{…}' names no code point.");
      at_ = end + 1;
      append_code_point(*value);
      return {};
    }
    auto value = read_hex(at_, 4);
    if (!value) return refuse("An escape lacks hexadecimal digits.");
    at_ += 4;
    if (*value >= 0xD800 && *value <= 0xDBFF && in_.substr(at_, 2) == "\\u") {
      const auto low = read_hex(at_ + 2, 4);
      if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
        value = 0x10000 + ((*value - 0xD800) << 10) + (*low - 0xDC00);
        at_ += 6;
      }
    }
    append_code_point(*value);
    return {};
  }

  base::Result<> property(char c) {
    const auto end = in_.find('}', at_);
    if (peek() != '{' || end == in_.npos) return refuse("'\\p' is followed by a property in braces.");
    std::string_view name = in_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    for (const std::string_view prefix : {"General_Category=", "gc=", "Script=", "sc=", "Script_Extensions=", "scx="})
      if (name.starts_with(prefix)) {
        name.remove_prefix(prefix.size());
        break;
      }
    if (name == "ASCII") {
      append(c == 'p' ? "[:ascii:]" : "[:^ascii:]");
      return {};
    }
    const std::string_view known = category(name);
    if (known == "LC") {
      if (c == 'P') return refuse("'\\P{LC}' is not supported in patterns.");
      append_class(false, "\\p{Lu}\\p{Ll}\\p{Lt}");
      return {};
    }
    append(std::string("\\") + c + "{" + std::string(known) + "}");
    return {};
  }

  void append(std::string_view text) { out_ += text; }
  void append_class(bool in_class, std::string_view members) {
    if (in_class)
      out_ += members;
    else
      out_.append("[").append(members).append("]");
  }
  void append_code_point(unsigned value) {
    char text[8];
    out_.append("\\x{").append(text, std::to_chars(text, text + sizeof text, value, 16).ptr).append("}");
  }
  char peek() const { return at_ < in_.size() ? in_[at_] : '\0'; }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
};

// A pattern of the form ^ class{m,n} class{m,n} … $, of ASCII classes that leave no choice where one ends and the next
// begins; ids, digests, versions and prefixes are of this form. Matched by one pass without backtracking.
class Row {
 public:
  static std::optional<Row> of(std::string_view ecma) {
    Row row;
    if (!ecma.starts_with('^')) return std::nullopt;
    ecma.remove_prefix(1);
    while (!ecma.empty()) {
      if (ecma == "$") {
        row.anchored_ = true;
        break;
      }
      Item item;
      if (!read_class(ecma, item.members) || !read_counts(ecma, item)) return std::nullopt;
      row.items_.push_back(item);
    }
    return row.leaves_no_choice() ? std::optional(std::move(row)) : std::nullopt;
  }

  bool matches(std::string_view text) const {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (const Item& item : items_) {
      const auto most = std::min<std::size_t>(item.most, static_cast<std::size_t>(end - at));
      std::size_t count = 0;
      while (count < most && item.members[static_cast<unsigned char>(at[count])]) ++count;
      if (count < item.least) return false;
      at += count;
    }
    return !anchored_ || at == end;
  }

 private:
  static constexpr std::uint32_t unbounded = UINT32_MAX;
  using Class = std::array<bool, 256>;
  struct Item {
    Class members{};
    std::uint32_t least = 1, most = 1;
  };

  static bool is_plain(char c) {
    return c >= 0x20 && c < 0x7F && std::string_view("\\^$.*+?()[]{}|").find(c) == std::string_view::npos;
  }

  static bool read_class(std::string_view& text, Class& members) {
    if (text[0] == '\\') return read_escape(text, members);
    if (text[0] != '[') {
      if (!is_plain(text[0])) return false;
      members[static_cast<unsigned char>(text[0])] = true;
      text.remove_prefix(1);
      return true;
    }
    text.remove_prefix(1);
    if (text.empty() || text[0] == '^' || text[0] == ']') return false;
    while (!text.empty() && text[0] != ']') {
      if (text[0] == '\\') {
        if (!read_escape(text, members) || (text.starts_with('-') && !text.starts_with("-]"))) return false;
        continue;
      }
      const char low = text[0];
      if (!is_plain(low) && std::string_view("$.*+?(){}|").find(low) == std::string_view::npos) return false;
      text.remove_prefix(1);
      char high = low;
      if (text.size() > 1 && text[0] == '-' && text[1] != ']') {
        high = text[1];
        if (!is_plain(high) || high < low) return false;
        text.remove_prefix(2);
      }
      for (char c = low; c <= high; ++c) members[static_cast<unsigned char>(c)] = true;
    }
    if (text.empty()) return false;
    text.remove_prefix(1);
    return true;
  }

  static bool read_escape(std::string_view& text, Class& members) {
    if (text.size() < 2) return false;
    const char c = text[1];
    if (c == 'd' || c == 'w')
      for (char digit = '0'; digit <= '9'; ++digit) members[static_cast<unsigned char>(digit)] = true;
    if (c == 'w') {
      for (char letter = 'a'; letter <= 'z'; ++letter) members[static_cast<unsigned char>(letter)] = true;
      for (char letter = 'A'; letter <= 'Z'; ++letter) members[static_cast<unsigned char>(letter)] = true;
      members['_'] = true;
    }
    if (c != 'd' && c != 'w') {
      if (c <= 0x20 || c >= 0x7F || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return false;
      members[static_cast<unsigned char>(c)] = true;
    }
    text.remove_prefix(2);
    return true;
  }

  static bool read_counts(std::string_view& text, Item& item) {
    if (text.empty()) return true;
    const char c = text[0];
    if (c == '*' || c == '+' || c == '?') {
      item.least = c == '+';
      item.most = c == '?' ? 1 : unbounded;
      text.remove_prefix(1);
    } else if (c == '{') {
      const char* at = text.data() + 1;
      const char* const end = text.data() + text.size();
      auto read = std::from_chars(at, end, item.least);
      if (read.ec != std::errc() || read.ptr == end) return false;
      item.most = item.least;
      if (*read.ptr == ',') {
        item.most = unbounded;
        at = read.ptr + 1;
        if (at != end && *at != '}') {
          read = std::from_chars(at, end, item.most);
          if (read.ec != std::errc()) return false;
        } else {
          read.ptr = at;
        }
      }
      if (read.ptr == end || *read.ptr != '}' || item.least > item.most) return false;
      if (item.least > 1000 || (item.most != unbounded && item.most > 1000)) return false;  // RE2 will refuse it
      text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()) + 1);
    }
    return text.empty() || (text[0] != '?' && text[0] != '*' && text[0] != '+' && text[0] != '{');
  }

  static bool overlap(const Class& a, const Class& b) {
    for (std::size_t c = 0; c < a.size(); ++c)
      if (a[c] && b[c]) return true;
    return false;
  }

  bool leaves_no_choice() const {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].least == items_[i].most) continue;
      for (std::size_t next = i + 1; next < items_.size(); ++next) {
        if (overlap(items_[i].members, items_[next].members)) return false;
        if (items_[next].least > 0) break;
      }
    }
    return true;
  }

  std::vector<Item> items_;
  bool anchored_ = false;
};

}  // namespace

struct Regex::State {
  std::string source;
  std::optional<Row> row;
  std::unique_ptr<RE2> automaton;
};

base::Result<std::string> translate_regex(std::string_view ecma) {
  return Translation(ecma).run();
}

base::Result<Regex> Regex::compile(std::string_view ecma) {
  if (ecma.size() > pattern_bytes_max)
    return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX,
                      "A pattern is longer than " + std::to_string(pattern_bytes_max) + " bytes.");
  PARLEY_TRY(const std::string translated, translate_regex(ecma));
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory_max);
  auto state = std::make_shared<State>();
  state->source = ecma;
  state->row = Row::of(ecma);
  state->automaton = std::make_unique<RE2>(translated, options);
  if (!state->automaton->ok()) {
    const auto code = state->automaton->error_code();
    const bool large = code == RE2::ErrorPatternTooLarge || code == RE2::ErrorRepeatSize;
    return base::fail(large ? ErrorCode::SCHEMA_TOO_COMPLEX : ErrorCode::SCHEMA_INVALID,
                      "A pattern cannot be compiled: " + state->automaton->error() + ".");
  }
  Regex regex;
  regex.state_ = std::move(state);
  return regex;
}

bool Regex::matches(std::string_view text) const {
  if (state_->row) return state_->row->matches(text);
  return state_->automaton->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), RE2::UNANCHORED, nullptr,
                                  0);
}

const std::string& Regex::source() const {
  return state_->source;
}

std::size_t Regex::cost() const {
  return static_cast<std::size_t>(state_->automaton->ProgramSize());
}

}  // namespace parley::schema
