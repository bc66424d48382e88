// What time brings, whoever calls: what is due, what is forgotten, what a suspended machine has missed.
#include "broker/core.hpp"

namespace parley::broker {
namespace {

constexpr std::size_t forgotten_a_turn = 10'000;
constexpr base::Duration put_off_for = std::chrono::seconds(1);

}  // namespace

// What time brings can wait: a lease that is over holds nothing, what has expired is given to nobody.
void Core::put_off_duties() {
  decided_.clear();
  duties_put_off_until_ = context().now + put_off_for;
}

std::optional<base::Instant> Core::next_duty() const {
  auto due = engine_.next_due();
  if (due) due = std::max(*due, duties_put_off_until_);
  return due;
}

void Core::carry_out_duties(const engine::PolledAt& polled) {
  if (const auto due = next_duty(); !due || *due > context().now) return;
  decided_.clear();
  engine_.decide_unfinished(options_.step_messages, context(), decided_);
  bool room = record_if_room(journal::Need::duty).has_value();
  decided_.clear();
  engine_.decide_due(context(), decided_, polled);
  room = room && record_if_room(journal::Need::duty).has_value();
  if (!room) put_off_duties();
}

// Whoever's they are (D11): what a turn leaves, the next one finds.
void Core::forget_old() {
  for (std::size_t left = forgotten_a_turn; left > 0;) {
    decided_.clear();
    const std::size_t forgotten = engine_.decide_forgotten(left, context(), decided_);
    if (forgotten == 0 || !record_if_room(journal::Need::duty)) return;
    left -= forgotten;
  }
}

// Of a block that has begun the time stands: it is asked where none has. Without room for the event it stands as well.
base::Duration Core::catch_up_with_time() {
  const base::Duration missed = time_.missed();
  if (missed == base::Duration{}) return {};
  block_time_.reset();
  time_.skip(missed);
  if (!decide(engine::SkipTime{missed}, journal::Need::duty)) {
    block_time_.reset();
    time_.skip(-missed);
    return {};
  }
  counts_.suspended += missed;
  return missed;
}

}  // namespace parley::broker
