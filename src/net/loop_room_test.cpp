// Room for connections: strangers, descriptors, memory (D11).
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>

#include <filesystem>

#include "net/test_loop.hpp"

namespace parley::net {
namespace {

// D11: who comes takes the place of the oldest that has shown no token, and whoever has shown one stays.
TEST_F(LoopTest, StrangersMakeRoomForWhoComes) {
  LoopSettings settings;
  settings.connections_max = 4;
  settings.strangers_max = 2;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  const auto connect = [&]() -> Client& {
    clients.push_back(std::make_unique<Client>(port));
    const auto accepted = clients.size();
    auto& counter = metrics.counter(observe::Metric::connections_accepted);
    EXPECT_TRUE(turn_until([&] { return counter.value() == accepted; }));
    return *clients.back();
  };
  const auto connect_known = [&]() -> Client& {
    Client& client = connect();
    client.write(get("/known", ""));
    read_until(client, "/known []");
    return client;
  };
  const auto is_open = [&](Client& client) {
    for (int i = 0; i < 3; ++i) loop->poll();
    std::string text;
    return client.read(text);
  };
  const auto is_closed = [&](Client& client) {
    std::string text;
    return turn_until([&] { return !client.read(text); });
  };
  Client& first = connect();
  Client& known = connect_known();
  Client& second = connect();
  EXPECT_TRUE(is_open(first));
  Client& third = connect();  // there may be two
  EXPECT_TRUE(is_closed(first));
  connect_known();
  EXPECT_TRUE(is_closed(second));
  connect_known();
  EXPECT_TRUE(is_open(third));
  connect_known();  // there may be four
  EXPECT_TRUE(is_closed(third));
  Client refused(port);
  EXPECT_THAT(read_to_end(refused), StartsWith("HTTP/1.1 503")) << "all have shown a token";
  EXPECT_TRUE(is_open(known));
  EXPECT_EQ(loop->connections(), 4u);
  EXPECT_EQ(metrics.counter(observe::Metric::connections_refused, "stranger").value(), 3u);
}

// Of many that come at once none is closed before it was read from: what it sent may have a token in it.
TEST_F(LoopTest, StrangersThatHaveSentSomethingAreReadFirst) {
  LoopSettings settings;
  settings.strangers_max = 8;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 24; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->write(get("/known", ""));
  }
  for (auto& client : clients) read_until(*client, "/known []");
  EXPECT_EQ(loop->connections(), 24u);
}

// Of the numbers below the limit one is free where a stranger has gone, and who comes gets it.
TEST_F(LoopTest, StrangersMakeRoomAmongTheDescriptors) {
  LoopSettings settings;
  const int lowest = ::dup(0);
  ::close(lowest);
  settings.descriptors_max = lowest + 20;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->write(get("/a", ""));
    read_until(*clients.back(), "/a []");
  }
  EXPECT_GT(loop->connections(), 0u);
  EXPECT_LT(loop->connections(), 20u);
}

// B5: a descriptor's number says how many are open at least: what the journal needs is never a stranger's.
TEST_F(LoopTest, LeavesDescriptorsToOthers) {
  LoopSettings settings;
  const int next = ::dup(0);
  ::close(next);
  settings.descriptors_max = next + 10;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<Client>(port));
  EXPECT_THAT(read_to_end(*clients.back()), StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(loop->connections(), 0u) << "the clients of this process have the numbers below";
  // Nor does the watchdog take them.
  loop->poll();
  Client during(port);
  pollfd closed = {during.descriptor, POLLIN, 0};
  EXPECT_EQ(poll(&closed, 1, 2000), 1);
  clients.clear();
  Client one(port);
  one.write(get("/a"));
  EXPECT_THAT(read_to_end(one), HasSubstr("/a []"));
}

// While it lives, the process gets no descriptor above the one given.
class NoMoreDescriptors {
 public:
  explicit NoMoreDescriptors(int last) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none = {static_cast<rlim_t>(last) + 1, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoMoreDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

// E4: without descriptors the loop pauses, does not spin, and goes on when there are some again.
TEST_F(LoopTest, PausesWhenTheProcessHasNoMoreDescriptors) {
  Client client(port);
  client.write(get("/a"));
  auto none = std::make_unique<NoMoreDescriptors>(client.descriptor);
  const observe::Counter& pauses = metrics.counter(observe::Metric::connections_refused, "descriptors");
  const auto begun = clock.monotonic();
  int turns = 0;
  for (; pauses.value() < 3 && turns < 12; ++turns) loop->wait(begun + seconds(10));
  none.reset();
  EXPECT_EQ(pauses.value(), 3u) << "after " << turns << " turns";
  EXPECT_GE(clock.monotonic() - begun, 2 * LoopSettings().accept_pause);
  EXPECT_THAT(read_to_end(client), HasSubstr("/a []"));
  EXPECT_THAT(lines, testing::Not(IsEmpty()));
}

// E4: it is said again where it lasts, though not at every pause.
TEST_F(LoopTest, SaysThatThereAreNoMoreDescriptorsEveryTenSeconds) {
  Client client(port);
  const NoMoreDescriptors none(client.descriptor);
  const observe::Counter& pauses = metrics.counter(observe::Metric::connections_refused, "descriptors");
  const auto said_after_pauses = [&](std::uint64_t count) {
    EXPECT_TRUE(turn_until([&] { return pauses.value() >= count; }));
    return std::ranges::count_if(lines, [](const auto& line) { return line.contains("no_descriptors_left"); });
  };
  EXPECT_EQ(said_after_pauses(2), 1);
  clock.put_forward(seconds(6));
  EXPECT_EQ(said_after_pauses(3), 1);
  clock.put_forward(seconds(6));
  EXPECT_EQ(said_after_pauses(4), 2);
}

// E1, and the budget: an idle connection costs at most 6 KB; descriptors come back.
TEST_F(LoopTest, IdleConnectionsAreSmallAndLeaveNothing) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  constexpr std::size_t count = 1000;
  const auto descriptors_before = descriptors();
  for (const bool websocket : {false, true}) {
    std::vector<std::unique_ptr<Client>> clients;
    const auto in_use = [] { return mallinfo2().uordblks; };
    for (std::size_t i = 0; i < count; ++i) clients.push_back(std::make_unique<Client>(port));
    const auto before = in_use();
    ASSERT_TRUE(turn_until([&] { return loop->connections() == count; }));
    for (auto& client : clients) client->write(websocket ? upgrade() : get("/a", ""));
    for (auto& client : clients) read_until(*client, websocket ? "\r\n\r\n" : "/a []");
    const auto each = (in_use() - before) / count;
    RecordProperty(websocket ? "bytes_per_idle_websocket" : "bytes_per_idle_http", static_cast<int>(each));
    std::printf("%s: %zu bytes an idle connection\n", websocket ? "WebSocket" : "HTTP", each);
#if !defined(__SANITIZE_ADDRESS__)
    EXPECT_LE(each, 6u * 1024);
#endif
    clients.clear();
    ASSERT_TRUE(turn_until([&] { return loop->connections() == 0; }));
  }
  EXPECT_EQ(descriptors(), descriptors_before);
}

}  // namespace
}  // namespace parley::net
