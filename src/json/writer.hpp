// Documents to bytes: appends JSON to a string, compact or indented. Resource type, lives on a stack.
// Commas and colons come by themselves; that calls are in an order that makes sense is the caller's business.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "json/value.hpp"

namespace parley::json {

// A member's name that is known when this is compiled: `,"name":` as one text.
template <std::size_t size>
struct Name {
  consteval Name(const char (&name)[size]) {
    char* at = text;
    for (const char c : {',', '"'}) *at++ = c;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      if (name[i] < ' ' || name[i] > '~' || name[i] == '"' || name[i] == '\\') throw "a name that needs no escapes";
      *at++ = name[i];
    }
    for (const char c : {'"', ':'}) *at++ = c;
  }
  constexpr std::string_view after_another() const { return {text, size + 3}; }
  constexpr std::string_view first() const { return {text + 1, size + 2}; }
  constexpr std::string_view plain() const { return {text + 2, size - 1}; }

  char text[size + 3]{};
};

// A text that needs no escapes, by the way it was made: digits, times, words of the program's own.
struct Plain {
  std::string_view text;
};

// `text` with quotes and escapes.
void append_string(std::string& out, std::string_view text);

// With quotes alone: it needs no escapes.
void append_quoted(std::string& out, std::string_view text);

class Writer {
 public:
  explicit Writer(std::string& out, int indent = 0) : out_(out), indent_(indent) {}  // spaces per level; 0: compact

  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }
  Writer& key(std::string_view name);
  template <Name name>
  Writer& key() {
    if (indent_ > 0) return key(name.plain());
    out_.append(first_ ? name.first() : name.after_another());
    first_ = false;
    after_key_ = true;
    return *this;
  }

  Writer& null() { return raw("null"); }
  Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  Writer& integer(std::int64_t value);
  Writer& unsigned_integer(std::uint64_t value);
  Writer& real(double value);             // finite; shortest text that reads back the same, and as a double
  Writer& string(std::string_view text);  // what is not UTF-8 becomes U+FFFD
  Writer& plain(Plain content) {
    separate();
    append_quoted(out_, content.text);
    return *this;
  }
  Writer& raw(std::string_view json);  // JSON already, embedded as it is
  Writer& value(const Value& copied);  // of another document

  template <class T>
  Writer& member(std::string_view name, const T& content) {
    return key(name).any(content);
  }
  template <Name name, class T>  // for what is written for each message
  Writer& member(const T& content) {
    return key<name>().any(content);
  }

 private:
  template <class T>
  Writer& any(const T& content) {
    if constexpr (std::is_same_v<T, bool>)
      return boolean(content);
    else if constexpr (std::is_floating_point_v<T>)
      return real(content);
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      return integer(content);
    else if constexpr (std::is_integral_v<T>)
      return unsigned_integer(content);
    else if constexpr (std::is_same_v<T, Value>)
      return value(content);
    else if constexpr (std::is_same_v<T, Plain>)
      return plain(content);
    else
      return string(content);
  }
  Writer& open(char bracket);
  Writer& close(char bracket);
  void separate() {
    if (!std::exchange(after_key_, false)) separate_from_last();
  }
  void separate_from_last();
  void new_line();

  std::string& out_;
  int indent_;
  int depth_ = 0;
  bool first_ = true;       // nothing stands yet at this level
  bool after_key_ = false;  // the next value needs no comma
};

std::string to_text(const Value& value, int indent = 0);

}  // namespace parley::json
