// What is known of an agent's health: what it said of itself, when it was heard of, how often it failed (HND-05,
// HND-06, SUP-07). States and moves: spec/machines/health.json and breaker.json. Value types, part of the engine's
// state.
#pragma once
#include <string>
#include <vector>

#include "base/half_digest.hpp"
#include "base/ids.hpp"
#include "engine/messages/rate.hpp"
#include "machine/breaker.hpp"
#include "machine/health.hpp"

namespace parley::engine {

using base::Offset;
using HealthState = machine::health::State;
using BreakerState = machine::breaker::State;

struct Breaker {
  BreakerState state = BreakerState::closed;
  Instant until;                // open, half-open: an attempt may be made from then on
  Offset attempt;               // half-open: the message that was let through as one; 0: what the server gave again
  std::vector<Instant> errors;  // since its newest success; the newest few

  template <class Archive>
  void archive(Archive& a) {
    a(state, until, attempt, errors);
  }
};

// HND-06: an error that has an id: what a task fails by after a report of it, a report of what a task failed by, and a
// report of it to somebody else are the same and counted once.
struct ToldError {
  base::HalfDigest key;                 // of its id (messages/message.hpp)
  Offset at;                            // the newest message that told of it
  bool failed = false;                  // something did
  std::vector<base::AgentNumber> told;  // who has heard of it; the newest few

  template <class Archive>
  void archive(Archive& a) {
    a(key, at, failed, told);
  }
};

struct Health {
  HealthState state = HealthState::unknown;
  Instant since;        // of the state
  bool silent = false;  // the state is what the server made of its silence
  Instant heard;        // its newest message
  // The lazy timer: set once, it comes due and looks whether there was a beat since. A beat moves nothing.
  Instant look_at;      // 0: nobody minds its silence
  Instant beat;         // its newest that counts; moves with the server's downtime (D2)
  bool by_any = false;  // any message is one (R40)
  Instant next_available;
  std::string report;  // its newest, a JSON object of canonical fields; empty: none
  std::uint64_t errors = 0;
  SentLately recent_errors;
  std::string severity;                // of the newest, in the profile's word
  std::vector<ToldError> told_errors;  // the newest few that have an id
  Breaker breaker;

  template <class Archive>
  void archive(Archive& a) {
    a(state, since, silent, heard, look_at, beat, by_any, next_available, report);
    a(errors, recent_errors, severity, told_errors, breaker);
  }
};

// Kinds of message that make a move of a machine, as bits.
using Kinds = std::uint32_t;
static_assert(envelope::kind_names.size() <= 32);
constexpr Kinds bit(envelope::Kind kind) {
  return Kinds{1} << static_cast<unsigned>(kind);
}
template <class Moves, class Party>
constexpr Kinds kinds_of(const Moves& moves, Party by) {
  Kinds kinds = 0;
  for (const auto& move : moves)
    if (move.on && move.by == by) kinds |= bit(*move.on);
  return kinds;
}
// What an agent reports of itself, and what gives it new work.
constexpr Kinds report_kinds = kinds_of(machine::health::moves, machine::health::Party::itself);
constexpr Kinds work_kinds = kinds_of(machine::breaker::moves, machine::breaker::Party::assigner);

}  // namespace parley::engine
