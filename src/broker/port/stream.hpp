// What a stream needs of the broker: messages both ways.
#pragma once
#include "broker/port/gate.hpp"
#include "broker/port/mailboxes.hpp"
#include "broker/port/messages.hpp"
#include "broker/port/sessions.hpp"

namespace parley::broker {

class StreamPort : public Gate, public Messages, public Mailboxes, public Sessions {};

}  // namespace parley::broker
