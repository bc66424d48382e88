// Our own bugs stop the process, in every build: the journal makes that safe, going on would not be.
#pragma once
#include <source_location>
#include <string_view>

namespace parley::base {

[[noreturn]] void assertion_failed(std::string_view expression, std::source_location where);

}  // namespace parley::base

#define PARLEY_ASSERT(expression)                                                     \
  do {                                                                                \
    if (!(expression)) [[unlikely]]                                                   \
      ::parley::base::assertion_failed(#expression, std::source_location::current()); \
  } while (false)
