// Exact comparison and divisibility of JSON numbers. Never goes through a rounded double where an integer is concerned.
#include "json/number.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace parley::json {
namespace {

constexpr double two_63 = 9223372036854775808.0;
constexpr double two_64 = 18446744073709551616.0;

std::strong_ordering sign_of(double value) {
  if (value > 0) return std::strong_ordering::greater;
  if (value < 0) return std::strong_ordering::less;
  return std::strong_ordering::equal;
}

std::strong_ordering compare_to_double(std::int64_t a, double b) {
  if (b >= two_63) return std::strong_ordering::less;
  if (b < -two_63) return std::strong_ordering::greater;
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) return a <=> whole;
  return sign_of(static_cast<double>(whole) - b);
}

std::strong_ordering compare_to_double(std::uint64_t a, double b) {
  if (b >= two_64) return std::strong_ordering::less;
  if (b < 0) return std::strong_ordering::greater;
  const auto whole = static_cast<std::uint64_t>(b);
  if (a != whole) return a <=> whole;
  return sign_of(static_cast<double>(whole) - b);
}

std::strong_ordering compare_integers(const Number& a, const Number& b) {
  if (a.kind == b.kind) return a.kind == Number::Kind::integer ? a.i <=> b.i : a.u <=> b.u;
  return a.kind == Number::Kind::integer ? std::strong_ordering::less : std::strong_ordering::greater;
}

std::strong_ordering reversed(std::strong_ordering order) {
  return 0 <=> order;
}

// digits × 10^exponent; digits below 10^20, so that they fit 64 bits for doubles (17 digits) and integers alike.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal decimal_of(const Number& number) {
  if (number.kind == Number::Kind::integer)
    return {number.i < 0 ? 0 - static_cast<std::uint64_t>(number.i) : static_cast<std::uint64_t>(number.i), 0};
  if (number.kind == Number::Kind::unsigned_integer) return {number.u, 0};
  char text[32] = {};
  const char* end = std::to_chars(text, text + sizeof text, std::fabs(number.d), std::chars_format::scientific).ptr;
  Decimal result;
  int fraction = 0;
  bool after_point = false;
  const char* at = text;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      after_point = true;
      continue;
    }
    result.digits = result.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    fraction += after_point;
  }
  if (at != end) result.exponent = std::atoi(at + 1);
  result.exponent -= fraction;
  return result;
}

}  // namespace

bool Number::is_integral() const {
  return kind != Kind::real || d == std::trunc(d);
}

std::strong_ordering compare(const Number& a, const Number& b) {
  using Kind = Number::Kind;
  if (a.kind == Kind::real && b.kind == Kind::real) return sign_of(a.d < b.d ? -1.0 : a.d > b.d ? 1.0 : 0.0);
  if (b.kind == Kind::real) return a.kind == Kind::integer ? compare_to_double(a.i, b.d) : compare_to_double(a.u, b.d);
  if (a.kind == Kind::real)
    return reversed(b.kind == Kind::integer ? compare_to_double(b.i, a.d) : compare_to_double(b.u, a.d));
  return compare_integers(a, b);
}

bool is_multiple(const Number& value, const Number& divisor) {
  __extension__ using Wide = unsigned __int128;
  const Decimal v = decimal_of(value);
  const Decimal m = decimal_of(divisor);
  if (v.digits == 0) return true;
  if (m.digits == 0) return false;
  const int shift = v.exponent - m.exponent;
  if (shift < 0) {
    Wide scaled = m.digits;
    for (int i = 0; i < -shift; ++i) {
      scaled *= 10;
      if (scaled > v.digits) return false;  // a multiple is at least as large as its divisor
    }
    return v.digits % static_cast<std::uint64_t>(scaled) == 0;
  }
  Wide remainder = v.digits % m.digits;
  for (int i = 0; i < shift && remainder != 0; ++i) remainder = remainder * 10 % m.digits;
  return remainder == 0;
}

}  // namespace parley::json
