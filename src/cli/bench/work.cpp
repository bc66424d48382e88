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

std::optional<Work::Batch> Work::say(std::size_t architect, Stage stage, Saying& saying, Duration now) const {
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

void Work::take_outcomes(const WorkSheet& sheet, json::Value outcomes, const std::optional<base::Error>& error,
                         Duration now, Tally& tally) {
  tally.last_answer = now;
  if (error) return tally.refuse(*error, sheet.tasks.size());
  auto& completing = architects_[sheet.architect].completing.tasks;
  std::size_t i = 0;
  for (const auto outcome : outcomes.elements()) {
    const Task& task = sheet.tasks[i++];
    const bool accepted = tally.take_outcome(outcome, number_of(task.mark.number, sheet.stage), now - sheet.due);
    if (accepted && sheet.stage == Stage::acknowledged) completing.push_back(task);
  }
}

}  // namespace parley::cli::bench
