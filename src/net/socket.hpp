// The few socket calls there are, as Results. Descriptors are non-blocking and close on exec.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace parley::net {

struct Listening {
  int descriptor = -1;
  std::uint16_t port = 0;
  bool loopback = false;
};

base::Result<Listening> listen_on(const std::string& address, std::uint16_t port, bool beyond_loopback);

enum class Accept : std::uint8_t { accepted, none, exhausted };  // exhausted: no descriptors or memory left
Accept accept_from(int listening, int& accepted);

enum class Transfer : std::uint8_t { some, would_block, ended };
struct Transferred {
  Transfer outcome = Transfer::would_block;
  std::size_t bytes = 0;
};
Transferred read_some(int descriptor, std::span<char> into);  // ended: the peer sends no more, or is gone
constexpr std::size_t pieces_max = 64;
Transferred write_some(int descriptor, std::span<const std::string_view> pieces);  // at most pieces_max

// Written, and not acknowledged by the peer's end yet.
std::size_t unacknowledged_bytes(int descriptor);

int with_lowest_number(int descriptor);  // the same under the lowest number that is free, where that is lower
void end_writing(int descriptor);
void close_descriptor(int descriptor);

}  // namespace parley::net
