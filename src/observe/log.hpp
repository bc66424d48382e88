// Structured logs: one JSON object a line with ts, level, event and the fields given.
// Every text is escaped, so that no value can end a line, colour a terminal or pass for a field (G3).
// Private payloads, tokens and message bodies are never fields (D10, I3).
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace parley::observe {

enum class Level : std::uint8_t { debug, info, warning, error };

base::Result<Level> parse_level(std::string_view name);

// A name, which is ours, and a value, which may be anybody's. Lives for the call.
struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool> value;

  LogField(std::string_view n, std::string_view text) : name(n), value(text) {}
  LogField(std::string_view n, const char* text) : name(n), value(std::string_view(text)) {}
  LogField(std::string_view n, const std::string& text) : name(n), value(std::string_view(text)) {}
  LogField(std::string_view n, bool flag) : name(n), value(flag) {}
  LogField(std::string_view n, double number) : name(n), value(number) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  LogField(std::string_view n, T number) : name(n) {
    if constexpr (std::is_signed_v<T>)
      value = static_cast<std::int64_t>(number);
    else
      value = static_cast<std::uint64_t>(number);
  }
};

// Resource type; any thread. Lines are written by a thread of its own: a slow terminal or a full disk stops nobody,
// and of a burst beyond 8,192 lines the oldest are dropped.
class Log {
 public:
  using Fields = std::initializer_list<LogField>;

  static std::unique_ptr<Log> to_stderr(base::Clock& clock, Level level);
  // Not owned, and open for good: what its reader does not take in time may come later.
  static std::unique_ptr<Log> to_descriptor(base::Clock& clock, Level level, int descriptor);
  // For tests and the simulator: each line, without its end, goes to `sink` at once, on the caller's thread.
  static std::unique_ptr<Log> to_function(base::Clock& clock, Level level, std::function<void(std::string_view)> sink);

  ~Log();  // writes out what waits, for a second at most

  void debug(std::string_view event, Fields fields = {}) { write(Level::debug, event, fields); }
  void info(std::string_view event, Fields fields = {}) { write(Level::info, event, fields); }
  void warning(std::string_view event, Fields fields = {}) { write(Level::warning, event, fields); }
  void error(std::string_view event, Fields fields = {}) { write(Level::error, event, fields); }

  bool wants(Level level) const { return level >= level_; }
  void write(Level level, std::string_view event, Fields fields);

 private:
  struct Sink;
  Log(base::Clock& clock, Level level, std::unique_ptr<Sink> sink);

  base::Clock& clock_;
  Level level_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace parley::observe
