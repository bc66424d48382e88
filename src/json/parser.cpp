// The parser over simdjson's DOM, and the checks simdjson leaves to us. The only file of the server that knows
// simdjson.
#include "json/parser.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
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
constexpr std::uint32_t few_keys = 32;

// Refusals of a text that is well-formed.
std::unexpected<base::Error> over(std::string message, std::string where) {
  return base::fail(ErrorCode::BAD_JSON, std::move(message), std::move(where));
}

// A key by 64 bits: length, first and last eight bytes. Equal keys have equal prints, and few others have. Without a
// branch; simdjson's string buffer is readable for `padding` bytes past its last string.
std::uint64_t print_of(std::string_view key) {
  static constexpr std::array<std::uint64_t, 9> kept = {
      0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, ~std::uint64_t{0}};
  const std::size_t n = key.size();
  const std::uint64_t mask = kept[std::min<std::size_t>(n, 8)];
  std::uint64_t first, last;
  std::memcpy(&first, key.data(), sizeof first);
  std::memcpy(&last, key.data() + std::max<std::size_t>(n, 8) - 8, sizeof last);
  return ((first & mask) ^ std::rotl(last & mask, 23) ^ n) * 0x9E3779B97F4A7C15u;
}

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

  // Scratch of the checks; grows to the deepest text and the largest object seen.
  struct Frame {
    std::uint32_t end;  // of the container, on the tape
    std::uint32_t at;
    bool is_object;
    bool is_sorted;  // searched for duplicates as a whole already
    std::array<std::uint64_t, 4> seen;

    void open(std::uint32_t place, std::uint32_t last, bool object) {
      end = last;
      at = place;
      is_object = object;
      is_sorted = false;
      seen = {};
    }
  };
  struct Key {
    std::string_view text;
    std::uint32_t at;
  };
  std::vector<Frame> frames;
  std::vector<Key> keys;

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
  std::uint32_t most_at(std::uint32_t at, const Limits& limits) const {
    return Value::tag_of(words()[at]) == '{' ? limits.keys : limits.elements;
  }
  std::unexpected<base::Error> too_large(std::uint32_t at, std::size_t around, const Limits& limits) const;
  std::uint32_t count_at(std::uint32_t at) const { return static_cast<std::uint32_t>(words()[at] >> 32) & 0xFFFFFF; }
  bool is_before(std::uint32_t object, std::uint32_t key) const;
  std::uint32_t find_twin(std::uint32_t object);
  std::unexpected<base::Error> duplicate(std::uint32_t object, std::uint32_t key) const;
  base::Result<> check_numbers(const Limits& limits) const;

  std::uint32_t structural_index(std::uint32_t at) const;
  std::string_view source_from(std::uint32_t structural, std::uint32_t last_structural, bool closed) const;
};

// One pass over the tape. Keys of an object are told apart by a Bloom filter of their prints; where it says "perhaps",
// the keys before are compared. Objects of many keys are sorted instead, so that no choice of keys costs more.
base::Result<> Parser::State::check_containers(const Limits& limits) {
  const std::uint64_t* const tape = words();
  const auto end = static_cast<std::uint32_t>(tape[0]) - 1;
  if (frames.size() < std::size_t{limits.depth} + 1) frames.resize(std::size_t{limits.depth} + 1);
  Frame* frame = frames.data();
  frame->open(0, end, false);
  bool reals = false;
  for (std::uint32_t at = 1;;) {
    if (at == frame->end) {
      if (frame == frames.data()) break;
      --frame;
      ++at;
      continue;
    }
    if (frame->is_object) {
      const std::string_view key = Value::text_of(tape[at], strings());
      if (key.size() > limits.key_bytes) [[unlikely]]
        return over("A key is longer than " + std::to_string(limits.key_bytes) + " bytes.", pointer_at(frame->at));
      const std::uint64_t bit = print_of(key) >> 56;
      std::uint64_t& seen = frame->seen[bit >> 6];
      const std::uint64_t mask = std::uint64_t{1} << (bit & 63);
      if ((seen & mask) && !frame->is_sorted && is_before(frame->at, at)) [[unlikely]]
        return duplicate(frame->at, at);
      seen |= mask;
      ++at;
    }
    const char tag = Value::tag_of(tape[at]);
    if (tag == '{' || tag == '[') {
      const auto around = static_cast<std::size_t>(frame - frames.data());
      if (around >= limits.depth || count_at(at) > most_at(at, limits)) [[unlikely]]
        return too_large(at, around, limits);
      (++frame)->open(at, static_cast<std::uint32_t>(tape[at]) - 1, tag == '{');
      if (tag == '{' && count_at(at) > few_keys) {
        frame->is_sorted = true;
        if (const std::uint32_t twin = find_twin(at)) return duplicate(at, twin);
      }
      ++at;
    } else {
      reals |= tag == 'd';
      at += 1 + (tag == 'l' || tag == 'u' || tag == 'd');
    }
  }
  return reals ? check_numbers(limits) : base::Result<>();  // integers have 20 characters at most
}

// `around` containers hold this one.
std::unexpected<base::Error> Parser::State::too_large(std::uint32_t at, std::size_t around,
                                                      const Limits& limits) const {
  if (around >= limits.depth)
    return over("Objects and arrays are nested deeper than " + std::to_string(limits.depth) + ".", pointer_at(at));
  const bool object = Value::tag_of(words()[at]) == '{';
  return over(std::string(object ? "An object has " : "An array has ") + std::to_string(count_at(at)) +
                  (object ? " keys" : " elements") + "; at most " + std::to_string(most_at(at, limits)) +
                  " are allowed.",
              pointer_at(at));
}

bool Parser::State::is_before(std::uint32_t object, std::uint32_t key) const {
  const std::string_view text = Value::text_of(words()[key], strings());
  for (std::uint32_t at = object + 1; at < key; at = Value::next_of(words(), at + 1))
    if (Value::text_of(words()[at], strings()) == text) return true;
  return false;
}

// The second occurrence of some key of a large object, or 0.
std::uint32_t Parser::State::find_twin(std::uint32_t object) {
  keys.clear();
  const auto end = static_cast<std::uint32_t>(words()[object]) - 1;
  for (std::uint32_t at = object + 1; at < end; at = Value::next_of(words(), at + 1))
    keys.push_back({Value::text_of(words()[at], strings()), at});
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.text < b.text;
  });
  const auto twin =
      std::adjacent_find(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.text == b.text; });
  return twin == keys.end() ? 0 : std::max(twin->at, (twin + 1)->at);
}

std::unexpected<base::Error> Parser::State::duplicate(std::uint32_t object, std::uint32_t key) const {
  std::string where = pointer_at(object);
  append_token(where, Value::text_of(words()[key], strings()).substr(0, 64));
  return over("An object has the same key twice.", std::move(where));
}

// A number spans from its structural to the next at most, so that only wide gaps need a look; blocks without any are
// passed over by a few vector instructions.
base::Result<> Parser::State::check_numbers(const Limits& limits) const {
  const std::uint32_t* const starts = simd.implementation->structural_indexes.get();
  const std::uint32_t count = simd.implementation->n_structural_indexes;
  constexpr std::uint32_t block = 16;
  const auto most = static_cast<std::int32_t>(std::min<std::uint32_t>(limits.number_chars, INT32_MAX));
  for (std::uint32_t first = 0; first < count; first += block) {
    const std::uint32_t last = std::min(first + block, count);
    if (last < count) [[likely]] {
      std::int32_t signs = 0;  // negative once a gap is too wide
      for (std::uint32_t i = first; i < first + block; ++i)
        signs |= most - static_cast<std::int32_t>(starts[i + 1] - starts[i]);
      if (signs >= 0) continue;
    }
    for (std::uint32_t i = first; i < last; ++i) {
      const std::size_t start = starts[i];
      const std::size_t end = i + 1 < count ? starts[i + 1] : source.size();
      const std::string_view gap = source.substr(start, end - start);
      if (gap.size() <= limits.number_chars || (gap[0] != '-' && (gap[0] < '0' || gap[0] > '9'))) continue;
      const std::size_t length = std::min(gap.find_first_of(" \t\r\n"), gap.size());
      if (length > limits.number_chars)
        return over("A number is longer than " + std::to_string(limits.number_chars) + " characters.",
                    "byte " + std::to_string(start));
    }
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
  if (!limits.checked_before) PARLEY_CHECK(state.check_containers(limits));
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
  thread_local Parser kept;  // its buffers cost more than the parse of a small text
  std::optional<Parser> own;
  if (bytes.size() > least_capacity) own.emplace();
  PARLEY_TRY(const Value root, (own ? *own : kept).parse(bytes, limits));
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
