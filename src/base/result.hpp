// A value or the error that stands in its place. Refused input and operating failures travel this way;
// our own bugs do not (assert.hpp). No exception crosses a folder's border.
#pragma once
#include <expected>

#include "base/error.hpp"

namespace parley::base {

template <class T = void>
using Result = std::expected<T, Error>;

inline Error error(ErrorCode code, std::string message, std::string where = {}, std::string hint = {}) {
  return {code, std::move(message), std::move(hint), std::move(where), {}, {}};
}

inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {}, std::string hint = {}) {
  return std::unexpected(error(code, std::move(message), std::move(where), std::move(hint)));
}

}  // namespace parley::base

// Leaves the function with the error, or goes on with the value.
#define PARLEY_CONCAT_(a, b) a##b
#define PARLEY_CONCAT(a, b) PARLEY_CONCAT_(a, b)
#define PARLEY_TRY_(name, target, expression)                 \
  auto name = (expression);                                   \
  if (!name) return std::unexpected(std::move(name).error()); \
  target = std::move(*name)
#define PARLEY_TRY(target, expression) PARLEY_TRY_(PARLEY_CONCAT(parley_try_, __LINE__), target, expression)
#define PARLEY_CHECK(expression)                                                                                  \
  do {                                                                                                            \
    if (auto parley_check = (expression); !parley_check) return std::unexpected(std::move(parley_check).error()); \
  } while (false)
