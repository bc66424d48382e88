// The server's turns: until it is told to stop, and then until all that was read is answered.
#pragma once
#include <functional>

#include "app/disk_room.hpp"
#include "app/server_file.hpp"
#include "app/snapshots.hpp"
#include "broker/broker.hpp"
#include "gateway/http/gateway.hpp"
#include "gateway/websocket/gateway.hpp"
#include "net/loop.hpp"

namespace parley::app {

// While the journal's next segment is being made, nothing is read: senders feel the pause, and are not refused. What
// was read is answered meanwhile, by `go_on`, for as long as that is true.
void hold_input_back(journal::Journal& journal, base::Clock& clock, const std::function<bool()>& go_on);

class Turns {
 public:
  struct Parts {  // all outlive it
    base::Clock& clock;
    journal::Journal& journal;
    net::Loop& loop;
    broker::Broker& broker;
    gateway::http::Gateway& http;
    gateway::websocket::Gateway& sockets;
    Snapshots& snapshots;
    ServerFile& server_file;
    observe::Log& log;
  };
  explicit Turns(const Parts& parts) : parts_(parts), disk_room_(parts.log) {}

  // Errors: the journal's (D3): nothing may be promised any more.
  base::Result<> until(const bool& stopping);
  // What was read is answered and sent, within the time that a stop may take; then the journal learns of the
  // stop, and the state goes into a snapshot.
  base::Result<> drain();

 private:
  base::Result<> turn();
  void gather();
  base::Result<> tell_of_stop(base::Duration until);
  base::Duration pause();  // how long nothing is due

  const Parts parts_;
  DiskRoom disk_room_;
};

}  // namespace parley::app
