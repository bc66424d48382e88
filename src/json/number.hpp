// JSON numbers as they stand in a text: integers exact to 64 bits, everything with a fraction or exponent a double.
// Value type. Compared by mathematical value: 1 equals 1.0, and 2^53+1 does not equal 2^53 written as a double.
#pragma once
#include <compare>
#include <cstdint>

namespace parley::json {

struct Number {
  enum class Kind : std::uint8_t { integer, unsigned_integer, real };  // unsigned only above INT64_MAX

  Kind kind = Kind::integer;
  union {
    std::int64_t i = 0;
    std::uint64_t u;
    double d;  // finite
  };

  static constexpr Number of(std::int64_t value) {
    Number n;
    n.i = value;
    return n;
  }
  static constexpr Number of(std::uint64_t value) {
    if (value <= INT64_MAX) return of(static_cast<std::int64_t>(value));
    Number n;
    n.kind = Kind::unsigned_integer;
    n.u = value;
    return n;
  }
  static constexpr Number of(double value) {
    Number n;
    n.kind = Kind::real;
    n.d = value;
    return n;
  }

  double as_double() const {
    switch (kind) {
      case Kind::integer:
        return static_cast<double>(i);
      case Kind::unsigned_integer:
        return static_cast<double>(u);
      case Kind::real:
        break;
    }
    return d;
  }
  bool is_integral() const;  // 1.0 and 1e2 are: JSON Schema's "integer"
  bool is_negative() const { return kind == Kind::integer ? i < 0 : kind == Kind::real && d < 0; }
};

std::strong_ordering compare(const Number& a, const Number& b);  // exact

// Whether `value` is an integer multiple of `divisor` > 0 as decimal numbers: 0.0075 is one of 0.0001. Exact.
bool is_multiple(const Number& value, const Number& divisor);

}  // namespace parley::json
