#include "app/snapshots.hpp"

#include "broker/replay.hpp"

namespace parley::app {
namespace {

constexpr std::uint64_t events_a_snapshot = 1'000'000;
constexpr std::size_t chunk = 1 << 20;

}  // namespace

Snapshots::Snapshots(journal::Journal& journal, engine::RulesetOf ruleset_of, observe::Log& log)
    : journal_(journal), ruleset_of_(std::move(ruleset_of)), log_(log), newest_first_(journal.snapshots()) {}

Snapshots::~Snapshots() {
  give_up_ = true;
  if (thread_.joinable()) thread_.join();
}

void Snapshots::consider(std::uint64_t events) {
  if (events - events_at_last_ < events_a_snapshot || running_) return;
  events_at_last_ = events;
  begin();
}

void Snapshots::begin() {
  if (thread_.joinable()) thread_.join();
  auto writer = journal_.begin_snapshot();
  if (!writer) {
    log_.warning("snapshot_not_begun", {{"message", writer.error().message}});
    return;
  }
  running_ = true;
  thread_ =
      std::thread([this, writer = std::move(*writer), reader = journal_.reader(), head = journal_.head()]() mutable {
        engine::Engine engine(ruleset_of_);
        const base::Position from = broker::load_snapshot(journal_, newest_first_, engine);
        auto outcome = broker::replay(*reader, from, head.position, engine, &give_up_);
        if (outcome && !give_up_) {
          const std::string state = engine.save();
          for (std::size_t at = 0; at < state.size() && outcome && !give_up_; at += chunk)
            outcome = writer->write(std::string_view(state).substr(at, chunk));
          if (outcome && !give_up_) outcome = writer->commit();
          if (outcome && !give_up_) {
            newest_first_.insert(newest_first_.begin(), {head, state.size()});
            newest_first_.resize(std::min<std::size_t>(newest_first_.size(), 2));
            log_.info("snapshot_written", {{"position", head.position.value}, {"bytes", state.size()}});
          }
        }
        if (!outcome) log_.warning("snapshot_failed", {{"message", outcome.error().message}});
        running_ = false;
      });
}

}  // namespace parley::app
