// So much of a resource: tokens, money, percent. Exact: whole millionths, so that what is added and taken away again
// leaves nothing behind. Value types.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::engine {

struct Amount {
  std::int64_t millionths = 0;

  friend auto operator<=>(const Amount&, const Amount&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(millionths);
  }
};
inline constexpr Amount amount_max{1'000'000'000'000'000'000};  // 10^12; what is more counts as that

Amount plus(Amount a, Amount b);  // at most amount_max
Amount less(Amount a, Amount b);  // at least nothing

// Of a JSON number; a finer one is rounded up. none: it is no number, or less than nothing.
std::optional<Amount> amount_of(std::string_view json);
std::optional<Amount> amount_of(double number);  // as its shortest text says it
std::string text_of(Amount amount);              // a JSON number, exact

// Of many, however many: never rounded, nor cut off before it is looked at.
class Sum {
 public:
  void add(Amount amount) { move(amount.millionths / million, amount.millionths % million); }
  void take(Amount amount) { move(-(amount.millionths / million), -(amount.millionths % million)); }
  Amount amount() const;

  friend bool operator==(const Sum&, const Sum&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(whole_, millionths_);
  }

 private:
  static constexpr std::int64_t million = 1'000'000;
  void move(std::int64_t whole, std::int64_t millionths);

  std::int64_t whole_ = 0;
  std::int64_t millionths_ = 0;  // less than a million
};

}  // namespace parley::engine
