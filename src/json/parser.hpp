// Bytes to documents: strict RFC 8259 in UTF-8, bounded. What is refused, and never repaired: duplicate keys, bad
// UTF-8, lone surrogates, a byte order mark, NaN and Infinity, numbers no double or 64-bit integer holds, bytes after
// the text. Refusals are BAD_JSON, with `where` a "byte N" or the JSON Pointer of the object; PAYLOAD_TOO_LARGE over
// `bytes`.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace parley::json {

// reliability F3. All inclusive: what is at the limit is accepted.
struct Limits {
  std::size_t bytes = 1 << 20;
  std::uint32_t depth = 64;          // objects and arrays inside one another
  std::uint32_t keys = 10'000;       // of one object
  std::uint32_t key_bytes = 1024;    // decoded
  std::uint32_t number_chars = 64;   // as written
  std::uint32_t elements = 100'000;  // of one array
  // By whoever it comes from, who is trusted: nothing is looked at but the syntax, `bytes` and `depth`.
  bool checked_before = false;
};

inline constexpr std::size_t padding = 64;  // readable bytes that must follow a padded text

// Reused for every text a thread reads. Resource type, one thread. Values live until the next parse.
class Parser {
 public:
  Parser();
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  base::Result<Value> parse(std::string_view bytes, const Limits& limits = {});

  // The same without a copy: `padding` bytes after the end are readable, and all stays as it is while Values
  // and slices are in use.
  base::Result<Value> parse_padded(std::string_view bytes, const Limits& limits = {});

  // The source bytes of what the last parse gave, without the whitespace around it: native bytes, cut out unchanged.
  std::string_view slice(Value value) const;
  // Of every element of an array; replaces what `out` held. Costs a fraction of the parse.
  void slices(Value array, std::vector<std::string_view>& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A document that owns what its Values point to; for what is kept: schemas, profiles, configuration. Resource type,
// read by any thread.
class Document {
 public:
  static base::Result<Document> parse(std::string_view bytes, const Limits& limits = {});

  Value root() const { return Value(words_.data(), strings_.data(), 1); }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint8_t> strings_;
};

}  // namespace parley::json
