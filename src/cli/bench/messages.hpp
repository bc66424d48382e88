// The messages of a bench run: valid `collab` messages of a given size, each with a fresh UUID, timestamp and mark. A
// batch is laid out once; afterwards only those places are written anew.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace parley::cli::bench {

// What a run sends. `tasks`: assignments, each of which begins a task. `remarks`: nothing follows from them but their
// delivery. `work`: assignments, of which each is acknowledged and then completed.
enum class Contents : std::uint8_t { tasks, remarks, work };
std::string_view word_of(Contents contents);
Contents contents_of(std::string_view word);  // one of those

enum class Text : std::uint8_t { assignment, remark, acknowledgment, completion };

// What has become of a task, by its latest message.
enum class Stage : std::uint8_t { assigned, acknowledged, completed };
constexpr unsigned stage_shift = 62;
// Numbers of messages of one task differ in their stage: an assignment's is the task's own.
constexpr std::uint64_t number_of(std::uint64_t task, Stage stage) {
  return task | std::uint64_t{static_cast<std::uint8_t>(stage)} << stage_shift;
}
constexpr Stage stage_of(std::uint64_t number) {
  return static_cast<Stage>(number >> stage_shift);
}

// What a mark of this run tells: which message it is, and when it was due, in µs of the run's own clock. It is an
// assignment's task id, a remark's subject, and the correlation id of what is said of a task.
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

std::size_t smallest_message(Text text, std::string_view sender, std::string_view recipient);

// A task as its assignment names it.
struct Task {
  Mark mark;
  std::array<char, 36> order;  // the assignment's message id
};
Task task_of(const Mark& mark, std::string_view assignment);  // native bytes, as made here

// Resource type, one thread.
class Messages {
 public:
  // `size` is raised to smallest_message(). UUIDs come from `seed`.
  Messages(Text text, std::string_view sender, std::string_view recipient, std::size_t size, std::size_t batch_max,
           std::uint64_t seed);
  Messages(Messages&&) noexcept = default;  // no copies: views are into what is moved along

  // `count` new messages, at most batch_max, of which the i-th is marked {first.number + i, first.due_us + i *
  // step_us}. Views are good until the next call.
  std::span<const std::string_view> make(std::size_t count, Mark first, double step_us, base::Instant now);

  // Acknowledgments or completions of as many tasks, at most batch_max, numbered by task and `stage`.
  std::span<const std::string_view> reply(std::span<const Task> tasks, Stage stage, std::uint64_t due_us,
                                          base::Instant now);

  std::size_t size() const { return size_; }

 private:
  // Where in a message what stands; npos: nowhere.
  struct Places {
    std::size_t id, order, time, mark, task, folder;
  };

  void write_uuid(char* at);
  char* begin(std::size_t i, std::string_view time, const Mark& mark, std::uint64_t task);

  std::size_t size_ = 0;
  Places at_{};
  std::string bytes_;  // batch_max messages, one after the other
  std::vector<std::string_view> views_;
  std::uint64_t state_;
};

}  // namespace parley::cli::bench
