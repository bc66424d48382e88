// What receiving costs per frame of messages: ours, and wslay's event interface beside it.
// build/release/bench/websocket_bench; items are messages of 1 KB, 1,000 of them in a frame.
#include <benchmark/benchmark.h>
#include <wslay/wslay.h>

#include <cstring>
#include <string>

#include "base/test_clock.hpp"
#include "net/websocket/connection.hpp"

namespace {

using namespace parley;
using net::websocket::Connection;

constexpr std::size_t message_bytes = 1024;

std::string masked_frame(std::size_t messages) {
  net::websocket::Settings settings;
  net::wire::Output output;
  base::TestRandom masks;
  auto client = Connection::client(settings, output, masks, {});
  client.send(net::websocket::MessageKind::text, std::string(messages * message_bytes, 'x'));
  return output.text();
}

// As a socket gives it: copied into one read buffer, part by part.
template <class Take>
void read_in_parts(const std::string& frame, std::string& buffer, Take take) {
  for (std::size_t at = 0; at < frame.size(); at += buffer.size()) {
    const std::size_t count = std::min(buffer.size(), frame.size() - at);
    std::memcpy(buffer.data(), frame.data() + at, count);
    take(std::span<char>(buffer.data(), count));
  }
}

void receive_ours(benchmark::State& state) {
  const auto messages = static_cast<std::size_t>(state.range(0));
  const std::string frame = masked_frame(messages);
  std::string buffer(256 * 1024, '\0');
  net::websocket::Settings settings;
  net::wire::Output output;
  auto server = Connection::server(settings, output, {});
  std::size_t received = 0;
  for (auto _ : state)
    read_in_parts(frame, buffer, [&](std::span<char> input) {
      while (server.receive(input, {}) == Connection::Step::message) received += server.message().size();
    });
  if (received != state.iterations() * messages * message_bytes) state.SkipWithError("messages are missing");
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * messages));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * frame.size()));
}
BENCHMARK(receive_ours)->Arg(1)->Arg(64)->Arg(1000)->Arg(8000);

struct Wire {
  std::span<char> input;
  std::size_t received = 0;
};

void receive_wslay(benchmark::State& state) {
  const auto messages = static_cast<std::size_t>(state.range(0));
  const std::string frame = masked_frame(messages);
  std::string buffer(256 * 1024, '\0');
  Wire wire;
  wslay_event_callbacks callbacks = {};
  callbacks.recv_callback = [](wslay_event_context_ptr context, std::uint8_t* into, std::size_t size, int, void* user) {
    auto& input = static_cast<Wire*>(user)->input;
    if (input.empty()) {
      wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
      return static_cast<ssize_t>(-1);
    }
    const std::size_t count = std::min(size, input.size());
    std::memcpy(into, input.data(), count);
    input = input.subspan(count);
    return static_cast<ssize_t>(count);
  };
  callbacks.on_msg_recv_callback = [](wslay_event_context_ptr, const wslay_event_on_msg_recv_arg* message, void* user) {
    static_cast<Wire*>(user)->received += message->msg_length;
  };
  wslay_event_context_ptr context = nullptr;
  wslay_event_context_server_init(&context, &callbacks, &wire);
  for (auto _ : state)
    read_in_parts(frame, buffer, [&](std::span<char> input) {
      wire.input = input;
      wslay_event_recv(context);
    });
  if (wire.received != state.iterations() * messages * message_bytes) state.SkipWithError("messages are missing");
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * messages));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * frame.size()));
  wslay_event_context_free(context);
}
BENCHMARK(receive_wslay)->Arg(1)->Arg(64)->Arg(1000)->Arg(8000);

}  // namespace

BENCHMARK_MAIN();
