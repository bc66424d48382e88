// libFuzzer: the WebSocket connection machine, both sides (F7). The first bytes say how the rest is cut; whole and cut
// must agree.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/test_clock.hpp"
#include "net/websocket/connection.hpp"

using namespace parley;
using net::websocket::Connection;

namespace {

std::string outcome(bool server, std::string_view bytes, std::size_t piece) {
  net::websocket::Settings settings;
  settings.message_bytes_max = 500;
  net::wire::Output output;
  base::TestRandom masks;
  auto connection = server ? Connection::server(settings, output, {}) : Connection::client(settings, output, masks, {});
  std::string events;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const auto part = bytes.substr(0, piece);
    std::vector<char> buffer(part.begin(), part.end());
    std::span<char> input = buffer;
    Connection::Step step;
    while ((step = connection.receive(input, {})) != Connection::Step::need_more) {
      if (step == Connection::Step::message) {
        if (connection.message().size() > settings.message_bytes_max) std::abort();
        events.append("message ").append(connection.message()).append("\n");
      }
      if (step == Connection::Step::closed) events += "closed " + std::to_string(connection.end().code) + '\n';
    }
  }
  connection.on_time(std::chrono::seconds(30));
  connection.on_time(std::chrono::seconds(60));
  return events;
}

// The end may be seen sooner by one of the two where the bytes stop within a message that is broken already.
std::string messages(const std::string& events) {
  return events.substr(0, std::min(events.find("closed"), events.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0] % 32;
  const bool server = data[0] < 192;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (messages(outcome(server, bytes, bytes.size())) != messages(outcome(server, bytes, piece))) std::abort();
  return 0;
}
