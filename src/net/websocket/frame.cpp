// Written here rather than taken from wslay, whose receiving side unmasks byte by byte through a buffer of 4 KB.
#include "net/websocket/frame.hpp"

#include <bit>
#include <cstring>

namespace parley::net::websocket {
namespace {

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

bool known(std::uint8_t opcode) {
  return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

}  // namespace

FrameParse parse_frame_header(std::string_view bytes, FrameHeader& header, std::size_t& used) {
  if (bytes.empty()) return FrameParse::need_more;
  const auto first = static_cast<unsigned char>(bytes[0]);
  if ((first & 0x70) != 0 || !known(first & 0x0F)) return FrameParse::malformed;
  header.last = (first & 0x80) != 0;
  header.opcode = static_cast<Opcode>(first & 0x0F);
  if (is_control(header.opcode) && !header.last) return FrameParse::malformed;
  if (bytes.size() < 2) return FrameParse::need_more;

  const auto second = static_cast<unsigned char>(bytes[1]);
  header.masked = (second & 0x80) != 0;
  header.payload_bytes = second & 0x7F;
  if (is_control(header.opcode) && header.payload_bytes > 125) return FrameParse::malformed;
  const std::size_t extended = header.payload_bytes == 127 ? 8 : header.payload_bytes == 126 ? 2 : 0;
  used = 2 + extended + (header.masked ? 4 : 0);
  if (extended > 0) {
    if (bytes.size() < 2 + extended) return FrameParse::need_more;
    header.payload_bytes = big_endian(bytes.substr(2, extended));
    const std::uint64_t shortest = extended == 2 ? 126 : 65536;
    if (header.payload_bytes < shortest || header.payload_bytes >> 63 != 0) return FrameParse::malformed;
  }
  if (bytes.size() < used) return FrameParse::need_more;
  if (header.masked) std::memcpy(header.key.data(), bytes.data() + used - 4, 4);
  return FrameParse::whole;
}

std::size_t write_frame_header(const FrameHeader& header, std::span<char, frame_header_bytes_max> into) {
  const auto length = header.payload_bytes;
  const std::size_t extended = length > 65535 ? 8 : length > 125 ? 2 : 0;
  const std::uint64_t short_length = extended == 8 ? 127 : extended == 2 ? 126 : length;
  into[0] = static_cast<char>((header.last ? 0x80 : 0) | static_cast<int>(header.opcode));
  into[1] = static_cast<char>((header.masked ? 0x80 : 0) | static_cast<int>(short_length));
  for (std::size_t i = 0; i < extended; ++i) into[2 + i] = static_cast<char>(length >> (8 * (extended - 1 - i)));
  if (header.masked) std::memcpy(&into[2 + extended], header.key.data(), 4);
  return 2 + extended + (header.masked ? 4 : 0);
}

void apply_mask(char* into, const char* from, std::size_t count, const MaskKey& key, std::uint64_t phase) {
  std::array<char, 8> turned;
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = key[(phase + i) & 3];
  const auto word_key = std::bit_cast<std::uint64_t>(turned);
  std::size_t at = 0;
  for (; at + 32 <= count; at += 32) {  // four words: the compiler makes vectors of them
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), from + at, 32);
    for (auto& word : words) word ^= word_key;
    std::memcpy(into + at, words.data(), 32);
  }
  for (; at < count; ++at) into[at] = static_cast<char>(from[at] ^ turned[at & 7]);
}

}  // namespace parley::net::websocket
