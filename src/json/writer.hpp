// Documents to bytes: appends JSON to a string, compact or indented. Resource type, lives on a stack.
// Commas and colons come by themselves; that calls are in an order that makes sense is the caller's business.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "json/value.hpp"

namespace parley::json {

class Writer {
 public:
  explicit Writer(std::string& out, int indent = 0) : out_(out), indent_(indent) {}  // spaces per level; 0: compact

  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }
  Writer& key(std::string_view name);

  Writer& null() { return raw("null"); }
  Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  Writer& integer(std::int64_t value);
  Writer& unsigned_integer(std::uint64_t value);
  Writer& real(double value);             // finite; shortest text that reads back the same, and as a double
  Writer& string(std::string_view text);  // what is not UTF-8 becomes U+FFFD
  Writer& raw(std::string_view json);     // JSON already, embedded as it is
  Writer& value(const Value& copied);     // of another document

  template <class T>
  Writer& member(std::string_view name, const T& content) {
    key(name);
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
    else
      return string(content);
  }

 private:
  Writer& open(char bracket);
  Writer& close(char bracket);
  void separate();
  void new_line();

  std::string& out_;
  int indent_;
  int depth_ = 0;
  bool first_ = true;       // nothing stands yet at this level
  bool after_key_ = false;  // the next value needs no comma
};

// `text` with quotes and escapes.
void append_string(std::string& out, std::string_view text);

std::string to_text(const Value& value, int indent = 0);

}  // namespace parley::json
