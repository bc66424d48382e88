// Bounds and times of the loop and its connections. Value type.
#pragma once
#include <climits>
#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "net/http/access.hpp"
#include "net/http/settings.hpp"
#include "net/websocket/connection.hpp"

namespace parley::net {

struct LoopSettings {
  http::Settings http;
  websocket::Settings websocket;
  http::AccessPolicy access;  // besides the addresses listened on
  std::string fixed_fields;   // header lines, each with its CRLF, on every HTTP answer

  std::size_t connections_max = 16'000;
  std::size_t strangers_max = 8'000;        // of these, that nobody has vouched for (Loop::vouch_for)
  int descriptors_max = INT_MAX;            // a connection's is below: the numbers from here on are left to others
  std::size_t read_bytes = 128 << 10;       // in one read, into one buffer that all connections share
  std::size_t output_high_bytes = 1 << 20;  // unwritten, from where on a connection is slow and not read from
  std::size_t output_bytes_max = 64 << 20;  // unwritten, from where on it is cut
  base::Duration reading_max = std::chrono::milliseconds(1);       // from one connection, before others have their turn
  base::Duration write_stall_timeout = std::chrono::seconds(30);   // for the peer to take what is unwritten, or
  std::size_t write_stall_bytes = 32 << 10;                        // so much of it
  base::Duration linger_timeout = std::chrono::seconds(2);         // for the peer to close after our last byte
  base::Duration abandoned_timeout = std::chrono::seconds(1);      // for answers to a peer that sends no more
  base::Duration accept_pause = std::chrono::milliseconds(100);    // when the process has no more descriptors
  base::Duration glance_max = std::chrono::microseconds(100);      // looking instead of sleeping; 0: never
  base::Duration watchdog_after = std::chrono::milliseconds(200);  // of a busy loop; 0: no watchdog
};

}  // namespace parley::net
