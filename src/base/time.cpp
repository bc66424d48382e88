#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/quoted.hpp"

namespace parley::base {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t us;
};
constexpr std::array<Unit, 6> units{
    {{"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1}}};

bool digits(std::string_view text, std::size_t at, std::size_t count, int& value) {
  if (at + count > text.size()) return false;
  value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  return true;
}

// ±hh:mm or Z; the offset in minutes.
bool parse_offset(std::string_view text, int& minutes) {
  if (text == "Z" || text == "z") {
    minutes = 0;
    return true;
  }
  int hour = 0;
  int minute = 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  if (!digits(text, 1, 2, hour) || !digits(text, 4, 2, minute) || hour > 23 || minute > 59) return false;
  minutes = (text[0] == '-' ? -1 : 1) * (hour * 60 + minute);
  return true;
}

// §5.6: a year has four digits. An offset, or a long wait, can lead out of them.
Instant within_four_digits(Instant at) {
  constexpr Instant first = std::chrono::sys_days(std::chrono::year(0) / 1 / 1);
  constexpr Instant last = std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1) - Duration(1);
  return std::clamp(at, first, last);
}

}  // namespace

std::optional<std::chrono::sys_days> full_date(std::string_view text) {
  int year = 0, month = 0, day = 0;
  if (text.size() != 10 || !digits(text, 0, 4, year) || text[4] != '-' || !digits(text, 5, 2, month) ||
      text[7] != '-' || !digits(text, 8, 2, day))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<Duration> full_time(std::string_view text) {
  int hour = 0, minute = 0, second = 0, offset = 0;
  if (text.size() < 9 || !digits(text, 0, 2, hour) || text[2] != ':' || !digits(text, 3, 2, minute) || text[5] != ':' ||
      !digits(text, 6, 2, second))
    return std::nullopt;
  std::size_t at = 8;
  std::int64_t fraction = 0;
  if (text[at] == '.') {
    const std::size_t first = ++at;
    std::int64_t unit = 100'000;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      fraction += (text[at] - '0') * unit;
      unit /= 10;
    }
    if (at == first) return std::nullopt;
  }
  if (!parse_offset(text.substr(at), offset) || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const int utc_minute = hour * 60 + minute - offset;
  if (second == 60) {
    // §5.7: a leap second ends a UTC day; of which month is not looked at.
    if ((utc_minute + 1440) % 1440 != 1439) return std::nullopt;
    second = 59;
    fraction = 999'999;
  }
  return Duration((utc_minute * 60LL + second) * 1'000'000 + fraction);
}

std::optional<Instant> date_time(std::string_view text) {
  if (text.size() < 20 || (text[10] != 'T' && text[10] != 't')) return std::nullopt;
  const auto date = full_date(text.substr(0, 10));
  const auto time = full_time(text.substr(11));
  if (!date || !time) return std::nullopt;
  return within_four_digits(*date + *time);
}

Result<Instant> parse_rfc3339(std::string_view text) {
  if (const auto instant = date_time(text)) return *instant;
  return fail(ErrorCode::BAD_REQUEST, quoted(text) + " is no RFC 3339 time", {}, "Write it like 2026-01-26T10:00:00Z.");
}

// By hand: each delivery tells a time, and printf takes longer than the rest of its frame.
std::string to_rfc3339(Instant at) {
  at = within_four_digits(at);
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::int64_t us = (at - day).count();
  std::string text = "0000-00-00T00:00:00.000000";
  const auto put = [&](std::size_t last, std::size_t count, std::int64_t value) {
    for (; count > 0; --count, value /= 10) text[last--] = static_cast<char>('0' + value % 10);
  };
  put(3, 4, int(date.year()));
  put(6, 2, unsigned(date.month()));
  put(9, 2, unsigned(date.day()));
  put(12, 2, us / 3'600'000'000);
  put(15, 2, us / 60'000'000 % 60);
  put(18, 2, us / 1'000'000 % 60);
  put(25, 6, us % 1'000'000);
  text.resize(us % 1'000'000 == 0 ? 19 : text.find_last_not_of('0') + 1);
  return text += 'Z';
}

Result<Duration> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit_name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error == std::errc() && count >= 0)
    for (const Unit& unit : units)
      if (unit.name == unit_name && count <= std::numeric_limits<std::int64_t>::max() / unit.us)
        return Duration(count * unit.us);
  return fail(ErrorCode::BAD_REQUEST, quoted(text) + " is no duration", {},
              "Write a whole number and a unit of us, ms, s, m, h, d: \"100ms\", \"30s\".");
}

std::string to_text(Duration duration) {
  for (const Unit& unit : units)
    if (duration.count() % unit.us == 0 && (duration.count() != 0 || unit.name == "s"))
      return std::to_string(duration.count() / unit.us) + std::string(unit.name);
  return std::to_string(duration.count()) + "us";
}

}  // namespace parley::base
