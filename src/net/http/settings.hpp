// Bounds and times of every HTTP connection, one object shared by all of them (E2, F3). Value type.
#pragma once
#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace parley::net::http {

struct Settings {
  std::size_t head_bytes_max = 32 << 10;
  std::size_t target_bytes_max = 8 << 10;
  std::size_t fields_max = 100;
  std::size_t pipelined_max = 8;                 // requests read ahead of their answers
  std::size_t unwritten_max = 1 << 20;           // bytes of answers, beyond which no further request is read
  std::size_t discarded_body_bytes_max = 65536;  // of a refused request; beyond it the connection closes
  base::Duration head_timeout = std::chrono::seconds(10);
  base::Duration idle_timeout = std::chrono::seconds(75);
  base::Duration body_grace = std::chrono::seconds(10);  // and then one second for each
  std::uint64_t body_bytes_per_s_min = 1024;             // of these
  std::string standing_fields;  // header lines, each with its CRLF, written on every answer; the loop keeps Date in it
};

}  // namespace parley::net::http
