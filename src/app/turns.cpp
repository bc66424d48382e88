#include "app/turns.hpp"

#include <thread>

namespace parley::app {
namespace {

constexpr base::Duration shutdown_patience = std::chrono::seconds(4);
constexpr base::Duration idle_turn = std::chrono::seconds(1);
constexpr base::Duration sync_look = std::chrono::milliseconds(50);  // while one is under way: whether it takes long
constexpr base::Duration gathering_max = std::chrono::microseconds(400);  // a sync takes 100 to 400
constexpr base::Duration drain_look = std::chrono::milliseconds(20);
constexpr base::Duration journal_tick = std::chrono::seconds(1);          // a tick may write and sync a mark
constexpr base::Duration held_back_max = std::chrono::milliseconds(200);  // D11: the input queue
constexpr std::uint64_t round_bytes = 16 << 20;                           // what a round of input may bring

}  // namespace

void hold_input_back(journal::Journal& journal, base::Clock& clock, const std::function<bool()>& go_on) {
  const base::Duration until = clock.monotonic() + held_back_max;
  while (journal.room_for(round_bytes) == journal::Room::soon && clock.monotonic() < until && go_on()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    journal.tick();
  }
}

base::Result<> Turns::turn() {
  const base::Duration suspended = parts_.broker.counts().suspended;
  PARLEY_CHECK(parts_.broker.turn());
  if (const base::Duration more = parts_.broker.counts().suspended - suspended; more != base::Duration{})
    parts_.log.info("woken", {{"suspended", base::to_text(std::chrono::floor<std::chrono::seconds>(more))}});
  parts_.snapshots.consider(parts_.loop.now());
  parts_.loop.flush();
  return {};
}

base::Duration Turns::pause() {
  broker::Broker& broker = parts_.broker;
  if (!broker.idle()) return {};
  return std::min(broker.until_next_due().value_or(idle_turn), broker.settled() ? idle_turn : sync_look);
}

// One sync serves what was decided and what workers are about to bring, so it waits for that; and the loop, which would
// have to wait, reads some of it. So does a loop that has nothing to do: the worker may have to wait for the core that
// the sender still has.
void Turns::gather() {
  broker::Broker& broker = parts_.broker;
  if (!broker.has_decided() && !broker.idle()) return;  // what is to be told needs no sync
  const base::Duration until = parts_.clock.monotonic() + gathering_max;
  const auto frames_come = [this] { return parts_.sockets.frames_come_soon(); };
  bool has_read = false;  // a frame, and has not looked for input since
  while (broker.gathers() && (has_read || frames_come()) && parts_.clock.monotonic() < until) {
    const bool more = parts_.loop.more_is_ready();
    if (more) parts_.loop.take_more();
    has_read = !more && frames_come() && parts_.sockets.read_one();
    if (more || has_read) continue;
    if (!frames_come() || !broker.has_decided()) return;
    std::this_thread::yield();
  }
}

base::Result<> Turns::until(const bool& stopping) {
  base::Clock& clock = parts_.clock;
  base::Result<> outcome;
  base::Duration ticked = clock.monotonic();
  while (!stopping) {
    hold_input_back(parts_.journal, clock, [&] { return parts_.broker.settled() || (outcome = turn()); });
    PARLEY_CHECK(outcome);
    parts_.loop.wait(clock.monotonic() + pause());
    if (const base::Duration now = clock.monotonic(); now - ticked >= journal_tick) {
      ticked = now;
      parts_.journal.tick();
      disk_room_.look(parts_.broker.room());
      parts_.server_file.look();
    }
    gather();
    PARLEY_CHECK(turn());
  }
  return {};
}

// Up to here the server was there, however long it was idle (C2).
base::Result<> Turns::tell_of_stop(base::Duration until) {
  PARLEY_CHECK(parts_.broker.stop());
  while (!parts_.broker.settled() && parts_.clock.monotonic() < until) {
    parts_.loop.wait(parts_.clock.monotonic() + drain_look);
    PARLEY_CHECK(turn());
  }
  return {};
}

base::Result<> Turns::drain() {
  parts_.http.end_waits();
  parts_.loop.drain();
  base::Clock& clock = parts_.clock;
  broker::Broker& broker = parts_.broker;
  const base::Duration patience = clock.monotonic() + shutdown_patience;
  while ((parts_.loop.connections() > 0 || !broker.settled()) && clock.monotonic() < patience) {
    parts_.loop.wait(clock.monotonic() + std::min(pause(), drain_look));
    PARLEY_CHECK(turn());
    const bool all_told = broker.settled() && parts_.sockets.idle();
    if (all_told || clock.monotonic() > patience - shutdown_patience / 2) parts_.loop.close_drained();
  }
  if (!broker.settled()) return {};
  PARLEY_CHECK(tell_of_stop(patience));
  if (broker.settled()) parts_.snapshots.finish(broker.engine(), [&] { return clock.monotonic() > patience; });
  return {};
}

}  // namespace parley::app
