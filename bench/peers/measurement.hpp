// What every peer's load has in common with `parley bench`: 1 KB messages, publish for a time or a count, drain, and
// the same JSON figures. A message counts once it is published, stored, delivered and acked.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace parley::peers {

using Clock = std::chrono::steady_clock;

// "--name value" pairs.
class Arguments {
 public:
  Arguments(int count, char** values) {
    for (int i = 1; i + 1 < count; i += 2) values_[values[i]] = values[i + 1];
  }
  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  std::uint64_t number(const std::string& name, std::uint64_t otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
  }

 private:
  std::map<std::string, std::string> values_;
};

struct Work {
  std::size_t size;
  std::uint64_t count;  // messages in all; 0: for `seconds`
  double seconds;
  bool publish_only;
  std::size_t window;

  explicit Work(const Arguments& arguments)
      : size(arguments.number("--size", 1024)),
        count(arguments.number("--count", 0)),
        seconds(static_cast<double>(arguments.number("--seconds", 10))),
        publish_only(arguments.text("--mode", "e2e") == "publish"),
        window(arguments.number("--window", 4096)) {}

  bool over(std::uint64_t sent, Clock::time_point start) const {
    if (count > 0) return sent >= count;
    return std::chrono::duration<double>(Clock::now() - start).count() >= seconds;
  }
};

// Bytes of a message, each with a number of its own.
class Payload {
 public:
  explicit Payload(std::size_t size) {
    while (text_.size() < size) text_ += "Refuse unknown keys, naming file, line and key; keep what is there. ";
    text_.resize(size);
  }
  std::string_view make(std::uint64_t number) {
    std::snprintf(text_.data(), 21, "%020llu", static_cast<unsigned long long>(number));
    text_[20] = ' ';
    return text_;
  }

 private:
  std::string text_;
};

inline void report(std::uint64_t published, std::uint64_t acked, const Work& work, Clock::duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  const std::uint64_t done = work.publish_only ? published : acked;
  std::printf(
      "{\"messages_per_second\": %.0f, \"seconds\": %.3f, \"accepted\": %llu, \"acked\": %llu, \"complete\": %s}\n",
      static_cast<double>(done) / seconds, seconds, static_cast<unsigned long long>(published),
      static_cast<unsigned long long>(acked), work.publish_only || acked == published ? "true" : "false");
}

inline void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

// main()'s body: errors become one line and status 1.
template <class Body>
int run_peer(Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace parley::peers
