// RFC 6455 §5.2: a frame's header, and its mask. Values; no state.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace parley::net::websocket {

enum class Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

constexpr bool is_control(Opcode opcode) {
  return static_cast<std::uint8_t>(opcode) >= 8;
}

using MaskKey = std::array<char, 4>;

struct FrameHeader {
  Opcode opcode = Opcode::text;
  bool last = true;  // FIN
  bool masked = false;
  MaskKey key{};
  std::uint64_t payload_bytes = 0;
};

constexpr std::size_t frame_header_bytes_max = 14;

enum class FrameParse : std::uint8_t { whole, need_more, malformed };

// Reads a header from the front of `bytes`; `used` is its length where it is whole. Malformed: reserved bits or
// opcodes, control frames that are long or in parts, lengths that are not in their shortest form or beyond 2^63 - 1.
FrameParse parse_frame_header(std::string_view bytes, FrameHeader& header, std::size_t& used);

// Returns how many bytes of `into` are the header.
std::size_t write_frame_header(const FrameHeader& header, std::span<char, frame_header_bytes_max> into);

// `into` ← `from` masked or unmasked, eight bytes at a time; the two may be the same place. `phase` is how many bytes
// of the payload came before these.
void apply_mask(char* into, const char* from, std::size_t count, const MaskKey& key, std::uint64_t phase);

}  // namespace parley::net::websocket
