// The one place that knows spdlog, which brings the queue and the writing thread.
#include "observe/log.hpp"

#include <poll.h>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <future>
#include <thread>

#include "base/utf8.hpp"

namespace parley::observe {
namespace {

constexpr std::size_t queue_lines = 8192;
constexpr auto end_patience = std::chrono::seconds(1);
constexpr std::size_t text_bytes_max = 4096;  // of one value; the rest is cut
constexpr std::array<std::string_view, 4> level_names = {"debug", "info", "warning", "error"};

void append_escaped(std::string& out, unsigned char c) {
  constexpr char digits[] = "0123456789abcdef";
  out += "\\u00";
  out += digits[c >> 4];
  out += digits[c & 15];
}

// What would lead a terminal or a reader astray becomes \u00xx; bytes that are no ASCII stay only as part of a whole
// character.
std::size_t harmless_bytes(std::string_view text) {
  const base::Character c = base::first_character(text);
  return base::is_hostile(c.point) ? 0 : c.bytes;
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  const bool cut = text.size() > text_bytes_max;
  text = base::beginning(text, text_bytes_max);
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[at];
    } else if (c >= 0x20 && c < 0x7F) {
      out += text[at];
    } else if (c < 0x80) {
      append_escaped(out, c);
    } else if (length = harmless_bytes(text.substr(at)); length > 0) {
      out += text.substr(at, length);
    } else {
      append_escaped(out, c);
      length = 1;
    }
    at += length;
  }
  if (cut) out += "...";
  out += '"';
}

template <class T>
void append_number(std::string& out, T number) {
  std::array<char, 32> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

struct AppendValue {
  std::string& out;
  void operator()(std::string_view text) const { append_text(out, text); }
  void operator()(bool flag) const { out += flag ? "true" : "false"; }
  void operator()(std::int64_t number) const { append_number(out, number); }
  void operator()(std::uint64_t number) const { append_number(out, number); }
  void operator()(double number) const {
    if (std::isfinite(number))
      append_number(out, number);
    else
      out += "null";  // JSON has no other word for it
  }
};

std::string line_of(base::Instant at, Level level, std::string_view event, Log::Fields fields) {
  std::string line;
  line.reserve(256);
  line += R"({"ts":")";
  line += base::to_rfc3339(at);
  line += R"(","level":")";
  line += level_names[static_cast<std::size_t>(level)];
  line += R"(","event":)";
  append_text(line, event);
  for (const auto& field : fields) {
    line += ',';
    append_text(line, field.name);
    line += ':';
    std::visit(AppendValue{line}, field.value);
  }
  line += '}';
  return line;
}

}  // namespace

struct Log::Sink {
  virtual ~Sink() = default;
  virtual void write(std::string_view line) = 0;
};

namespace {

// Each line by a write of its own, under no lock: one log that stands still holds up no other, as a journal's last
// words must be said beside.
class DescriptorSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    line_.assign(message.payload.data(), message.payload.size()).append(1, '\n');
    for (std::string_view left = line_; !left.empty();) {
      const ssize_t count = ::write(descriptor_, left.data(), left.size());
      if (count >= 0)
        left.remove_prefix(static_cast<std::size_t>(count));
      else if (errno == EAGAIN)  // somebody else has made it so
        await_room();
      else if (errno != EINTR)
        return;
    }
  }
  void flush_() override {}
  void await_room() const {
    pollfd room = {descriptor_, POLLOUT, 0};
    ::poll(&room, 1, -1);
  }

  const int descriptor_;
  std::string line_;
};

// Owns the queue and the thread that empties it.
struct QueuedSink {
  explicit QueuedSink(spdlog::sink_ptr target) : pool(std::make_shared<spdlog::details::thread_pool>(queue_lines, 1)) {
    logger = std::make_shared<spdlog::async_logger>("parley", std::move(target), pool,
                                                    spdlog::async_overflow_policy::overrun_oldest);
    logger->set_pattern("%v");
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::trace);
    logger->set_error_handler([](const std::string&) {});  // a log that cannot be written must stop nothing (B4)
  }
  // What nobody reads may be in a write for ever: that thread is left behind then, with all that it uses.
  ~QueuedSink() {
    std::promise<void> written;
    const auto end = written.get_future();
    std::thread([written = std::move(written), logger = std::move(logger), pool = std::move(pool)]() mutable {
      pool.reset();  // first: its thread, which this joins, writes to the logger's sink
      logger.reset();
      written.set_value();
    }).detach();
    end.wait_for(end_patience);
  }
  QueuedSink(const QueuedSink&) = delete;
  QueuedSink& operator=(const QueuedSink&) = delete;

  std::shared_ptr<spdlog::async_logger> logger;
  std::shared_ptr<spdlog::details::thread_pool> pool;
};

// Log::Sink is private to Log, which names it when it makes one of these.
template <class Base>
struct ToQueue final : Base {
  explicit ToQueue(spdlog::sink_ptr target) : queue(std::move(target)) {}
  void write(std::string_view line) override { queue.logger->log(spdlog::level::info, line); }
  QueuedSink queue;
};

template <class Base>
struct ToFunction final : Base {
  explicit ToFunction(std::function<void(std::string_view)> f) : function(std::move(f)) {}
  void write(std::string_view line) override { function(line); }
  std::function<void(std::string_view)> function;
};

}  // namespace

base::Result<Level> parse_level(std::string_view name) {
  for (std::size_t i = 0; i < level_names.size(); ++i)
    if (name == level_names[i]) return static_cast<Level>(i);
  return base::fail(base::ErrorCode::BAD_REQUEST, "no such log level: " + std::string(name), "log level",
                    "Use debug, info, warning or error.");
}

Log::Log(base::Clock& clock, Level level, std::unique_ptr<Sink> sink)
    : clock_(clock), level_(level), sink_(std::move(sink)) {}
Log::~Log() = default;

std::unique_ptr<Log> Log::to_stderr(base::Clock& clock, Level level) {
  return to_descriptor(clock, level, STDERR_FILENO);
}

std::unique_ptr<Log> Log::to_descriptor(base::Clock& clock, Level level, int descriptor) {
  auto sink = std::make_unique<ToQueue<Sink>>(std::make_shared<DescriptorSink>(descriptor));
  return std::unique_ptr<Log>(new Log(clock, level, std::move(sink)));
}

std::unique_ptr<Log> Log::to_function(base::Clock& clock, Level level, std::function<void(std::string_view)> sink) {
  return std::unique_ptr<Log>(new Log(clock, level, std::make_unique<ToFunction<Sink>>(std::move(sink))));
}

void Log::write(Level level, std::string_view event, Fields fields) {
  if (!wants(level)) return;
  sink_->write(line_of(clock_.wall(), level, event, fields));
}

}  // namespace parley::observe
