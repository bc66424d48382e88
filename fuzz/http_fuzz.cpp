// libFuzzer: the HTTP connection machine (F7). The first bytes say how the rest is cut; whole and cut must agree.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "net/http/driven.hpp"

using namespace parley;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0] % 32;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  net::http::Driven whole, cut;
  for (auto* driven : {&whole, &cut}) driven->body_bytes_max = 300;
  whole.feed(bytes);
  cut.feed_in_pieces(bytes, piece);
  // Where the bytes end in the middle of a defect, the one that saw them sooner may say so sooner; what both took for
  // requests must be the same, or somebody between us and the caller may see others (E4).
  const auto requests = [](const net::http::Driven& driven) {
    std::string all;
    for (const auto& event : driven.events)
      if (event.starts_with("request")) all += event + '\n';
    return all;
  };
  if (requests(whole) != requests(cut)) std::abort();
  cut.wait(std::chrono::seconds(1000));
  return 0;
}
