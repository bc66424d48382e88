#include "base/time.hpp"

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

std::unexpected<Error> no_time(std::string_view text) {
  return fail(ErrorCode::BAD_REQUEST, quoted(text) + " is no RFC 3339 time", {}, "Write it like 2026-01-26T10:00:00Z.");
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

}  // namespace

Result<Instant> parse_rfc3339(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (text.size() < 20 || !digits(text, 0, 4, year) || text[4] != '-' || !digits(text, 5, 2, month) || text[7] != '-' ||
      !digits(text, 8, 2, day) || (text[10] != 'T' && text[10] != 't') || !digits(text, 11, 2, hour) ||
      text[13] != ':' || !digits(text, 14, 2, minute) || text[16] != ':' || !digits(text, 17, 2, second))
    return no_time(text);

  std::size_t at = 19;
  std::int64_t fraction = 0;
  if (text[at] == '.') {
    const std::size_t first = ++at;
    std::int64_t unit = 100'000;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      fraction += (text[at] - '0') * unit;
      unit /= 10;
    }
    if (at == first) return no_time(text);
  }
  int offset = 0;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!parse_offset(text.substr(at), offset) || !date.ok() || hour > 23 || minute > 59 || second > 60)
    return no_time(text);
  if (second == 60) {
    // RFC 3339 §5.7: a leap second ends a UTC day; of which month is not looked at.
    const int utc_minute = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440;
    if (utc_minute != 1439) return no_time(text);
    second = 59;
    fraction = 999'999;
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60LL + minute - offset) * 60 + second;
  return instant_of(seconds * 1'000'000 + fraction);
}

// By hand: each delivery tells a time, and printf takes longer than the rest of its frame.
std::string to_rfc3339(Instant at) {
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
