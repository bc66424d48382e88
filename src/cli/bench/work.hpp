// What a developer does with its assignments: it acknowledges each, and completes it once that was accepted.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/load.hpp"
#include "cli/bench/messages.hpp"

namespace parley::cli::bench {

// Messages about tasks of one architect, sent together and not yet answered.
struct WorkSheet {
  std::uint64_t frame = 0;
  std::size_t architect = 0;
  Stage stage{};
  Duration due{};
  std::vector<Task> tasks;
};

// One developer's work. Resource type, one thread.
class Work {
 public:
  Work(std::string_view developer, const std::vector<std::string>& architects, const Settings& settings);

  void take(const Task& assigned);

  struct Batch {
    WorkSheet sheet;  // its frame is for the caller to fill in
    std::span<const std::string_view> messages;
  };
  // What is to be said next, at most a frame of it; nothing: all is said. Views are good until the next call.
  std::optional<Batch> next(Duration now);
  bool all_said() const;

  // Outcomes in order; where there are none, `error` holds for all of it. What was held back for want of room is to be
  // said again; what was refused is not, and its task stays as it is.
  void take_outcomes(const WorkSheet& sheet, json::Value outcomes, const std::optional<base::Error>& error,
                     Duration now, Tally& tally);

 private:
  struct Saying {
    Messages messages;
    std::deque<Task> tasks;  // to be said of
  };
  struct Architect {
    Saying acknowledging, completing;
  };
  std::optional<Batch> say(std::size_t architect, Stage stage, Saying& saying, Duration now);
  Saying& saying(const WorkSheet& sheet);

  std::size_t batch_;
  std::vector<Architect> architects_;
};

}  // namespace parley::cli::bench
