// What the cursor does beyond one step: look-ups, equality, hashes. Allocates nothing for objects of usual size.
#include "json/value.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/splitmix.hpp"
#include "json/pointer.hpp"

namespace parley::json {
namespace {

constexpr std::array<Type, 128> types_by_tag = [] {
  std::array<Type, 128> types{};
  types['n'] = Type::null;
  types['t'] = types['f'] = Type::boolean;
  types['l'] = Type::integer;
  types['u'] = Type::unsigned_integer;
  types['d'] = Type::real;
  types['"'] = Type::string;
  types['['] = Type::array;
  types['{'] = Type::object;
  return types;
}();

// simdjson counts to 2^24-1 and stops there.
constexpr std::uint32_t saturated = 0xFFFFFF;

using base::mixed;

constexpr std::uint64_t number_kind = 5, text_kind = 6;

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = mixed(text_kind ^ text.size());
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data() + i, std::min<std::size_t>(8, text.size() - i));
    h = mixed(h ^ block);
  }
  return h;
}

std::uint64_t hash_number(const Number& number) {
  if (number.kind != Number::Kind::real) return mixed(number_kind ^ static_cast<std::uint64_t>(number.i));
  if (number.d >= -9223372036854775808.0 && number.d < 9223372036854775808.0 && number.is_integral())
    return mixed(number_kind ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(number.d)));
  if (number.d >= 0 && number.d < 18446744073709551616.0 && number.is_integral())
    return mixed(number_kind ^ static_cast<std::uint64_t>(number.d));
  std::uint64_t bits;
  std::memcpy(&bits, &number.d, sizeof bits);
  return mixed(number_kind ^ bits);
}

std::vector<Member> sorted_members(const Value& object) {
  std::vector<Member> members;
  members.reserve(object.size());
  for (const Member member : object.members()) members.push_back(member);
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
  return members;
}

bool equal_objects(const Value& a, const Value& b) {
  constexpr std::uint32_t few = 32;  // above that, sorting costs less than looking each one up
  if (a.size() != b.size()) return false;
  if (a.size() <= few) {
    for (const auto [key, value] : a.members()) {
      const Value other = b.find(key);
      if (!other || !equal(value, other)) return false;
    }
    return true;
  }
  const std::vector<Member> left = sorted_members(a), right = sorted_members(b);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i].key != right[i].key || !equal(left[i].value, right[i].value)) return false;
  return true;
}

bool equal_arrays(const Value& a, const Value& b) {
  if (a.size() != b.size()) return false;
  const Elements left = a.elements(), right = b.elements();
  auto other = right.begin();
  for (const Value element : left) {
    if (!equal(element, *other)) return false;
    ++other;
  }
  return true;
}

}  // namespace

std::string_view to_text(Type type) {
  switch (type) {
    case Type::absent:
      return "nothing";
    case Type::null:
      return "null";
    case Type::boolean:
      return "boolean";
    case Type::integer:
    case Type::unsigned_integer:
      return "integer";
    case Type::real:
      return "number";
    case Type::string:
      return "string";
    case Type::array:
      return "array";
    case Type::object:
      return "object";
  }
  return "nothing";
}

Type Value::type_of(std::uint64_t word) {
  return types_by_tag[static_cast<unsigned char>(tag_of(word)) & 127];
}

std::uint32_t Value::size() const {
  if (!is_array() && !is_object()) return 0;
  const auto count = static_cast<std::uint32_t>(words_[at_] >> 32) & saturated;
  if (count < saturated) return count;
  std::uint32_t counted = 0;
  const auto end = static_cast<std::uint32_t>(words_[at_]) - 1;
  for (std::uint32_t at = at_ + 1; at < end; at = next_of(words_, at)) ++counted;
  return is_object() ? counted / 2 : counted;
}

Value Value::find(std::string_view key) const {
  if (!is_object()) return {};
  const auto end = static_cast<std::uint32_t>(words_[at_]) - 1;
  for (std::uint32_t at = at_ + 1; at < end; at = next_of(words_, at + 1))
    if (text_at(words_[at]) == key) return Value(words_, strings_, at + 1);
  return {};
}

Value Value::element(std::size_t index) const {
  if (!is_array() || index >= size()) return {};
  std::uint32_t at = at_ + 1;
  for (; index > 0; --index) at = next_of(words_, at);
  return Value(words_, strings_, at);
}

Value Value::at_pointer(std::string_view text) const {
  const auto pointer = Pointer::parse(text);
  return pointer ? pointer->resolve(*this) : Value();
}

std::optional<std::int64_t> Value::if_int() const {
  if (!is_number()) return std::nullopt;
  const Number n = as_number();
  if (n.kind == Number::Kind::integer) return n.i;
  if (n.kind == Number::Kind::unsigned_integer || !n.is_integral()) return std::nullopt;
  if (n.d < -9223372036854775808.0 || n.d >= 9223372036854775808.0) return std::nullopt;
  return static_cast<std::int64_t>(n.d);
}

std::optional<std::uint64_t> Value::if_uint() const {
  if (!is_number()) return std::nullopt;
  const Number n = as_number();
  if (n.is_negative()) return std::nullopt;
  if (n.kind != Number::Kind::real) return n.u;
  if (!n.is_integral() || n.d >= 18446744073709551616.0) return std::nullopt;
  return static_cast<std::uint64_t>(n.d);
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return compare(a.as_number(), b.as_number()) == 0;
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::boolean:
      return a.as_bool() == b.as_bool();
    case Type::string:
      return a.as_string() == b.as_string();
    case Type::array:
      return equal_arrays(a, b);
    case Type::object:
      return equal_objects(a, b);
    default:
      return true;
  }
}

std::uint64_t hash(const Value& value) {
  switch (value.type()) {
    case Type::absent:
      return mixed(1);
    case Type::null:
      return mixed(2);
    case Type::boolean:
      return mixed(3 + value.as_bool());
    case Type::integer:
    case Type::unsigned_integer:
    case Type::real:
      return hash_number(value.as_number());
    case Type::string:
      return hash_text(value.as_string());
    case Type::array:
      break;
    case Type::object: {
      std::uint64_t sum = mixed(8);
      for (const auto [key, member] : value.members()) sum += mixed(hash_text(key) ^ hash(member));
      return mixed(sum);
    }
  }
  std::uint64_t h = mixed(7);
  for (const Value element : value.elements()) h = mixed(h + hash(element));
  return h;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

}  // namespace parley::json
