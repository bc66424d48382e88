// Of what a workspace may have so many of, an agent may have a tenth (D11); and the refusal of a sender that would have
// more.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::engine {

constexpr std::size_t share_of_one(std::size_t most) {
  return std::max<std::size_t>(1, most / 10);
}

// `after`: when there may be room again; 0: that is not known.
inline std::unexpected<base::Error> full(base::ErrorCode code, std::string holds, base::Duration after = {}) {
  auto error = base::fail(code, std::move(holds), "sender");
  error.error().retry_after = after;
  return error;
}

}  // namespace parley::engine
