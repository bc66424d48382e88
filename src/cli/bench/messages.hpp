// The messages of a bench run: valid `collab` messages of a given size, each with a fresh UUID, timestamp and mark. A
// batch is laid out once; afterwards only those places are written anew.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace parley::cli::bench {

// Assignments, each of which begins a task and has its id for a mark; or remarks, which nothing follows from but their
// delivery, with the mark as their subject.
enum class Contents : std::uint8_t { tasks, remarks };

// What a mark of this run tells: which message it is, and when it was due, in µs of the run's own clock.
struct Mark {
  std::uint64_t number = 0;
  std::uint64_t due_us = 0;
};
inline constexpr std::size_t mark_bytes = 5 + 16 + 1 + 16;  // "task-NUMBER-DUE" in hex
bool read_mark(std::string_view text, Mark& mark);

// Finds the mark in a message's native bytes: where it was in the one before, or by looking for it.
class MarkFinder {
 public:
  bool find(std::string_view native, Mark& mark);  // false: there is none

 private:
  std::size_t at_ = 0;
};

std::size_t smallest_message(Contents contents, std::string_view sender, std::string_view recipient);

// Resource type, one thread.
class Messages {
 public:
  // `size` is raised to smallest_message(). UUIDs come from `seed`.
  Messages(Contents contents, std::string_view sender, std::string_view recipient, std::size_t size,
           std::size_t batch_max, std::uint64_t seed);

  // `count` new messages, at most batch_max, of which the i-th is marked {first.number + i, first.due_us + i *
  // step_us}. Views are good until the next call.
  std::span<const std::string_view> make(std::size_t count, Mark first, double step_us, base::Instant now);

  std::size_t size() const { return size_; }

 private:
  void write_uuid(char* at);

  std::size_t size_ = 0;
  std::size_t id_at_ = 0, time_at_ = 0, mark_at_ = 0, folder_at_ = 0;
  std::string bytes_;  // batch_max messages, one after the other
  std::vector<std::string_view> views_;
  std::uint64_t state_;
};

}  // namespace parley::cli::bench
