// The way in and out of the broker (D3, D10): who calls, and when what was answered may leave.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "broker/port/call.hpp"

namespace parley::broker {

class Gate {
 public:
  virtual ~Gate() = default;

  virtual std::optional<Caller> caller_of(std::string_view token) = 0;

  // Runs `release` when everything decided so far is durable; never, where the journal fails.
  virtual void after_sync(std::move_only_function<void()> release) = 0;

  virtual Answer limits() const = 0;
  // Whether calls that grow the journal are taken; else what they would be refused with.
  virtual base::Result<> ready() const = 0;
};

}  // namespace parley::broker
