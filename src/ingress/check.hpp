// The pure pipeline from a native message to its canonical envelope: every rule of the sender's profile that one
// message and its sender alone can answer for. No clock, no file, no state; the engine judges the rest (who is
// registered, what came before, what has expired). Nothing is stored before a message has passed here (COR-04).
//
// In order: size, type, version, sender, schema, named checks, limits, envelope. In lenient validation the
// defects that schema and checks find are recorded, as long as type, sender and recipients can be read (R5); the rest
// refuses in either, as do checks that are `also_lenient`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/half_digest.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "envelope/envelope.hpp"
#include "json/value.hpp"
#include "profile/ruleset.hpp"

namespace parley::ingress {

// The message as it came. Both parts must outlive the call; nothing of them is kept.
struct Native {
  std::string_view bytes;
  json::Value value;
};

enum class Validation : std::uint8_t { strict, lenient };  // R5

struct Options {
  std::string_view sender;                // the agent the credential belongs to (D10)
  std::string_view idempotency_key = {};  // of the request; serves as id where a lenient message has none (R8)
  base::Instant now{};
  Validation validation = Validation::strict;
  // Bytes that compressed contents may still come to, lessened by what they did (D11); null: without a bound.
  std::size_t* inflate_left = nullptr;
  bool hashed_by_caller = false;  // its content_hash is: for many messages together (base::sha256_each)
};

// What compressed contents of one call, and of one turn of a loop, may come to: as much as a body may have.
inline constexpr std::size_t inflated_max = 8u << 20;

using base::LaneId;

struct Checked {
  envelope::Envelope envelope;
  profile::TypeIndex type;                       // of the Ruleset; the variant where the message is one
  base::HalfDigest task_key{};                   // of the SHA-256 of the task's name; all 0: it has none
  LaneId lane;                                   // its first eight bytes; 0: the message is a lane of its own (R32)
  std::vector<base::Problem> warnings;           // accepted, but worth saying; `schema` holds the word: CLOCK_SKEW
  std::vector<base::Problem> validation_errors;  // lenient: what strict would have refused
};

inline constexpr std::size_t details_max = 50;  // defects named in one refusal, or recorded

// Refusals: PAYLOAD_TOO_LARGE, BAD_REQUEST (no object), TYPE_UNKNOWN, VERSION_UNSUPPORTED, SENDER_MISMATCH, SCHEMA;
// those of limits name limit and size.
base::Result<Checked> check(const Native& native, const profile::Ruleset& rules, const Options& options);

// The same for loops: `checked` is overwritten whole and its memory reused, so that an ordinary message allocates
// nothing. After a refusal its contents mean nothing.
base::Result<> check(const Native& native, const profile::Ruleset& rules, const Options& options, Checked& checked);

}  // namespace parley::ingress
