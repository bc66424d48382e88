#include "ingress/inflate.hpp"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <memory>

namespace parley::ingress {
namespace {

using Inflated = std::expected<std::string, NotInflated>;

constexpr int zstd_window_log_max = 23;  // 8 MiB, what RFC 8878 asks of every decoder

std::unexpected<NotInflated> broken(std::string why) {
  return std::unexpected(NotInflated{false, std::move(why)});
}
std::unexpected<NotInflated> too_large() {
  return std::unexpected(NotInflated{true, {}});
}

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// RFC 4648 §4, with or without its padding.
Inflated from_base64(std::string_view text) {
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return broken("is no base64");
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0) return broken("is no base64");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if ((count += 6) < 8) continue;
    bytes += static_cast<char>(bits >> (count -= 8));
  }
  return bytes;
}

Inflated gunzip(std::string_view bytes, std::size_t most) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_only) != Z_OK) return broken("cannot be inflated now");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 16 << 10> part;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    state = ::inflate(&stream, Z_NO_FLUSH);
    if (state == Z_BUF_ERROR) return broken("is cut off");
    if (state != Z_OK && state != Z_STREAM_END) return broken("is no gzip");
    text.append(part.data(), part.size() - stream.avail_out);
    if (text.size() > most) return too_large();
  }
  if (stream.avail_in > 0) return broken("goes on behind the end of the gzip");
  return text;
}

Inflated unzstd(std::string_view bytes, std::size_t most) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return broken("cannot be inflated now");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, zstd_window_log_max);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string text;
  std::array<char, 16 << 10> part;
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer out{part.data(), part.size(), 0};
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left)) return broken("is no zstd");
    if (left != 0 && out.pos == 0 && in.pos == in.size) return broken("is cut off");
    text.append(part.data(), out.pos);
    if (text.size() > most) return too_large();
  }
  if (in.pos < in.size) return broken("goes on behind the end of the zstd frame");
  return text;
}

}  // namespace

Inflated inflate(std::string_view base64, Compression compression, std::size_t most) {
  const Inflated bytes = from_base64(base64);
  if (!bytes) return bytes;
  return compression == Compression::gzip ? gunzip(*bytes, most) : unzstd(*bytes, most);
}

}  // namespace parley::ingress
