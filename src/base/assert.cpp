#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace parley::base {

void assertion_failed(std::string_view expression, std::source_location where) {
  std::fprintf(stderr, "parley: assertion failed: %.*s at %s:%u in %s\n", static_cast<int>(expression.size()),
               expression.data(), where.file_name(), where.line(), where.function_name());
  std::abort();
}

}  // namespace parley::base
