#include "broker/replay.hpp"

#include "event/events.pb.h"

namespace parley::broker {
namespace {

bool given_up(const std::atomic<bool>* give_up) {
  return give_up && give_up->load(std::memory_order_relaxed);
}

base::Result<> load_one(journal::Journal& journal, const journal::SnapshotInfo& info, engine::Engine& engine,
                        const std::atomic<bool>* give_up) {
  PARLEY_TRY(const auto reader, journal.read_snapshot(info));
  base::Result<> read;
  const auto next = [&]() -> std::string_view {
    if (given_up(give_up)) return {};
    auto piece = reader->next();
    if (piece) return *piece;
    read = std::unexpected(std::move(piece).error());
    return {};
  };
  auto loaded = engine.load(next, info.bytes);
  return read ? loaded : read;
}

}  // namespace

LoadedSnapshot load_snapshot(journal::Journal& journal, const std::vector<journal::SnapshotInfo>& newest_first,
                             engine::Engine& engine, const std::atomic<bool>* give_up) {
  LoadedSnapshot loaded;
  for (const journal::SnapshotInfo& info : newest_first) {
    auto done = load_one(journal, info, engine, give_up);
    if (done) loaded.at = info.at.position;
    if (done || given_up(give_up)) break;
    loaded.refused.push_back(std::move(done).error());
  }
  return loaded;
}

base::Result<> replay(journal::Reader& reader, base::Position after, base::Position through, engine::Engine& engine,
                      const std::atomic<bool>* give_up) {
  if (through <= after) return {};
  event::Event event;
  return reader.read(base::Position(after.value + 1), [&](const journal::Entry& entry) -> base::Result<journal::Visit> {
    // A fact of a type that is not known parses, and is none.
    if (!event.ParseFromArray(entry.event.data(), static_cast<int>(entry.event.size())) ||
        event.fact_case() == event::Event::FACT_NOT_SET)
      return base::fail(base::ErrorCode::JOURNAL_DAMAGED,
                        "the event at position " + std::to_string(entry.position.value) + " is none of this version",
                        {}, "Start a newer server on this data folder.");
    engine.apply(event, {entry.position, entry.engine_time, entry.body_length, entry.body_hash});
    return entry.position == through || given_up(give_up) ? journal::Visit::stop : journal::Visit::next;
  });
}

}  // namespace parley::broker
