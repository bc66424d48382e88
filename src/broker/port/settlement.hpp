// What a recipient says of its deliveries.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/time.hpp"
#include "envelope/settled.hpp"

namespace parley::broker {

enum class Settlement : std::uint8_t { ack, act, nack, extend };  // act: it is done, and so is what it asks for
struct SettleRequest {
  Settlement what = Settlement::ack;
  std::span<const std::string_view> delivery_ids;
  std::optional<base::Duration> delay;  // nack: else the profile's backoff
  std::string_view reason;              // nack
  base::Duration lease{};               // extend; 0: the workspace's default
  std::string_view code{};              // nack: of the error that is the reason
};
using envelope::Settled;

}  // namespace parley::broker
