// What a message says, without what any repetition changes: its ids, its numbering, its times. Two messages of one gist
// tell their reader nothing that the first did not.
#pragma once
#include <cstdint>

#include "envelope/envelope.hpp"
#include "json/value.hpp"

namespace parley::envelope {

// The same in every process and build: it is in events.
std::uint32_t gist_of(const Envelope& envelope, json::Value native);

}  // namespace parley::envelope
