// Sessions: deliveries pushed to a connection as they come, within its credit.
#pragma once
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "broker/port/call.hpp"
#include "broker/port/delivery.hpp"

namespace parley::broker {

// A connection that takes deliveries as they come. Implemented by a gateway, called during a turn of the loop.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual bool has_room() const = 0;                // what was handed over before is mostly written
  virtual void deliver(Deliveries deliveries) = 0;  // to be sent by after_sync
  // To be sent likewise; only where the session asked. `left_out` more changes found no place (BEY-01).
  virtual void receipts(std::span<const ReceiptChange> changes, std::uint64_t left_out) = 0;
  virtual void taken_over() = 0;            // a newer session of the same agent; this one is closed
  virtual void removed() { taken_over(); }  // the agent was; likewise closed
};

struct SessionOptions {
  std::uint32_t credit = 0;  // unacked deliveries allowed
  base::Duration lease{};    // 0: the workspace's default
  bool receipts = false;     // tell what becomes of the messages that this agent sends from now on, and sent before
};

class Sessions {
 public:
  virtual ~Sessions() = default;

  // `outbox` must live until close_session, taken_over or removed.
  virtual base::Result<base::SessionId> open_session(const Caller&, Outbox& outbox, const SessionOptions&) = 0;
  virtual void set_credit(base::SessionId session, std::uint32_t credit) = 0;
  virtual void outbox_has_room(base::SessionId session) = 0;  // again, after has_room() was false
  // Its connection is gone: nothing more is pushed, and another session of the agent takes over from nobody. What it
  // holds stays its own, for the acks that came before.
  virtual void disconnect(base::SessionId session) = 0;
  virtual void close_session(base::SessionId session) = 0;  // its leases go back, uncounted (R46)
  // The engine head of the caller's workspace, for `welcome`.
  virtual base::Offset head(const Caller&) = 0;
};

}  // namespace parley::broker
