// Why a message did not reach a recipient, or has not yet: what its sender is shown of it (000 §5.1; COL-15).
#pragma once
#include <optional>
#include <string_view>

#include "engine/workspaces/workspace.hpp"
#include "profile/ruleset.hpp"

namespace parley::engine {

struct DeliveryError {
  // timeout: nobody acknowledged in time, or it expired. rejected: given back, bounced, or withheld by a human.
  // malformed: given back with a reason that begins so.
  enum class Type : std::uint8_t { timeout, rejected, malformed };

  Type type{};
  std::uint32_t retries = 0;  // begun
  std::uint32_t retries_max = 0;
  std::optional<Instant> next_retry_at;  // none: it is over, or is tried again as soon as it can be
};
std::string_view name(DeliveryError::Type type);

// Of the receipt as it stands; none where nothing went wrong, or it was acknowledged all the same.
std::optional<DeliveryError> delivery_error_of(const Workspace& workspace, Offset offset, const Receipt& receipt,
                                               const profile::RetryPolicy& policy);

}  // namespace parley::engine
