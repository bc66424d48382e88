// The way in and out of the broker (D3, D10): who calls, and when what was answered may leave.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "broker/port/call.hpp"

namespace parley::broker {

class Gate {
 public:
  virtual ~Gate() = default;

  virtual std::optional<Caller> caller_of(std::string_view token) = 0;

  // Runs `then` when everything decided so far is durable; never, where the journal fails.
  virtual void after_sync(std::move_only_function<void()> then) = 0;

  // D11: what one turn takes in is bounded, in copies and in time. Where it is full, who has more to send lets the
  // rest, of so many bytes, go on in a later turn, where at least one message finds room; others' calls come before,
  // and callers take turns. False: too much waits already, of this caller or of all, and the rest is refused as
  // OVERLOADED.
  virtual bool turn_is_full() const = 0;
  virtual bool in_later_turn(const Caller& caller, std::size_t bytes, std::move_only_function<void()> go_on) = 0;

  virtual Answer limits() const = 0;
  // Whether calls that grow the journal are taken; else what they would be refused with.
  virtual base::Result<> ready() const = 0;
};

}  // namespace parley::broker
