// The parser over simdjson's DOM, and the checks simdjson leaves to us. The only file that knows simdjson.
#include "json/parser.hpp"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "json/fault.hpp"
#include "json/pointer.hpp"

namespace parley::json {
namespace {

using base::ErrorCode;

static_assert(padding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t least_capacity = 4096;

// Refusals of a text that is well-formed.
std::unexpected<base::Error> over(std::string message, std::string where) {
  return base::fail(ErrorCode::BAD_JSON, std::move(message), std::move(where));
}

// Finds a key that an object has twice. Few keys, the usual case, are compared by 64-bit fingerprints on the stack;
// many are sorted, so that no choice of keys costs more than n log n.
class DuplicateSearch {
 public:
  // The tape index of a second occurrence in the object at `at`, or 0.
  std::uint32_t find(const std::uint64_t* words, const std::uint8_t* strings, std::uint32_t at, std::uint32_t count) {
    return count <= few ? find_among_few(words, strings, at) : find_among_many(words, strings, at);
  }

 private:
  static constexpr std::uint32_t few = 32;

  // simdjson's string buffer is readable for `padding` bytes past its last string.
  static std::uint64_t load8(const char* from) {
    std::uint64_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
  }

  static std::uint64_t fingerprint(std::string_view key) {
    const std::size_t n = key.size();
    if (n >= 8) return load8(key.data()) ^ std::rotl(load8(key.data() + n - 8), 23) ^ n;
    const std::uint64_t kept = (std::uint64_t{1} << (8 * n)) - 1;  // the rest belongs to other strings
    return (load8(key.data()) & kept) ^ (std::uint64_t{n} << 56);
  }

  std::uint32_t find_among_few(const std::uint64_t* words, const std::uint8_t* strings, std::uint32_t at) {
    std::uint64_t prints[few];
    std::uint32_t places[few];
    std::uint64_t seen[4] = {};  // a 256-bit Bloom filter
    std::uint32_t count = 0;
    const auto end = static_cast<std::uint32_t>(words[at]) - 1;
    for (std::uint32_t key = at + 1; key < end; key = Value::next_of(words, key + 1)) {
      const std::uint64_t print = fingerprint(Value::text_of(words[key], strings));
      const std::uint64_t bit = print * 0x9E3779B97F4A7C15u >> 56;
      std::uint64_t& word = seen[bit >> 6];
      const std::uint64_t mask = std::uint64_t{1} << (bit & 63);
      if (word & mask) [[unlikely]] {
        for (std::uint32_t i = 0; i < count; ++i)
          if (prints[i] == print && Value::text_of(words[places[i]], strings) == Value::text_of(words[key], strings))
            return key;
      }
      word |= mask;
      prints[count] = print;
      places[count++] = key;
    }
    return 0;
  }

  std::uint32_t find_among_many(const std::uint64_t* words, const std::uint8_t* strings, std::uint32_t at) {
    keys_.clear();
    const auto end = static_cast<std::uint32_t>(words[at]) - 1;
    for (std::uint32_t key = at + 1; key < end; key = Value::next_of(words, key + 1))
      keys_.push_back({Value::text_of(words[key], strings), key});
    std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
      return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.text < b.text;
    });
    const auto twin =
        std::adjacent_find(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.text == b.text; });
    return twin == keys_.end() ? 0 : std::max(twin->at, (twin + 1)->at);
  }

  struct Key {
    std::string_view text;
    std::uint32_t at;
  };
  std::vector<Key> keys_;  // scratch, grows to the largest object seen
};

// How many structural characters (brackets, colons, commas, first bytes of scalars) a tape word stands for, where
// an opening bracket stands for all colons and commas of its level.
std::uint32_t structurals_of_opening(std::uint64_t word) {
  const auto count = static_cast<std::uint32_t>(word >> 32) & 0xFFFFFF;
  const std::uint32_t commas = count == 0 ? 0 : count - 1;
  return Value::tag_of(word) == '{' ? 1 + count + commas : 1 + commas;
}

std::uint32_t structurals_between(const std::uint64_t* words, std::uint32_t from, std::uint32_t to) {
  std::uint32_t sum = 0;
  for (std::uint32_t at = from; at < to; ++at) {
    switch (Value::tag_of(words[at])) {
      case '{':
      case '[':
        sum += structurals_of_opening(words[at]);
        break;
      case 'l':
      case 'u':
      case 'd':
        sum += 1;
        ++at;
        break;
      default:
        sum += 1;
    }
  }
  return sum;
}

}  // namespace

struct Parser::State {
  simdjson::dom::parser simd;
  std::unique_ptr<char[]> buffer;  // of capacity + padding bytes
  std::size_t buffer_capacity = 0;
  std::string_view source;  // of the last parse
  DuplicateSearch duplicates;

  bool prepare(std::size_t bytes, std::uint32_t depth) {
    const std::size_t levels = std::size_t{depth} + 1;  // simdjson wants one more, and counts no empty containers
    if (simd.implementation && simd.capacity() >= bytes && simd.max_depth() == levels) return true;
    const std::size_t capacity = std::max(least_capacity, std::bit_ceil(std::max(bytes, simd.capacity())));
    return simd.allocate(capacity, levels) == simdjson::SUCCESS && simd.doc.allocate(capacity) == simdjson::SUCCESS;
  }

  std::string_view copy(std::string_view bytes) {
    if (buffer_capacity < bytes.size() || !buffer) {
      buffer_capacity = std::max(least_capacity, std::bit_ceil(bytes.size()));
      buffer = std::make_unique<char[]>(buffer_capacity + padding);
    }
    if (!bytes.empty()) std::memcpy(buffer.get(), bytes.data(), bytes.size());
    return {buffer.get(), bytes.size()};
  }

  const std::uint64_t* words() const { return simd.doc.tape.get(); }
  const std::uint8_t* strings() const { return simd.doc.string_buf.get(); }
  Value root() const { return Value(words(), strings(), 1); }
  std::string pointer_at(std::uint32_t at) const { return pointer_to(root(), Value(words(), strings(), at)); }

  base::Result<> check_containers(const Limits& limits);
  base::Result<> check_object(std::uint32_t at, std::uint32_t count, const Limits& limits);
  base::Result<> check_numbers(const Limits& limits) const;

  std::uint32_t structural_index(std::uint32_t at) const;
  std::string_view source_from(std::uint32_t structural, std::uint32_t last_structural, bool closed) const;
};

base::Result<> Parser::State::check_containers(const Limits& limits) {
  const std::uint64_t* const tape = words();
  const auto end = static_cast<std::uint32_t>(tape[0]) - 1;
  std::uint32_t depth = 0;
  for (std::uint32_t at = 1; at < end;) {
    const std::uint64_t word = tape[at];
    const char tag = Value::tag_of(word);
    if (tag == '{' || tag == '[') {
      if (++depth > limits.depth)
        return over("Objects and arrays are nested deeper than " + std::to_string(limits.depth) + ".", pointer_at(at));
    } else if (tag == '}' || tag == ']') {
      --depth;
    }
    if (tag == '{') {
      const auto count = static_cast<std::uint32_t>(word >> 32) & 0xFFFFFF;
      if (count > limits.keys)
        return over("An object has " + std::to_string(count) + " keys; at most " + std::to_string(limits.keys) +
                        " are allowed.",
                    pointer_at(at));
      PARLEY_CHECK(check_object(at, count, limits));
    } else if (tag == '[') {
      const auto count = static_cast<std::uint32_t>(word >> 32) & 0xFFFFFF;
      if (count > limits.elements)
        return over("An array has " + std::to_string(count) + " elements; at most " + std::to_string(limits.elements) +
                        " are allowed.",
                    pointer_at(at));
    }
    at += tag == 'l' || tag == 'u' || tag == 'd' ? 2 : 1;
  }
  return {};
}

base::Result<> Parser::State::check_object(std::uint32_t at, std::uint32_t count, const Limits& limits) {
  const std::uint64_t* const tape = words();
  const auto end = static_cast<std::uint32_t>(tape[at]) - 1;
  for (std::uint32_t key = at + 1; key < end; key = Value::next_of(tape, key + 1))
    if (Value::text_of(tape[key], strings()).size() > limits.key_bytes)
      return over("A key is longer than " + std::to_string(limits.key_bytes) + " bytes.", pointer_at(at));
  if (count < 2) return {};
  if (const std::uint32_t twin = duplicates.find(tape, strings(), at, count)) {
    std::string where = pointer_at(at);
    append_token(where, Value::text_of(tape[twin], strings()).substr(0, 64));
    return over("An object has the same key twice.", std::move(where));
  }
  return {};
}

// A number spans from its structural to the next at most, so that only wide gaps need a look.
base::Result<> Parser::State::check_numbers(const Limits& limits) const {
  const std::uint32_t* const starts = simd.implementation->structural_indexes.get();
  const std::uint32_t count = simd.implementation->n_structural_indexes;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t start = starts[i];
    const std::size_t end = i + 1 < count ? starts[i + 1] : source.size();
    if (end - start <= limits.number_chars) [[likely]]
      continue;
    const std::string_view gap = source.substr(start, end - start);
    if (gap[0] != '-' && (gap[0] < '0' || gap[0] > '9')) continue;
    const std::size_t length = std::min(gap.find_first_of(" \t\r\n"), gap.size());
    if (length > limits.number_chars)
      return over("A number is longer than " + std::to_string(limits.number_chars) + " characters.",
                  "byte " + std::to_string(start));
  }
  return {};
}

// Walks down from the root: at each level past the siblings before the place.
std::uint32_t Parser::State::structural_index(std::uint32_t place) const {
  const std::uint64_t* const tape = words();
  std::uint32_t at = 1;
  std::uint32_t structural = 0;
  while (at != place) {
    const bool object = Value::tag_of(tape[at]) == '{';
    PARLEY_ASSERT(object || Value::tag_of(tape[at]) == '[');
    std::uint32_t child = at + 1;
    structural += 1;  // past the bracket
    for (;;) {
      if (object) {
        ++child;
        structural += 2;  // the key and its colon
      }
      const std::uint32_t next = Value::next_of(tape, child);
      if (place < next) break;
      structural += structurals_between(tape, child, next) + 1;  // and the comma
      child = next;
    }
    at = child;
  }
  return structural;
}

std::string_view Parser::State::source_from(std::uint32_t first, std::uint32_t last, bool closed) const {
  const std::uint32_t* const starts = simd.implementation->structural_indexes.get();
  const std::size_t start = starts[first];
  if (closed) return source.substr(start, starts[last] + 1 - start);
  // A scalar ends before the next structural, and whitespace may stand between.
  std::size_t end = last + 1 < simd.implementation->n_structural_indexes ? starts[last + 1] : source.size();
  while (end > start &&
         (source[end - 1] == ' ' || source[end - 1] == '\t' || source[end - 1] == '\n' || source[end - 1] == '\r'))
    --end;
  return source.substr(start, end - start);
}

Parser::Parser() : state_(std::make_unique<State>()) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

void Parser::shrink() {
  state_ = std::make_unique<State>();
}

base::Result<Value> Parser::parse(std::string_view bytes, const Limits& limits) {
  return parse_padded(bytes.size() <= limits.bytes ? state_->copy(bytes) : bytes, limits);
}

base::Result<Value> Parser::parse_padded(std::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.bytes)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE, "The JSON text has " + std::to_string(bytes.size()) +
                                                        " bytes; at most " + std::to_string(limits.bytes) +
                                                        " are allowed.");
  State& state = *state_;
  if (!state.prepare(bytes.size(), limits.depth))
    return base::fail(ErrorCode::OVERLOADED, "There is no memory to parse a text of this size.");
  state.source = bytes;
  const auto parsed = state.simd.parse(bytes.data(), bytes.size(), false);
  if (parsed.error() != simdjson::SUCCESS) {
    const std::optional<Fault> fault = find_fault(bytes, limits);
    return fault ? over(fault->message, "byte " + std::to_string(fault->byte))
                 : over(simdjson::error_message(parsed.error()), "");
  }
  PARLEY_CHECK(state.check_containers(limits));
  PARLEY_CHECK(state.check_numbers(limits));
  return state.root();
}

std::string_view Parser::slice(Value value) const {
  const State& state = *state_;
  PARLEY_ASSERT(value.words() == state.words() && value);
  const std::uint32_t first = state.structural_index(value.at());
  const std::uint32_t after = Value::next_of(value.words(), value.at());
  const std::uint32_t last = first + structurals_between(value.words(), value.at(), after) - 1;
  return state.source_from(first, last, value.is_object() || value.is_array());
}

void Parser::slices(Value array, std::vector<std::string_view>& out) const {
  const State& state = *state_;
  PARLEY_ASSERT(array.words() == state.words() && array.is_array());
  out.clear();
  out.reserve(array.size());
  std::uint32_t first = state.structural_index(array.at()) + 1;
  for (const Value element : array.elements()) {
    const std::uint32_t after = Value::next_of(element.words(), element.at());
    const std::uint32_t last = first + structurals_between(element.words(), element.at(), after) - 1;
    out.push_back(state.source_from(first, last, element.is_object() || element.is_array()));
    first = last + 2;
  }
}

base::Result<Document> Document::parse(std::string_view bytes, const Limits& limits) {
  Parser parser;
  PARLEY_TRY(const Value root, parser.parse(bytes, limits));
  const std::uint64_t* const words = root.words();
  const auto count = static_cast<std::uint32_t>(words[0]);
  std::size_t string_bytes = 0;
  for (std::uint32_t at = 1; at + 1 < count;) {
    const char tag = Value::tag_of(words[at]);
    if (tag == '"') {
      const std::string_view text = Value::text_of(words[at], root.strings());
      string_bytes = static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(text.data()) - root.strings()) +
                     text.size() + 1;
    }
    at += tag == 'l' || tag == 'u' || tag == 'd' ? 2 : 1;
  }
  Document document;
  document.words_.assign(words, words + count);
  document.strings_.assign(root.strings(), root.strings() + string_bytes);
  document.strings_.resize(string_bytes + padding);  // strings may be read by whole words
  return document;
}

}  // namespace parley::json
