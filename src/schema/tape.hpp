// Where the parts of a document lie on its tape, without cursors: a place is the index of a word. Value type, valid as
// long as the document is. Internal to schema/.
#pragma once
#include <cstdint>
#include <string_view>

#include "json/value.hpp"

namespace parley::schema {

class Tape {
 public:
  explicit Tape(const json::Value& document) : words_(document.words()), strings_(document.strings()) {}

  char tag(std::uint32_t at) const { return json::Value::tag_of(words_[at]); }
  json::Value value(std::uint32_t at) const { return json::Value(words_, strings_, at); }
  std::int64_t integer(std::uint32_t at) const { return static_cast<std::int64_t>(words_[at + 1]); }
  std::string_view text(std::uint32_t at) const { return json::Value::text_of(words_[at], strings_); }

  // The parts of an object (a key, then its value) or array lie from `at + 1` to before its end.
  std::uint32_t next(std::uint32_t at) const { return json::Value::next_of(words_, at); }
  std::uint32_t end_of(std::uint32_t at) const { return static_cast<std::uint32_t>(words_[at]) - 1; }
  std::uint32_t size_of(std::uint32_t at) const {
    constexpr std::uint32_t saturated = 0xFFFFFF;  // the tape has no more room for the count
    const auto count = static_cast<std::uint32_t>(words_[at] >> 32) & saturated;
    return count < saturated ? count : value(at).size();
  }

 private:
  const std::uint64_t* words_;
  const std::uint8_t* strings_;
};

}  // namespace parley::schema
