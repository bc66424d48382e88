#include "ingress/inflate.hpp"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <memory>

#include "base/base64.hpp"

namespace parley::ingress {
namespace {

using Inflated = std::expected<std::string, NotInflated>;

constexpr int zstd_window_log_max = 23;  // 8 MiB, what RFC 8878 asks of every decoder

std::unexpected<NotInflated> broken(std::string why, std::size_t made = 0) {
  return std::unexpected(NotInflated{false, std::move(why), made});
}
std::unexpected<NotInflated> too_large(std::size_t made) {
  return std::unexpected(NotInflated{true, {}, made});
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
    if (state == Z_BUF_ERROR) return broken("is cut off", text.size());
    if (state != Z_OK && state != Z_STREAM_END) return broken("is no gzip", text.size());
    text.append(part.data(), part.size() - stream.avail_out);
    if (text.size() > most) return too_large(text.size());
  }
  if (stream.avail_in > 0) return broken("goes on behind the end of the gzip", text.size());
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
    if (ZSTD_isError(left)) return broken("is no zstd", text.size());
    if (left != 0 && out.pos == 0 && in.pos == in.size) return broken("is cut off", text.size());
    text.append(part.data(), out.pos);
    if (text.size() > most) return too_large(text.size());
  }
  if (in.pos < in.size) return broken("goes on behind the end of the zstd frame", text.size());
  return text;
}

}  // namespace

Inflated inflate(std::string_view base64, Compression compression, std::size_t most) {
  const auto bytes = base::from_base64(base64, base::Alphabet::standard);
  if (!bytes) return broken("is no base64");
  return compression == Compression::gzip ? gunzip(*bytes, most) : unzstd(*bytes, most);
}

}  // namespace parley::ingress
