// The broker as gateways see it, by concern: called on the broker's own thread, answered at once, by values. Batches
// know another thread between begin() and send(), Deliveries from when they are handed over.
//
// What an answer says is decided when the call returns; it may LEAVE only when the journal has synced what it rests on
// (D3). So a gateway hands everything that goes out, refusals and reads too, to after_sync(), which runs it once the
// engine head that the call saw is durable, in order. Errors are refusals for the caller. Views are valid during the
// call, those of Deliveries as long as it.
#pragma once
#include "broker/port/gate.hpp"
#include "broker/port/mailboxes.hpp"
#include "broker/port/messages.hpp"
#include "broker/port/polls.hpp"
#include "broker/port/registry.hpp"
#include "broker/port/sessions.hpp"
#include "broker/port/work.hpp"

namespace parley::broker {

struct Port {
  Gate& gate;
  Messages& messages;
  Mailboxes& mailboxes;
  Sessions& sessions;
  Polls& polls;
  Registry& registry;
  Work& work;
};

}  // namespace parley::broker
