#include "engine/resources/amount.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"

namespace parley::engine {
namespace {

constexpr int places = 6;
constexpr int digits_max = 18;  // of what is less than amount_max, in millionths
constexpr int exponent_max = 1'000;

}  // namespace

Amount plus(Amount a, Amount b) {
  return {std::min(a.millionths + b.millionths, amount_max.millionths)};
}

Amount less(Amount a, Amount b) {
  return {std::max<std::int64_t>(a.millionths - b.millionths, 0)};
}

std::optional<Amount> amount_of(std::string_view json) {
  if (json.empty() || !base::is_digit(json.front())) return std::nullopt;
  std::string digits;
  int point = 0;  // digits before it
  bool before_point = true;
  std::size_t i = 0;
  for (; i < json.size() && (base::is_digit(json[i]) || json[i] == '.'); ++i) {
    if (json[i] == '.') {
      before_point = false;
      continue;
    }
    digits += json[i];
    if (before_point) ++point;
  }
  int exponent = 0;
  if (i < json.size()) {
    std::string_view rest = json.substr(i + 1);
    if ((json[i] != 'e' && json[i] != 'E') || rest.empty()) return std::nullopt;
    if (rest.front() == '+') rest.remove_prefix(1);
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), exponent).ec;
    if (read == std::errc::invalid_argument) return std::nullopt;
    if (read == std::errc::result_out_of_range) exponent = rest.front() == '-' ? -exponent_max : exponent_max;
    exponent = std::clamp(exponent, -exponent_max, exponent_max);
  }
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  if (first == digits.size()) return Amount{};
  digits.erase(0, first);
  const int kept = point - static_cast<int>(first) + exponent + places;  // digits of the millionths
  if (kept > digits_max) return amount_max;
  Amount amount;
  for (int n = 0; n < kept; ++n)
    amount.millionths = amount.millionths * 10 + (n < static_cast<int>(digits.size()) ? digits[n] - '0' : 0);
  const auto finer = static_cast<std::size_t>(std::max(kept, 0));
  if (finer < digits.size() && digits.find_first_not_of('0', finer) != std::string::npos) ++amount.millionths;
  return std::min(amount, amount_max);
}

std::optional<Amount> amount_of(double number) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return amount_of(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

std::string text_of(Amount amount) {
  std::string text = std::to_string(amount.millionths / 1'000'000);
  std::string rest = std::to_string(amount.millionths % 1'000'000);
  rest.insert(0, static_cast<std::size_t>(places) - rest.size(), '0');
  rest.erase(rest.find_last_not_of('0') + 1);
  return rest.empty() ? text : text + '.' + rest;
}

Amount Sum::amount() const {
  constexpr std::int64_t most = amount_max.millionths / million;
  if (whole_ >= most) return amount_max;
  return {std::max<std::int64_t>(whole_ * million + millionths_, 0)};
}

void Sum::move(std::int64_t whole, std::int64_t millionths) {
  whole_ += whole;
  millionths_ += millionths;
  if (millionths_ >= million) ++whole_, millionths_ -= million;
  if (millionths_ < 0) --whole_, millionths_ += million;
}

}  // namespace parley::engine
