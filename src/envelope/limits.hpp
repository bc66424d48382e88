// What may be sent and asked for at a time, whichever the front (D11): held to by the fronts, told by GET /v1/limits.
#pragma once
#include <cstddef>

#include "base/time.hpp"

namespace parley::envelope {

inline constexpr std::size_t sent_bytes_max = 8u << 20;      // messages: the body of a call, or a frame
inline constexpr std::size_t sent_messages_max = 1'000;      // likewise
inline constexpr std::size_t asked_bytes_max = 64u << 10;    // the body of any other call: a registration, a settlement
inline constexpr std::size_t listed_bytes_max = 512u << 10;  // but for those that list what they ask about
inline constexpr std::size_t head_bytes_max = 32u << 10;     // of a call, with its target
inline constexpr std::size_t target_bytes_max = 8u << 10;
inline constexpr std::size_t connections_max = 16'000;
inline constexpr std::size_t strangers_max = 8'000;                     // connections that have shown no valid token
inline constexpr std::size_t taken_max = 1'000;                         // messages of one take
inline constexpr std::size_t listed_max = 1'000;                        // ids that one call settles, or asks about
inline constexpr base::Duration waited_max = std::chrono::seconds(60);  // for what is not there yet
inline constexpr base::Duration lease_min = std::chrono::milliseconds(50);  // nobody acks sooner
inline constexpr base::Duration lease_max = std::chrono::hours(12);         // a lane waits for its taker no longer

}  // namespace parley::envelope
