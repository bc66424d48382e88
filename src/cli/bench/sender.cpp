// Recipients take turns by batch.
#include "cli/bench/sender.hpp"

#include "base/clock.hpp"

namespace parley::cli::bench {

Sender::Sender(std::uint32_t producer, std::string_view agent, const std::vector<std::string>& recipients,
               const Settings& settings, Schedule schedule)
    : producer_(producer), schedule_(schedule) {
  base::SystemRandom random;
  const Text text = settings.contents == Contents::remarks ? Text::remark : Text::assignment;
  for (const auto& recipient : recipients)
    messages_.emplace_back(text, agent, recipient, settings.size, settings.batch, random.next());
  next_ = producer % messages_.size();
}

Sender::Batch Sender::make(std::size_t count, Duration now) {
  Sheet sheet{.first = number_of(producer_, schedule_.sent()),
              .count = static_cast<std::uint32_t>(count),
              .due = schedule_.due_at(schedule_.sent(), now),
              .step_us = schedule_.step_us()};
  Messages& messages = messages_[next_++ % messages_.size()];
  const Mark mark{.number = sheet.first, .due_us = static_cast<std::uint64_t>(sheet.due.count())};
  const auto made = messages.make(count, mark, sheet.step_us, base::SystemClock().wall());
  schedule_.add_sent(count);
  return {sheet, made};
}

void take_outcomes(const Sheet& sheet, json::Value outcomes, const std::optional<base::Error>& error, Duration now,
                   Tally& tally) {
  tally.last_answer = now;
  if (error) return tally.refuse(*error, sheet.count);
  std::size_t i = 0;
  for (const auto outcome : outcomes.elements()) {
    tally.take_outcome(outcome, sheet.first + i, now - sheet.due_of(i));
    ++i;
  }
}

}  // namespace parley::cli::bench
