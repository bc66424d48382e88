// One thread, one ppoll: the load takes one core at most and the server has the other.
#include "cli/bench/run.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>

#include "base/clock.hpp"
#include "cli/bench/http_links.hpp"
#include "cli/bench/setup.hpp"
#include "cli/bench/stream_links.hpp"

namespace parley::cli::bench {
namespace {

constexpr Duration stalled_after = std::chrono::seconds(15);  // nothing more happens: something was lost
constexpr Duration longest_sleep = std::chrono::milliseconds(100);

using Links = std::vector<std::unique_ptr<Link>>;

std::vector<std::string> ids_of(const std::vector<Participant>& participants) {
  std::vector<std::string> ids;
  for (const auto& one : participants) ids.push_back(one.agent_id);
  return ids;
}

Schedule schedule_for(std::uint32_t producer, const Settings& settings) {
  const std::uint64_t of_each = settings.messages_of_each();
  const std::uint64_t count = settings.count / of_each + (settings.count % of_each > 0);
  const std::uint64_t share = count / settings.producers + (producer < count % settings.producers);
  return Schedule(settings.rate / settings.producers / static_cast<double>(of_each),
                  settings.count > 0 ? Duration::max() / 2 : settings.duration,
                  settings.count > 0 ? share : UINT64_MAX);
}

base::Result<Links> open_consumers(const Cast& cast, const Settings& settings, Tally& tally) {
  Links links;
  if (settings.publish_only) return links;
  for (const auto& [agent, access] : cast.recipients) {
    if (settings.http) {
      PARLEY_TRY(auto connection, HttpConnection::open(access));
      links.push_back(std::make_unique<HttpConsumer>(
          std::move(connection), sdk::path_of(cast.workspace, {"agents", agent, "inbox"}), settings, tally));
      continue;
    }
    PARLEY_TRY(auto stream, sdk::Stream::open(access, cast.workspace, agent, {.credit = settings.credit}));
    if (settings.is_work())
      links.push_back(
          std::make_unique<StreamWorker>(std::move(stream), Work(agent, ids_of(cast.producers), settings), tally));
    else
      links.push_back(std::make_unique<StreamConsumer>(std::move(stream), tally));
  }
  return links;
}

base::Result<Links> open_producers(const Cast& cast, const Settings& settings, Tally& tally) {
  Links links;
  const auto recipients = ids_of(cast.recipients);
  for (std::uint32_t i = 0; i < settings.producers; ++i) {
    const auto& [agent, access] = cast.producers[i];
    Sender sender(i, agent, recipients, settings, schedule_for(i, settings));
    if (settings.http) {
      PARLEY_TRY(auto connection, HttpConnection::open(access));
      links.push_back(std::make_unique<HttpProducer>(std::move(connection), sdk::path_of(cast.workspace, {"messages"}),
                                                     std::move(sender), settings, tally));
    } else {
      const std::uint32_t credit = settings.is_work() ? settings.credit : 0;  // the answers to its assignments
      PARLEY_TRY(auto stream, sdk::Stream::open(access, cast.workspace, agent, {.credit = credit}));
      links.push_back(std::make_unique<StreamProducer>(std::move(stream), std::move(sender), settings, tally));
    }
  }
  return links;
}

// The run's own clock, from the moment the first message may go.
class RunClock {
 public:
  RunClock() : start_(clock_.monotonic()) {}
  Duration now() { return clock_.monotonic() - start_; }

 private:
  base::SystemClock clock_;
  Duration start_;
};

// Waits for the links' sockets or the next due message, whichever comes first.
void wait_for(const Links& links, std::vector<pollfd>& polled, RunClock& clock) {
  Duration now = clock.now(), due = now + longest_sleep;
  polled.clear();
  for (const auto& link : links) {
    polled.push_back({link->descriptor(), static_cast<short>(POLLIN | (link->wants_write() ? POLLOUT : 0)), 0});
    due = std::min(due, link->next_due(now));
  }
  const auto left = std::max(due - now, Duration{});
  const timespec timeout{left / std::chrono::seconds(1), (left % std::chrono::seconds(1)).count() * 1000};
  if (::ppoll(polled.data(), polled.size(), &timeout, nullptr) < 0)
    for (auto& one : polled) one.revents = 0;  // a signal: nothing is ready
}

bool all_finished(std::span<const std::unique_ptr<Link>> links, Duration now) {
  return std::ranges::all_of(links, [now](const auto& link) { return link->finished(now); });
}

base::Result<> turn_ready(const Links& links, const std::vector<pollfd>& polled, RunClock& clock) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Duration now = clock.now();
    if (polled[i].revents != 0 || links[i]->next_due(now) <= now) PARLEY_CHECK(links[i]->turn(now));
  }
  return {};
}

bool anything_due(std::span<const std::unique_ptr<Link>> links, Duration now) {
  return std::ranges::any_of(links, [now](const auto& link) { return link->next_due(now) != Duration::max(); });
}

// Until everything sent is answered and, end to end, everything accepted is acked; false: for long nothing happened.
// The first `producers` of the links are those.
base::Result<bool> drive(const Links& links, std::size_t producers, RunClock& clock, const Tally& tally) {
  const auto senders = std::span(links).first(producers);
  std::vector<pollfd> polled;
  std::uint64_t before = 0;
  Duration moved{};
  for (const auto& link : links) PARLEY_CHECK(link->turn(clock.now()));
  while (true) {
    wait_for(links, polled, clock);
    PARLEY_CHECK(turn_ready(links, polled, clock));
    const Duration now = clock.now();
    const bool all_settled = links.size() == producers || tally.acked + tally.not_acked >= tally.accepted;
    if (all_settled && all_finished(links, now)) return true;
    const std::uint64_t counted = tally.accepted + tally.refused + tally.held_back + tally.acked + tally.not_acked;
    if (counted != before || anything_due(senders, now)) moved = now;
    if (now - moved > stalled_after) return false;
    before = counted;
  }
}

Duration cpu_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) { return Duration(t.tv_sec * 1'000'000 + t.tv_usec); };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

}  // namespace

std::vector<std::string> Outcome::lacks(const Settings& settings) const {
  std::vector<std::string> lacks;
  const auto note = [&lacks](std::uint64_t count, const char* what) {
    if (count > 0) lacks.push_back(std::to_string(count) + what);
  };
  if (tally.accepted == 0) lacks.emplace_back("nothing was accepted");
  if (stalled) lacks.push_back("nothing happened any more for " + base::to_text(stalled_after));
  note(tally.refused, " refused");
  note(tally.duplicates, " accepted before");
  if (settings.publish_only) {
    note(tally.held_back, " held back");
    return lacks;
  }
  note(tally.accepted - std::min(tally.acked, tally.accepted), " accepted and not acked");
  note(tally.acked - std::min(tally.acked, tally.accepted), " acked too often");
  note(tally.repeated, " delivered again");
  if (tally.acked == tally.accepted && tally.acked_sum != tally.accepted_sum)
    lacks.emplace_back("the messages acked are others than those accepted");
  return lacks;
}

double Outcome::per_second(const Settings& settings) const {
  const std::uint64_t count = settings.publish_only ? tally.accepted : tally.acked;
  return elapsed.count() > 0 ? static_cast<double>(count) * 1e6 / static_cast<double>(elapsed.count()) : 0;
}

base::Result<Outcome> run(sdk::Client& admin, const Settings& settings) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // paced messages go when they are due
  PARLEY_TRY(const Cast cast, set_up(admin, settings));
  Outcome outcome;
  outcome.workspace = cast.workspace;
  PARLEY_TRY(Links consumers, open_consumers(cast, settings, outcome.tally));
  PARLEY_TRY(Links links, open_producers(cast, settings, outcome.tally));
  std::ranges::move(consumers, std::back_inserter(links));
  const Duration cpu_before = cpu_time();
  RunClock clock;
  PARLEY_TRY(const bool finished, drive(links, settings.producers, clock, outcome.tally));
  outcome.stalled = !finished;
  outcome.load_cpu = cpu_time() - cpu_before;
  outcome.elapsed = settings.publish_only ? outcome.tally.last_answer : outcome.tally.last_ack;
  return outcome;
}

}  // namespace parley::cli::bench
