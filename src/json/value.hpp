// A place in a parsed document: a light cursor over simdjson's tape (its doc/tape.md), valid as long as the document
// is. Value type, 24 bytes, trivially copyable. A thing that is not there is a Value too, of type `absent`, so that
// look-ups chain: `root.find("task").find("id").if_string()`.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/assert.hpp"
#include "json/number.hpp"

namespace parley::json {

enum class Type : std::uint8_t {
  absent,
  null,
  boolean,
  integer,           // fits int64
  unsigned_integer,  // above INT64_MAX, fits uint64
  real,              // written with a fraction or an exponent
  string,
  array,
  object,
};

std::string_view to_text(Type type);  // JSON Schema's words: "null", "boolean", "integer", "number", …

class Members;
class Elements;

class Value {
 public:
  Value() = default;  // absent
  Value(const std::uint64_t* words, const std::uint8_t* strings, std::uint32_t at)
      : words_(words), strings_(strings), at_(at) {}

  Type type() const { return type_of(words_[at_]); }
  explicit operator bool() const { return !is_absent(); }
  bool is_absent() const { return tag() == 0; }
  bool is_null() const { return tag() == 'n'; }
  bool is_bool() const { return tag() == 't' || tag() == 'f'; }
  bool is_number() const { return tag() == 'l' || tag() == 'u' || tag() == 'd'; }
  bool is_string() const { return tag() == '"'; }
  bool is_array() const { return tag() == '['; }
  bool is_object() const { return tag() == '{'; }

  // To be called where the type is known.
  bool as_bool() const {
    PARLEY_ASSERT(is_bool());
    return tag() == 't';
  }
  std::string_view as_string() const {  // decoded; may hold U+0000
    PARLEY_ASSERT(is_string());
    return text_at(words_[at_]);
  }
  Number as_number() const {
    PARLEY_ASSERT(is_number());
    Number n;
    n.kind = tag() == 'l' ? Number::Kind::integer : tag() == 'u' ? Number::Kind::unsigned_integer : Number::Kind::real;
    std::memcpy(&n.i, words_ + at_ + 1, sizeof n.i);
    return n;
  }

  // To be asked where it is not. Numbers only where the value is exactly of that C++ type: 1.0 and 1e2 count as 1, 100.
  std::optional<bool> if_bool() const { return is_bool() ? std::optional(tag() == 't') : std::nullopt; }
  std::optional<std::string_view> if_string() const {
    return is_string() ? std::optional(text_at(words_[at_])) : std::nullopt;
  }
  std::optional<std::int64_t> if_int() const;
  std::optional<std::uint64_t> if_uint() const;
  std::optional<double> if_double() const {
    return is_number() ? std::optional(as_number().as_double()) : std::nullopt;
  }

  // Members of an object, elements of an array; 0 for everything else.
  std::uint32_t size() const;
  Members members() const;    // in the text's order; empty for what is no object
  Elements elements() const;  // empty for what is no array

  Value find(std::string_view key) const;         // absent where this is no object or has no such member
  Value element(std::size_t index) const;         // absent where this is no array or is shorter; walks
  Value at_pointer(std::string_view text) const;  // RFC 6901; absent where it leads nowhere. See Pointer for hot use

  // The tape itself, for the schema program, which walks it without cursors.
  const std::uint64_t* words() const { return words_; }
  const std::uint8_t* strings() const { return strings_; }
  std::uint32_t at() const { return at_; }

  static char tag_of(std::uint64_t word) { return static_cast<char>(word >> 56); }
  static Type type_of(std::uint64_t word);
  static std::uint32_t next_of(const std::uint64_t* words, std::uint32_t at) {  // just past the value at `at`
    switch (tag_of(words[at])) {
      case '{':
      case '[':
        return static_cast<std::uint32_t>(words[at]);
      case 'l':
      case 'u':
      case 'd':
        return at + 2;
      default:
        return at + 1;
    }
  }
  static std::string_view text_of(std::uint64_t word, const std::uint8_t* strings) {
    const std::uint8_t* place = strings + (word & 0x00FFFFFFFFFFFFFFu);
    std::uint32_t length;
    std::memcpy(&length, place, sizeof length);
    return {reinterpret_cast<const char*>(place + sizeof length), length};
  }

 private:
  char tag() const { return tag_of(words_[at_]); }
  std::string_view text_at(std::uint64_t word) const { return text_of(word, strings_); }

  static constexpr std::uint64_t nowhere_ = 0;
  const std::uint64_t* words_ = &nowhere_;
  const std::uint8_t* strings_ = nullptr;
  std::uint32_t at_ = 0;
};

struct Member {
  std::string_view key;
  Value value;
};

class Members {
 public:
  class Iterator {
   public:
    Iterator(Value key) : key_(key) {}
    Member operator*() const { return {Value::text_of(key_.words()[key_.at()], key_.strings()), value()}; }
    Iterator& operator++() {
      key_ = Value(key_.words(), key_.strings(), Value::next_of(key_.words(), key_.at() + 1));
      return *this;
    }
    bool operator!=(const Iterator& other) const { return key_.at() != other.key_.at(); }

   private:
    Value value() const { return Value(key_.words(), key_.strings(), key_.at() + 1); }
    Value key_;
  };

  Members() = default;
  Members(Value first, Value end) : first_(first), end_(end) {}
  Iterator begin() const { return first_; }
  Iterator end() const { return end_; }

 private:
  Value first_, end_;
};

class Elements {
 public:
  class Iterator {
   public:
    Iterator(Value at) : value_(at) {}
    Value operator*() const { return value_; }
    Iterator& operator++() {
      value_ = Value(value_.words(), value_.strings(), Value::next_of(value_.words(), value_.at()));
      return *this;
    }
    bool operator!=(const Iterator& other) const { return value_.at() != other.value_.at(); }

   private:
    Value value_;
  };

  Elements() = default;
  Elements(Value first, Value end) : first_(first), end_(end) {}
  Iterator begin() const { return first_; }
  Iterator end() const { return end_; }

 private:
  Value first_, end_;
};

inline Members Value::members() const {
  if (!is_object()) return {};
  return {Value(words_, strings_, at_ + 1), Value(words_, strings_, static_cast<std::uint32_t>(words_[at_]) - 1)};
}

inline Elements Value::elements() const {
  if (!is_array()) return {};
  return {Value(words_, strings_, at_ + 1), Value(words_, strings_, static_cast<std::uint32_t>(words_[at_]) - 1)};
}

// Equality of JSON Schema: by value, members in any order, 1 equals 1.0, exact for every integer.
bool equal(const Value& a, const Value& b);

// Equal values have equal hashes. A sender may choose collisions: who compares by it bounds its own work.
std::uint64_t hash(const Value& value);

// Unicode code points of valid UTF-8.
std::size_t code_points(std::string_view text);

}  // namespace parley::json
