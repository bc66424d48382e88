#include "engine/messages/rate.hpp"

#include <algorithm>

#include "engine/later.hpp"
#include "engine/workspaces/workspace.hpp"

namespace parley::engine {
namespace {

constexpr std::int64_t steps_a_window = 60;

}  // namespace

profile::RateLimit rate_of(const Settings& settings, const profile::Ruleset& ruleset) {
  if (!settings.rate_messages) return ruleset.rate;
  return {*settings.rate_messages, settings.rate_window};
}

Instant counts_until(const profile::RateLimit& rate, Instant now) {
  const std::int64_t step = std::max<std::int64_t>(rate.window.count() / steps_a_window, 1);
  const std::int64_t end = base::unix_us(later(now, rate.window));
  return base::instant_of(end + (step - end % step) % step);
}

std::uint32_t SentLately::count(Instant now) const {
  std::uint32_t messages = 0;
  for (const Step& step : steps_)
    if (step.until > now) messages += step.messages;
  return messages;
}

Instant SentLately::first_to_go(Instant now) const {
  for (const Step& step : steps_)
    if (step.until > now) return step.until;
  return now;
}

void SentLately::add(Instant until, Instant now) {
  std::erase_if(steps_, [now](const Step& step) { return step.until <= now; });
  // A workspace's new, shorter window may end before what counts already.
  const auto at = std::lower_bound(steps_.begin(), steps_.end(), until,
                                   [](const Step& step, Instant end) { return step.until < end; });
  if (at != steps_.end() && at->until == until)
    ++at->messages;
  else
    steps_.insert(at, {until, 1});
}

}  // namespace parley::engine
