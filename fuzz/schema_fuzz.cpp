// Any two JSON texts, split at the first zero byte: a schema and an instance. Compiling and running end, and accepting
// agrees with explaining.
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "json/parser.hpp"
#include "schema/program.hpp"

using namespace parley;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t split = bytes.find('\0');
  if (split == bytes.npos) return 0;
  const auto program = schema::compile(bytes.substr(0, split), {}, {.assert_formats = true, .steps_max = 100'000});
  const auto instance = json::Document::parse(bytes.substr(split + 1));
  if (!program || !instance) return 0;
  PARLEY_ASSERT(program->accepts(instance->root()) == program->explain(instance->root()).empty());
  return 0;
}
