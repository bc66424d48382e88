// The broker as gateways see it, by concern: called on the broker's own thread, answered at once, by values. Batches
// alone know another thread, between begin() and send(). A front takes the part that it needs; Broker is all of it.
//
// What an answer says is decided when the call returns; it may LEAVE only when the journal has synced what it rests on
// (D3). So a gateway hands everything that goes out, refusals and reads too, to after_sync(), which runs it once the
// engine head that the call saw is durable, in order. Errors are refusals for the caller. Views are valid during the
// call.
#pragma once
#include "broker/port/polls.hpp"
#include "broker/port/registry.hpp"
#include "broker/port/stream.hpp"
#include "broker/port/work.hpp"

namespace parley::broker {

class Port : public StreamPort, public Registry, public Work, public Polls {};

}  // namespace parley::broker
