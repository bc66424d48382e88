// Writing JSON: escapes, shortest doubles, indentation.
#include "json/writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/assert.hpp"
#include "base/utf8.hpp"

namespace parley::json {
namespace {

constexpr std::array<bool, 256> plain = [] {  // ASCII that stands in a string as it is
  std::array<bool, 256> table{};
  for (unsigned c = 0x20; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

// How many of the next bytes are plain for sure: eight at a time (Bit Twiddling Hacks, "Determine if a word has a byte
// less than n").
std::size_t plain_run(std::string_view text, std::size_t at) {
  constexpr std::uint64_t each = 0x0101010101010101, high = 0x80 * each;
  const std::size_t start = at;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    const auto has = [&](std::uint64_t byte) {
      const std::uint64_t zero_where_equal = word ^ (byte * each);
      return (zero_where_equal - each) & ~zero_where_equal;
    };
    if (((word | (word - 0x20 * each) | has('"') | has('\\')) & high) != 0) break;
  }
  return at - start;
}

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr char hex[] = "0123456789abcdef";
  out += "\\u00";
  out += hex[c >> 4];
  out += hex[c & 15];
}

bool all_plain(std::string_view text) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::size_t at = plain_run(text, 0);
  // The last ones together with some before them.
  if (at < text.size() && text.size() - at < word && text.size() >= word)
    return plain_run(text, text.size() - word) == word;
  while (at < text.size() && plain[static_cast<unsigned char>(text[at])]) ++at;
  return at == text.size();
}

// Most texts are plain: with what is around them they are one piece, and grow the string once.
bool append_plain(std::string& out, std::string_view text, std::string_view after) {
  if (!all_plain(text)) return false;
  const std::size_t before = out.size(), after_all = before + text.size() + after.size() + 2;
  // Its second argument is no help: libstdc++ 12 passes the capacity.
  out.resize_and_overwrite(after_all, [&](char* to, std::size_t) {
    to += before;
    *to++ = '"';
    to = std::copy(text.begin(), text.end(), to);
    *to++ = '"';
    std::copy(after.begin(), after.end(), to);
    return after_all;
  });
  return true;
}

template <class T>
void append_number(std::string& out, T number) {
  constexpr std::size_t longest = 24;
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + longest, [&](char* to, std::size_t) {
    return static_cast<std::size_t>(std::to_chars(to + before, to + before + longest, number).ptr - to);
  });
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  const std::size_t before = out.size(), after_all = before + text.size() + 2;
  out.resize_and_overwrite(after_all, [&](char* to, std::size_t) {
    to += before;
    *to++ = '"';
    to = std::copy(text.begin(), text.end(), to);
    *to = '"';
    return after_all;
  });
}

void append_string(std::string& out, std::string_view text) {
  if (append_plain(out, text, {})) return;
  out += '"';
  std::size_t done = 0, at = plain_run(text, 0);
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (plain[c]) [[likely]] {
      ++at;
      continue;
    }
    const std::size_t length = c < 0x80 ? 0 : base::first_character(text.substr(at)).bytes;
    if (length > 0) {
      at += length;
      continue;
    }
    out.append(text, done, at - done);
    if (c < 0x80)
      append_escape(out, c);
    else
      out += "\xEF\xBF\xBD";
    done = ++at;
  }
  out.append(text, done);
  out += '"';
}

Writer& Writer::open(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

Writer& Writer::close(char bracket) {
  PARLEY_ASSERT(depth_ > 0 && !after_key_);
  --depth_;
  if (!first_) new_line();
  out_ += bracket;
  first_ = false;
  return *this;
}

void Writer::separate_from_last() {
  if (depth_ == 0) return;
  if (!first_) out_ += ',';
  first_ = false;
  new_line();
}

void Writer::new_line() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(indent_), ' ');
}

Writer& Writer::key(std::string_view name) {
  separate();
  const std::string_view colon = indent_ == 0 ? ":" : ": ";
  if (!append_plain(out_, name, colon)) {
    append_string(out_, name);
    out_ += colon;
  }
  after_key_ = true;
  return *this;
}

Writer& Writer::integer(std::int64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

Writer& Writer::unsigned_integer(std::uint64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

Writer& Writer::real(double value) {
  PARLEY_ASSERT(std::isfinite(value));
  separate();
  const std::size_t start = out_.size();
  append_number(out_, value);
  if (out_.find_first_of(".e", start) == std::string::npos) out_ += ".0";
  return *this;
}

Writer& Writer::string(std::string_view text) {
  separate();
  append_string(out_, text);
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

Writer& Writer::value(const Value& copied) {
  switch (copied.type()) {
    case Type::absent:
    case Type::null:
      return null();
    case Type::boolean:
      return boolean(copied.as_bool());
    case Type::integer:
      return integer(copied.as_number().i);
    case Type::unsigned_integer:
      return unsigned_integer(copied.as_number().u);
    case Type::real:
      return real(copied.as_number().d);
    case Type::string:
      return string(copied.as_string());
    case Type::array:
      begin_array();
      for (const Value element : copied.elements()) value(element);
      return end_array();
    case Type::object:
      break;
  }
  begin_object();
  for (const auto [name, content] : copied.members()) key(name).value(content);
  return end_object();
}

std::string to_text(const Value& value, int indent) {
  std::string text;
  Writer(text, indent).value(value);
  return text;
}

}  // namespace parley::json
