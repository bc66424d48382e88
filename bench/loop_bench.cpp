// What the loop costs per request and per WebSocket frame, its client on the same thread (whose system calls count,
// too). build/release/bench/loop_bench; arguments are connections.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "base/test_clock.hpp"
#include "net/loop.hpp"

namespace {

using namespace parley;

struct Front final : net::HttpPort, net::WebSocketPort {
  net::Loop* loop = nullptr;
  std::size_t answered = 0;

  net::HeadDecision on_head(net::RequestId, const net::http::Head& head) override {
    if (head.asks_upgrade) return net::AcceptWebSocket{};
    return net::AcceptBody{};
  }
  void on_request(net::RequestId id, const net::http::Head&, std::string_view) override {
    ++answered;
    loop->respond(id, {.status = 202, .body = R"({"message_id":"x","offset":1,"status":"accepted"})"});
  }
  net::http::Response refusal(net::RequestId, const net::http::Head*, const base::Error&) override {
    return {.status = 400};
  }
  void on_closed(net::ConnectionId) override {}
  void on_open(net::ConnectionId, const net::http::Head&) override {}
  void on_message(net::ConnectionId id, const net::websocket::Received& message) override {
    ++answered;
    loop->send(id, message.kind(), std::string("result"));
  }
  void on_slow(net::ConnectionId, std::size_t) override {}
  void on_drained(net::ConnectionId) override {}
  void on_closed(net::ConnectionId, const net::websocket::End&) override {}
};

struct Bench {
  base::SystemClock clock;
  observe::Metrics metrics;
  std::unique_ptr<observe::Log> log = observe::Log::to_function(clock, observe::Level::error, [](std::string_view) {});
  Front front;
  net::Loop loop{clock, metrics, *log, {}};
  std::uint16_t port = 0;
  std::vector<int> clients;

  explicit Bench(std::int64_t connections) {
    front.loop = &loop;
    loop.serve(front, front);
    port = loop.listen({}).value();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (std::int64_t i = 0; i < connections; ++i) {
      clients.push_back(socket(AF_INET, SOCK_STREAM, 0));
      if (connect(clients.back(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
    }
  }
  ~Bench() {
    for (const int client : clients) ::close(client);
  }
  std::string host() const { return "Host: 127.0.0.1:" + std::to_string(port) + "\r\n"; }

  // Sends to each and turns until all are answered; then reads what came.
  void round(std::string_view bytes) {
    const std::size_t until = front.answered + clients.size();
    for (const int client : clients) {
      for (std::string_view rest = bytes; !rest.empty();) {
        const auto count = ::send(client, rest.data(), rest.size(), MSG_DONTWAIT);
        if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
        if (!rest.empty()) loop.poll();
      }
    }
    while (front.answered < until) loop.wait(clock.monotonic() + std::chrono::seconds(1));
    loop.flush();
    char buffer[4096];
    for (const int client : clients) benchmark::DoNotOptimize(recv(client, buffer, sizeof buffer, 0));
  }
};

void http_post(benchmark::State& state) {
  Bench bench(state.range(0));
  const std::string request =
      "POST /v1/workspaces/w/messages HTTP/1.1\r\n" + bench.host() +
      "User-Agent: bench\r\nAccept: */*\r\nAuthorization: Bearer 0123456789012345678901234567890123456789\r\n"
      "Content-Type: application/json\r\nContent-Length: 1024\r\n\r\n" +
      std::string(1024, 'x');
  for (auto _ : state) bench.round(request);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(http_post)->Arg(1)->Arg(64)->Arg(1000)->UseRealTime();

void websocket_frames(benchmark::State& state) {
  Bench bench(1);
  bench.round("GET / HTTP/1.1\r\n" + bench.host() + "\r\n");
  const std::string upgrade = "GET /s HTTP/1.1\r\n" + bench.host() +
                              "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  if (::send(bench.clients[0], upgrade.data(), upgrade.size(), 0) < 0) std::abort();
  for (int i = 0; i < 10; ++i) bench.loop.wait(bench.clock.monotonic() + std::chrono::milliseconds(1));
  bench.loop.flush();
  char buffer[4096];
  benchmark::DoNotOptimize(recv(bench.clients[0], buffer, sizeof buffer, 0));

  const auto messages = static_cast<std::size_t>(state.range(0));
  net::wire::Output output;
  base::TestRandom masks;
  net::websocket::Settings settings;
  auto client = net::websocket::Connection::client(settings, output, masks, {});
  client.send(net::websocket::MessageKind::text, std::string(messages * 1024, 'x'));
  const std::string frame = output.text();
  for (auto _ : state) bench.round(frame);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * messages));
}
BENCHMARK(websocket_frames)->Arg(1)->Arg(64)->Arg(1000)->Arg(8000)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
