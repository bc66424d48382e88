// A scanner of RFC 8259 with an explicit stack. Never on the path of a text that is accepted.
#include "json/fault.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace parley::json {
namespace {

class Scanner {
 public:
  Scanner(std::string_view bytes, const Limits& limits) : bytes_(bytes), limits_(limits) {}

  std::optional<Fault> run() {
    if (bytes_.starts_with("\xEF\xBB\xBF")) return Fault{0, "A byte order mark stands before the text."};
    skip_space();
    if (at_end()) return Fault{at_, "The text is empty."};
    scan_text();
    return std::move(fault_);
  }

 private:
  void scan_text() {
    do {
      if (!scan_value()) return;
      if (opened_) continue;
      if (!leave_finished()) return;
    } while (!open_.empty());
    skip_space();
    if (!at_end()) fail("Bytes follow the JSON text");
  }

  // One scalar, or the start of an object (with its first key) or array.
  bool scan_value() {
    opened_ = false;
    skip_space();
    if (at_end()) return fail("The text ends where a value is expected");
    switch (bytes_[at_]) {
      case '{':
        return open('{') && (try_close('}') || scan_key());
      case '[':
        return open('[') && (try_close(']') || true);
      case '"':
        return scan_string();
      case 't':
        return scan_word("true");
      case 'f':
        return scan_word("false");
      case 'n':
        return scan_word("null");
      default:
        return scan_number();
    }
  }

  bool open(char bracket) {
    if (open_.size() == limits_.depth)
      return fail("Objects and arrays are nested deeper than " + std::to_string(limits_.depth));
    open_.push_back(bracket);
    opened_ = true;
    ++at_;
    return true;
  }

  bool try_close(char bracket) {
    skip_space();
    if (at_end() || bytes_[at_] != bracket) return false;
    ++at_;
    open_.pop_back();
    opened_ = false;
    return true;
  }

  bool scan_key() {
    skip_space();
    if (at_end() || bytes_[at_] != '"') return fail("Expected a key in quotes");
    if (!scan_string()) return false;
    skip_space();
    if (at_end() || bytes_[at_] != ':') return fail("Expected ':' after a key");
    ++at_;
    return true;
  }

  // After a value: closes what ends here, or goes past the ',' to the next value.
  bool leave_finished() {
    while (!open_.empty()) {
      skip_space();
      const bool object = open_.back() == '{';
      if (!at_end() && bytes_[at_] == ',') {
        ++at_;
        return !object || scan_key();
      }
      if (!try_close(object ? '}' : ']'))
        return fail(object ? "Expected ',' or '}' after a member" : "Expected ',' or ']' after an element");
    }
    return true;
  }

  bool scan_word(std::string_view word) {
    if (bytes_.substr(at_, word.size()) != word) return fail("Expected a value");
    at_ += word.size();
    return ends_scalar();
  }

  bool ends_scalar() {
    if (at_end()) return true;
    const char c = bytes_[at_];
    const bool ends = is_space(c) || c == ',' || c == ':' || c == ']' || c == '}' || c == '[' || c == '{' || c == '"';
    return ends || fail("A value goes on in a way no JSON value does");
  }

  bool scan_number() {
    const std::size_t start = at_;
    if (peek() == '-') ++at_;
    if (!base::is_digit(peek())) return fail("Expected a value");
    if (peek() == '0' && base::is_digit(peek(1))) return fail("A number begins with a superfluous zero");
    skip_digits();
    bool integer = true;
    if (peek() == '.') {
      integer = false;
      ++at_;
      if (!base::is_digit(peek())) return fail("Expected a digit after '.'");
      skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      integer = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!base::is_digit(peek())) return fail("Expected a digit of an exponent");
      skip_digits();
    }
    if (!ends_scalar()) return false;
    return is_in_range(start, integer);
  }

  bool is_in_range(std::size_t start, bool integer) {
    const std::string_view text = bytes_.substr(start, at_ - start);
    if (text.size() > limits_.number_chars) {
      at_ = start;
      return fail("A number is longer than " + std::to_string(limits_.number_chars) + " characters");
    }
    const char* const end = text.data() + text.size();
    if (integer) {
      std::int64_t small;
      std::uint64_t large;
      if (std::from_chars(text.data(), end, small).ec == std::errc()) return true;
      if (text[0] != '-' && std::from_chars(text.data(), end, large).ec == std::errc()) return true;
      at_ = start;
      return fail("An integer does not fit 64 bits");
    }
    // from_chars reports overflow and underflow alike; only overflow is refused.
    const double value = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isfinite(value)) return true;
    at_ = start;
    return fail("A number is too large for a double");
  }

  bool scan_string() {
    ++at_;
    while (!at_end()) {
      const auto c = static_cast<unsigned char>(bytes_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < 0x20) return fail("A control character stands unescaped in a string");
      if (c == '\\' ? !scan_escape() : !scan_code_point()) return false;
    }
    return fail("A string does not end");
  }

  bool scan_escape() {
    const char c = peek(1);
    if (c == 'u') return scan_unicode_escape();
    if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos)
      return fail("A string has an escape that JSON does not know");
    at_ += 2;
    return true;
  }

  bool scan_unicode_escape() {
    const int unit = hex4(at_ + 2);
    if (unit < 0) return fail("Expected four hexadecimal digits after \\u");
    if (unit >= 0xDC00 && unit <= 0xDFFF) return fail("A lone surrogate is no character");
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      const int low = peek(6) == '\\' && peek(7) == 'u' ? hex4(at_ + 8) : -1;
      if (low < 0xDC00 || low > 0xDFFF) return fail("A lone surrogate is no character");
      at_ += 6;
    }
    at_ += 6;
    return true;
  }

  int hex4(std::size_t from) const {
    int value = 0;
    const std::string_view text = from < bytes_.size() ? bytes_.substr(from, 4) : std::string_view();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    const bool whole = text.size() == 4 && text[0] != '-' && error == std::errc() && end == text.data() + 4;
    return whole ? value : -1;
  }

  bool scan_code_point() {
    const std::size_t length = base::first_character(bytes_.substr(at_)).bytes;
    if (length == 0) return fail("A string is not valid UTF-8");
    at_ += length;
    return true;
  }

  bool fail(std::string message) {
    if (!fault_) fault_ = Fault{at_, std::move(message) + found()};
    return false;
  }

  std::string found() const {
    if (at_end()) return "; the text ends here.";
    const auto c = static_cast<unsigned char>(bytes_[at_]);
    if (c > 0x20 && c < 0x7F) return std::string("; found '") + bytes_[at_] + "'.";
    char text[16];
    const auto end = std::to_chars(text, text + sizeof text, static_cast<unsigned>(c), 16).ptr;
    return "; found byte 0x" + std::string(text, end) + ".";
  }

  bool at_end() const { return at_ >= bytes_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < bytes_.size() ? bytes_[at_ + ahead] : '\0'; }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void skip_space() {
    while (!at_end() && is_space(bytes_[at_])) ++at_;
  }
  void skip_digits() {
    while (base::is_digit(peek())) ++at_;
  }

  std::string_view bytes_;
  const Limits& limits_;
  std::size_t at_ = 0;
  std::vector<char> open_;
  bool opened_ = false;  // the value just scanned opened a container that still has content
  std::optional<Fault> fault_;
};

}  // namespace

std::optional<Fault> find_fault(std::string_view bytes, const Limits& limits) {
  return Scanner(bytes, limits).run();
}

}  // namespace parley::json
