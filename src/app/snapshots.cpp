#include "app/snapshots.hpp"

#include "base/thread.hpp"
#include "broker/replay.hpp"
#include "engine/save.hpp"

namespace parley::app {
namespace {

std::size_t messages_in(const engine::State& state) {
  std::size_t count = 0;
  for (const auto& workspace : state.workspaces) count += workspace->messages.size();
  return count;
}

struct Written {
  base::Result<> outcome;
  std::uint64_t bytes = 0;
};

// Until `stop` says so, or it cannot be written.
template <class Stop>
Written write(const engine::State& state, journal::SnapshotWriter& writer, Stop stop) {
  Written written;
  engine::save(state, [&](std::string_view piece) {
    if (stop()) return false;
    written.outcome = writer.write(piece);
    written.bytes += piece.size();
    return written.outcome.has_value();
  });
  return written;
}

}  // namespace

Snapshots::Snapshots(journal::Journal& journal, engine::RulesetOf ruleset_of, observe::Log& log, base::Position last,
                     base::Duration now, const When& when)
    : journal_(journal),
      ruleset_of_(std::move(ruleset_of)),
      log_(log),
      last_(last),
      begun_(now),
      when_(when),
      newest_first_(journal.snapshots()) {}

Snapshots::~Snapshots() {
  give_up();
}

void Snapshots::give_up() {
  give_up_ = true;
  if (thread_.joinable()) thread_.join();
}

bool Snapshots::consider(base::Duration now) {
  const std::uint64_t events = since_last();
  const bool too_soon = now - begun_ < when_.apart && events < when_.events_at_most;
  if (events < when_.events || too_soon || running_) return false;
  last_ = journal_.head().position;
  begun_ = now;
  return begin();
}

void Snapshots::finish(const engine::Engine& engine, const std::function<bool()>& out_of_time) {
  if (running_ || since_last() < when_.events_at_stop) return;
  if (messages_in(engine.state()) > when_.messages_at_stop) return;
  const journal::Head head = journal_.head();
  auto writer = journal_.begin_snapshot();
  if (!writer) return log_.warning("snapshot_failed", {{"message", writer.error().message}});
  auto [outcome, bytes] = write(engine.state(), **writer, out_of_time);
  if (out_of_time()) return;
  if (outcome) outcome = (*writer)->commit();
  if (!outcome) return log_.warning("snapshot_failed", {{"message", outcome.error().message}});
  last_ = head.position;
  log_.info("snapshot_written", {{"position", head.position.value}, {"bytes", bytes}});
}

bool Snapshots::begin() {
  if (thread_.joinable()) thread_.join();
  auto writer = journal_.begin_snapshot();
  if (!writer) {
    log_.warning("snapshot_not_begun", {{"message", writer.error().message}});
    return false;
  }
  running_ = true;
  thread_ =
      std::thread([this, writer = std::move(*writer), reader = journal_.reader(), head = journal_.head()]() mutable {
        base::stand_back();
        engine::Engine engine(ruleset_of_);
        const base::Position from = broker::load_snapshot(journal_, newest_first_, engine, &give_up_).at;
        auto outcome = broker::replay(*reader, from, head.position, engine, &give_up_);
        if (outcome && !give_up_) {
          auto written = write(engine.state(), *writer, [this] { return give_up_.load(); });
          outcome = std::move(written.outcome);
          if (outcome && !give_up_) outcome = writer->commit();
          if (outcome && !give_up_) {
            newest_first_.insert(newest_first_.begin(), {head, written.bytes});
            newest_first_.resize(std::min<std::size_t>(newest_first_.size(), 2));
            log_.info("snapshot_written", {{"position", head.position.value}, {"bytes", written.bytes}});
          }
        }
        if (!outcome) log_.warning("snapshot_failed", {{"message", outcome.error().message}});
        running_ = false;
        running_.notify_all();
      });
  return true;
}

}  // namespace parley::app
