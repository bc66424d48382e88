// Our machine against another implementation of RFC 6455: what one side sends, the other reads, whatever the cuts.
#include <gtest/gtest.h>
#include <wslay/wslay.h>

#include <random>
#include <string>
#include <vector>

#include "base/test_clock.hpp"
#include "net/websocket/connection.hpp"

namespace parley::net::websocket {
namespace {

// wslay's event interface with strings for a wire.
class Wslay {
 public:
  explicit Wslay(bool server) {
    const wslay_event_callbacks callbacks = {receive, send, mask, nullptr, nullptr, nullptr, message};
    (server ? wslay_event_context_server_init : wslay_event_context_client_init)(&context_, &callbacks, this);
  }
  ~Wslay() { wslay_event_context_free(context_); }
  Wslay(const Wslay&) = delete;

  std::string frames_of(const std::string& text) {
    const wslay_event_msg out = {WSLAY_TEXT_FRAME, reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    EXPECT_EQ(wslay_event_queue_msg(context_, &out), 0);
    EXPECT_EQ(wslay_event_send(context_), 0);
    return std::exchange(written_, {});
  }
  std::string frames_of_parts(const std::string& text, std::size_t part) {
    source_ = text;
    part_ = part;
    wslay_event_fragmented_msg out = {WSLAY_BINARY_FRAME, {.data = this}, read_part};
    EXPECT_EQ(wslay_event_queue_fragmented_msg(context_, &out), 0);
    EXPECT_EQ(wslay_event_send(context_), 0);
    return std::exchange(written_, {});
  }
  void feed(const std::string& bytes) {
    to_read_ = bytes;
    EXPECT_EQ(wslay_event_recv(context_), 0);
  }
  std::vector<std::string> messages;

 private:
  static Wslay& self(void* user) { return *static_cast<Wslay*>(user); }
  static ssize_t receive(wslay_event_context_ptr context, std::uint8_t* into, std::size_t size, int, void* user) {
    auto& bytes = self(user).to_read_;
    if (bytes.empty()) {
      wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    const std::size_t count = bytes.copy(reinterpret_cast<char*>(into), size);
    bytes.erase(0, count);
    return static_cast<ssize_t>(count);
  }
  static ssize_t send(wslay_event_context_ptr, const std::uint8_t* bytes, std::size_t size, int, void* user) {
    self(user).written_.append(reinterpret_cast<const char*>(bytes), size);
    return static_cast<ssize_t>(size);
  }
  static int mask(wslay_event_context_ptr, std::uint8_t* into, std::size_t size, void* user) {
    self(user).random_.fill({into, size});
    return 0;
  }
  static void message(wslay_event_context_ptr, const wslay_event_on_msg_recv_arg* arrived, void* user) {
    self(user).messages.emplace_back(reinterpret_cast<const char*>(arrived->msg), arrived->msg_length);
  }
  static ssize_t read_part(wslay_event_context_ptr, std::uint8_t* into, std::size_t size,
                           const wslay_event_msg_source* source, int* end, void*) {
    auto& from = self(source->data);
    const std::size_t count = from.source_.copy(reinterpret_cast<char*>(into), std::min(size, from.part_));
    from.source_.erase(0, count);
    *end = from.source_.empty() ? 1 : 0;
    return static_cast<ssize_t>(count);
  }

  wslay_event_context_ptr context_ = nullptr;
  base::TestRandom random_;
  std::string to_read_, written_, source_;
  std::size_t part_ = 1;
};

std::string letters(std::minstd_rand& random, std::size_t size) {
  std::string text(size, 'a');
  for (auto& c : text) c = static_cast<char>('a' + random() % 26);
  return text;
}

TEST(WebSocket, ReadsWhatWslaySendsAndIsReadByIt) {
  std::minstd_rand random(1);
  base::TestRandom masks;
  Settings settings;
  wire::Output server_output, client_output;
  auto server = Connection::server(settings, server_output, {});
  auto client = Connection::client(settings, client_output, masks, {});
  Wslay wslay_client(false), wslay_server(true);
  for (int round = 0; round < 300; ++round) {
    const std::string text = letters(random, random() % (round % 10 == 0 ? 200'000 : 300));
    const std::string frames = round % 3 == 0 && !text.empty() ? wslay_client.frames_of_parts(text, 1 + random() % 1000)
                                                               : wslay_client.frames_of(text);
    std::string got;
    for (std::size_t at = 0; at < frames.size();) {
      const std::size_t size = 1 + random() % frames.size();
      std::string piece = frames.substr(at, size);
      std::span<char> input = piece;
      while (server.receive(input, {}) == Connection::Step::message) server.keep_message(got);
      at += size;
    }
    ASSERT_EQ(got, text) << "round " << round;

    client.send(MessageKind::text, std::string_view(text));
    wslay_server.feed(client_output.text());
    client_output.consume(client_output.size());
    ASSERT_EQ(wslay_server.messages.back(), text) << "round " << round;
  }
}

}  // namespace
}  // namespace parley::net::websocket
