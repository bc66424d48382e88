// For tests: the stream's gateway over real sockets and a real broker with its journal in memory, one thread for all
// but the workers. A gate keeps a worker busy for as long as a test wants frames to wait.
#pragma once
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>

#include "broker/broker.hpp"
#include "gateway/websocket/gateway.hpp"
#include "journal/memory/memory_journal.hpp"
#include "net/loop.hpp"
#include "net/websocket/handshake.hpp"
#include "net/workers.hpp"
#include "profile/rulesets.hpp"

namespace parley::gateway::websocket {

struct StreamsOnly final : net::HttpPort {
  net::HeadDecision on_head(net::RequestId, const net::http::Head&) override { return net::AcceptWebSocket{}; }
  void on_request(net::RequestId, const net::http::Head&, std::string_view) override {}
  net::http::Response refusal(net::RequestId, const net::http::Head*, const base::Error& error) override {
    return {.status = info(error.code).http_status};
  }
  void on_closed(net::ConnectionId) override {}
};

struct Gate final : net::Job {
  std::promise<void> opened;
  std::future<void> open = opened.get_future();
  void run() override { open.wait(); }
  void done() override {}
};

// An agent's end of a stream.
class Peer {
 public:
  Peer(std::uint16_t port, std::string_view workspace) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << errno;
    handshake_ = net::websocket::begin_handshake("127.0.0.1:" + std::to_string(port),
                                                 "/v1/workspaces/" + std::string(workspace) + "/stream", {}, random_);
    unsent_ = handshake_->request;
  }
  ~Peer() { cut(); }
  Peer(const Peer&) = delete;

  void send(std::string_view text, net::websocket::MessageKind kind = net::websocket::MessageKind::text) {
    machine_.send(kind, text);
  }
  void close() { machine_.close(1000, "", {}); }
  void cut() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  std::vector<std::string> frames;  // that came
  bool closed = false;
  std::uint16_t close_code() const { return machine_.end().code; }
  std::size_t unsent() const { return unsent_.size() + output_.size(); }

  void turn() {
    if (descriptor_ < 0) return;
    if (!handshake_) unsent_ += output_.text(), output_.consume(output_.size());
    const auto sent = ::send(descriptor_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
    std::string part(1 << 20, '\0');
    const auto count = recv(descriptor_, part.data(), part.size(), MSG_DONTWAIT);
    if (count > 0) receive(part.substr(0, static_cast<std::size_t>(count)));
  }

 private:
  void receive(std::string part) {
    if (handshake_) {
      part = (answer_ += part);
      const auto used = finish_handshake(*handshake_, answer_);
      ASSERT_TRUE(used) << used.error().message;
      if (*used == 0) return;
      part.erase(0, *used);
      handshake_.reset();
    }
    using Step = net::websocket::Connection::Step;
    std::span<char> input = part;
    for (Step step; !closed && (step = machine_.receive(input, {})) != Step::need_more;) {
      closed = step == Step::closed;
      if (step == Step::message) frames.emplace_back(machine_.message());
    }
  }

  int descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  base::SystemRandom random_;
  std::optional<net::websocket::ClientHandshake> handshake_;
  std::string answer_;
  std::string unsent_;
  net::wire::Output output_;
  net::websocket::Settings settings_;
  net::websocket::Connection machine_ = net::websocket::Connection::client(settings_, output_, random_, {});
};

struct StreamTest : testing::Test {
  base::SystemClock clock;
  base::SystemRandom random;
  observe::Metrics metrics;
  std::unique_ptr<observe::Log> log =
      observe::Log::to_function(clock, observe::Level::error, [](std::string_view line) { ADD_FAILURE() << line; });
  const profile::Rulesets rulesets = profile::built_in();
  std::string collab_is = "collab";  // by another name: another ruleset
  broker::Options broker_options;
  StreamsOnly http;
  std::unique_ptr<journal::Journal> journal;
  std::unique_ptr<broker::Broker> broker;
  std::unique_ptr<net::Loop> loop;
  std::unique_ptr<net::Workers> workers;
  std::unique_ptr<Gateway> gateway;
  std::uint16_t port = 0;
  std::string architect, developer;  // their tokens
  std::shared_ptr<Gate> gate;
  const broker::Caller admin{broker::Caller::Kind::admin, {}, {}, {}, {}, {}};

  // Frames of 1,000 bytes are large ones.
  void start(unsigned threads, Settings settings = {.worker_bytes = 1000}) {
    stop();
    journal = journal::memory::open();
    const auto ruleset_of = [this](std::string_view name) {
      return rulesets.find(name == "collab" ? std::string_view(collab_is) : name).get();
    };
    broker = std::make_unique<broker::Broker>(broker::Parts{clock, random, *journal, ruleset_of}, broker_options);
    ASSERT_TRUE(broker->start());
    loop = std::make_unique<net::Loop>(clock, metrics, *log, net::LoopSettings());
    workers = std::make_unique<net::Workers>(clock, *loop, threads);
    gateway =
        std::make_unique<Gateway>(broker->port(), *loop, threads > 0 ? workers.get() : nullptr, clock, *log, settings);
    loop->serve(http, *gateway);
    port = loop->listen({}).value();
    ASSERT_TRUE(broker->port().registry.create_workspace(admin, json::Document::parse(R"({"name":"w"})")->root()));
    architect = token_of(R"({"agent_id":"ann","profile":"collab","agent_type":"architect"})");
    developer = token_of(R"({"agent_id":"dev","profile":"collab","agent_type":"developer"})");
  }
  void stop() {
    if (gate) gate->opened.set_value();
    gate.reset();
    gateway.reset();
    workers.reset();
    loop.reset();
    broker.reset();
  }
  void TearDown() override { stop(); }

  std::string token_of(std::string_view body) {
    const auto answer = broker->port().registry.register_agent(admin, "w", json::Document::parse(body)->root());
    return std::string(json::Document::parse(answer.value().json)->root().find("token").as_string());
  }
  void set_validation(std::string_view word) {
    const auto body = json::Document::parse(R"({"validation":")" + std::string(word) + "\"}");
    ASSERT_TRUE(broker->port().registry.change_workspace(admin, "w", body->root()));
  }

  void close_gate() { workers->add(gate = std::make_shared<Gate>()); }
  void open_gate() { std::exchange(gate, nullptr)->opened.set_value(); }

  void turn(std::initializer_list<Peer*> peers) {
    for (Peer* peer : peers) peer->turn();
    loop->wait(clock.monotonic() + std::chrono::milliseconds(2));
    ASSERT_TRUE(broker->turn());
    loop->flush();
  }
  bool turn_until(std::initializer_list<Peer*> peers, const std::function<bool()>& done) {
    const auto end = clock.monotonic() + std::chrono::seconds(60);  // else it hangs
    while (!done()) {
      if (clock.monotonic() > end) return false;
      turn(peers);
    }
    return true;
  }
  bool answers(Peer& peer, std::size_t count) {
    return turn_until({&peer}, [&] { return peer.frames.size() >= count; });
  }
  std::unique_ptr<Peer> greeted(const std::string& token, const std::string& credit = "0") {
    auto peer = std::make_unique<Peer>(port, "w");
    peer->send(R"({"id":1,"op":"hello","token":")" + token + R"(","credit":)" + credit + "}");
    EXPECT_TRUE(answers(*peer, 1));
    EXPECT_THAT(peer->frames.at(0), testing::StartsWith(R"({"op":"welcome","re":1,)"));
    peer->frames.erase(peer->frames.begin());
    return peer;
  }
  std::uint64_t accepted() const {
    const auto count = broker->counts().accepted.find("collab");
    return count == broker->counts().accepted.end() ? 0 : count->second;
  }

  // A message of ann to dev; the number makes it another one.
  std::string message(int number, std::string_view type = "status_query", std::string_view from = "ann") const {
    std::string digits = std::to_string(number);
    digits.insert(0, 12 - digits.size(), '0');
    return R"({"message_id":"00000000-0000-4000-8000-)" + digits + R"(","timestamp":")" + base::to_rfc3339(clock_wall) +
           R"(","sequence_number":1,"from_agent":{"agent_type":"architect","agent_id":")" + std::string(from) +
           R"("},"to_agent":{"agent_type":"developer","agent_id":"dev"},"message_type":")" + std::string(type) +
           R"(","payload":{"scope":"session"}})";
  }
  static std::string frame(int id, const std::string& messages) {
    return R"({"op":"send","id":)" + std::to_string(id) + R"(,"messages":[)" + messages + "]}";
  }
  static std::string large(std::string text, std::size_t bytes = 1000) {
    text.resize(std::max(bytes, text.size()), ' ');
    return text;
  }
  const base::Instant clock_wall = clock.wall();
};

inline std::vector<std::string> heads(const std::vector<std::string>& frames, std::size_t bytes) {
  std::vector<std::string> heads;
  for (const std::string& frame : frames) heads.push_back(frame.substr(0, bytes));
  return heads;
}

}  // namespace parley::gateway::websocket
