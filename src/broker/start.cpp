// Recovery: the newest snapshot that reads back, what came after it, then the start itself as an event. And a stop.
#include "broker/core.hpp"
#include "broker/replay.hpp"

namespace parley::broker {

base::Result<Recovery> Core::start() {
  Recovery recovery;
  LoadedSnapshot snapshot = load_snapshot(parts_.journal, parts_.journal.snapshots(), engine_);
  const base::Position from = snapshot.at;
  recovery.refused_snapshots = std::move(snapshot.refused);
  recovery.from_snapshot = from != base::Position{};
  const journal::Head head = parts_.journal.head();
  PARLEY_CHECK(replay(history_.reader(), from, head.position, engine_));
  recovery.events = head.position.value - from.value;
  durable_ = committed_ = parts_.journal.durable_head();
  block_ = std::make_shared<Block>(base::Position(head.position.value + 1));

  recovery.ahead = std::max(base::Duration{}, engine_.state().now - parts_.clock.wall());
  recovery.downtime = time_.resume(engine_.state().now);
  decided_.clear();
  engine_.decide(engine::StartServer{recovery.downtime}, context(), decided_);
  PARLEY_CHECK(record_if_room(journal::Need::duty));
  return recovery;
}

base::Result<> Core::stop() {
  if (const auto said = decide(engine::StopServer{}, journal::Need::duty); !said && failure_)
    return std::unexpected(*failure_);
  return commit();
}

}  // namespace parley::broker
