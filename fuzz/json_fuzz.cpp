// Any bytes: the parser accepts or refuses, and where it accepts, the scanner that explains refusals finds no fault,
// slices read back as their values, and writing gives an equal document. The parts of what is accepted are its
// elements.
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "json/fault.hpp"
#include "json/parser.hpp"
#include "json/parts.hpp"
#include "json/writer.hpp"

using namespace parley;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static json::Parser parser, second;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const json::Limits limits;
  const auto document = parser.parse(bytes, limits);
  const auto fault = json::find_fault(bytes, limits);
  const auto parts = json::parts_of(bytes, limits.elements);
  if (!document) {
    PARLEY_ASSERT(!document.error().message.empty());
    return 0;
  }
  PARLEY_ASSERT(!fault);
  PARLEY_ASSERT(parts.has_value() == (document->is_array() || document->is_object()));
  PARLEY_ASSERT(!parts || parts->size() == document->size());
  const auto again = second.parse(parser.slice(*document));
  PARLEY_ASSERT(again && equal(*again, *document) && hash(*again) == hash(*document));
  const auto written = json::Document::parse(json::to_text(*document), {.bytes = 8 << 20});
  PARLEY_ASSERT(written && equal(written->root(), *document));
  return 0;
}
