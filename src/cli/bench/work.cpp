// Completions go first: they end what is under way.
#include "cli/bench/work.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace parley::cli::bench {

Work::Work(std::string_view developer, const std::vector<std::string>& architects, const Settings& settings)
    : batch_(settings.batch) {
  base::SystemRandom random;
  const auto saying = [&](Text text, std::string_view architect) {
    return Saying{Messages(text, developer, architect, settings.size, settings.batch, random.next()), {}};
  };
  for (const auto& one : architects)
    architects_.push_back({saying(Text::acknowledgment, one), saying(Text::completion, one)});
}

void Work::take(const Task& assigned) {
  architects_.at(producer_of(assigned.mark.number)).acknowledging.tasks.push_back(assigned);
}

std::optional<Work::Batch> Work::say(std::size_t architect, Stage stage, Saying& saying, Duration now) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(batch_, saying.tasks.size()));
  if (count == 0) return std::nullopt;
  WorkSheet sheet{.frame = 0, .architect = architect, .stage = stage, .due = now, .tasks = {}};
  sheet.tasks.assign(saying.tasks.begin(), saying.tasks.begin() + count);
  saying.tasks.erase(saying.tasks.begin(), saying.tasks.begin() + count);
  const auto messages =
      saying.messages.reply(sheet.tasks, stage, static_cast<std::uint64_t>(now.count()), base::SystemClock().wall());
  return Batch{std::move(sheet), messages};
}

std::optional<Work::Batch> Work::next(Duration now) {
  for (std::size_t i = 0; i < architects_.size(); ++i) {
    auto& [acknowledging, completing] = architects_[i];
    if (auto batch = say(i, Stage::completed, completing, now)) return batch;
    if (auto batch = say(i, Stage::acknowledged, acknowledging, now)) return batch;
  }
  return std::nullopt;
}

bool Work::all_said() const {
  return std::ranges::all_of(architects_, [](const Architect& one) {
    return one.acknowledging.tasks.empty() && one.completing.tasks.empty();
  });
}

Work::Saying& Work::saying(const WorkSheet& sheet) {
  auto& [acknowledging, completing] = architects_[sheet.architect];
  return sheet.stage == Stage::acknowledged ? acknowledging : completing;
}

void Work::take_outcomes(const WorkSheet& sheet, json::Value outcomes, const std::optional<base::Error>& error,
                         Duration now, Tally& tally) {
  tally.last_answer = now;
  auto& again = saying(sheet).tasks;
  auto held_back = tally.held_back;
  if (error) {
    tally.refuse(*error, sheet.tasks.size());
    if (tally.held_back > held_back) again.insert(again.begin(), sheet.tasks.begin(), sheet.tasks.end());
    return;
  }
  auto task = sheet.tasks.begin();
  for (const auto outcome : outcomes.elements()) {
    if (task == sheet.tasks.end()) return;
    const bool accepted = tally.take_outcome(outcome, number_of(task->mark.number, sheet.stage), now - sheet.due);
    if (accepted && sheet.stage == Stage::acknowledged)
      architects_[sheet.architect].completing.tasks.push_back(*task);
    else if (tally.held_back > held_back)
      again.push_back(*task);
    held_back = tally.held_back;
    ++task;
  }
}

}  // namespace parley::cli::bench
