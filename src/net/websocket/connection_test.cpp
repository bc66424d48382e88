// COR-07 (WebSocket): the connection machine, fed by hand; F6 is the hostile part.
#include "net/websocket/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/test_clock.hpp"

namespace parley::net::websocket {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Step = Connection::Step;

// A connection and what it did: "text hello", "binary …", "closed 1000 reason".
struct Driven {
  Settings settings;
  wire::Output output;
  base::TestRandom random;
  base::Duration now{0};
  Connection connection;
  std::vector<std::string> events;

  explicit Driven(bool server = true)
      : connection(server ? Connection::server(settings, output, now)
                          : Connection::client(settings, output, random, now)) {}

  void note(Step step) {
    if (step == Step::message)
      events.push_back((connection.kind() == MessageKind::text ? "text " : "binary ") +
                       std::string(connection.message()));
    if (step == Step::closed)
      events.push_back("closed " + std::to_string(connection.end().code) + ' ' + connection.end().reason);
  }
  // In a buffer that ends with the call, so that views kept too long are found.
  void feed(std::string_view bytes) {
    std::vector<char> buffer(bytes.begin(), bytes.end());
    std::span<char> input = buffer;
    Step step;
    while ((step = connection.receive(input, now)) != Step::need_more) note(step);
  }
  void feed_in_pieces(std::string_view bytes, std::size_t size) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) feed(bytes.substr(0, size));
  }
  void wait(base::Duration time) {
    now += time;
    note(connection.on_time(now));
  }
  std::string written() {
    std::string text = output.text();
    output.consume(output.size());
    return text;
  }
};

// A frame as a client sends it; `first` and `length_byte` as given, for malformed ones.
std::string frame(int first, std::string_view payload, const char* key = "kEy!") {
  FrameHeader header{static_cast<Opcode>(first & 15), (first & 0x80) != 0, true, {}, payload.size()};
  std::copy_n(key, 4, header.key.begin());
  std::array<char, frame_header_bytes_max> bytes;
  std::string text(bytes.data(), write_frame_header(header, bytes));
  text[0] = static_cast<char>(first);
  for (std::size_t i = 0; i < payload.size(); ++i) text += static_cast<char>(payload[i] ^ key[i & 3]);
  return text;
}

std::string close_frame(int code, std::string_view reason = "") {
  return frame(0x88, std::string{static_cast<char>(code >> 8), static_cast<char>(code)} + std::string(reason));
}

std::string words(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += "word" + std::to_string(i) + ' ';
  text.resize(bytes);
  return text;
}

TEST(WebSocket, ReadsMessagesWhateverTheReadsCutThemInto) {
  const std::string all = frame(0x81, "hello") + frame(0x82, std::string("\0\xff", 2)) + frame(0x81, "") +
                          frame(0x01, "a\xE2") + frame(0x89, "ping") + frame(0x00, "\x82\xAC") + frame(0x00, "") +
                          frame(0x80, "z") + frame(0x81, words(126)) + frame(0x8A, "") + close_frame(1000, "bye");
  for (std::size_t size = 1; size <= all.size(); ++size) {
    Driven driven;
    driven.feed_in_pieces(all, size);
    ASSERT_THAT(driven.events, ElementsAre("text hello", std::string("binary \0\xff", 9), "text ", "text a€z",
                                           "text " + words(126), "closed 1000 bye"))
        << "pieces of " << size;
    ASSERT_EQ(driven.written(), std::string("\x8a\x04ping\x88\x02\x03\xe8", 10));
  }
}

TEST(WebSocket, TakesEveryLengthOfMessageWholeAndInParts) {
  for (const std::size_t length :
       {0u, 1u, 3u, 31u, 32u, 33u, 125u, 126u, 127u, 16383u, 16384u, 65535u, 65536u, 70001u}) {
    const std::string text = words(length);
    for (const std::size_t size : {std::size_t{4097}, std::size_t{1} << 30}) {
      Driven driven;
      driven.feed_in_pieces(frame(0x81, text), size);
      ASSERT_THAT(driven.events, ElementsAre("text " + text)) << length;
    }
  }
}

// F6: a message of one million one-byte parts.
TEST(WebSocket, PutsTogetherAMillionParts) {
  Driven driven;
  std::string all = frame(0x01, "x");
  for (int i = 1; i < 1'000'000; ++i) all += frame(0x00, "x");
  driven.feed_in_pieces(all, 65536);
  EXPECT_THAT(driven.events, IsEmpty());
  driven.feed(frame(0x80, ""));
  EXPECT_THAT(driven.events, ElementsAre("text " + std::string(1'000'000, 'x')));
}

// F6, F3: the limit, one below, one above; in one frame and in parts; before the bytes come.
TEST(WebSocket, HoldsTheSizeOfMessages) {
  for (const std::size_t length : {999u, 1000u, 1001u, 10000u}) {
    Driven whole, parts;
    whole.settings.message_bytes_max = parts.settings.message_bytes_max = 1000;
    whole.feed(frame(0x82, std::string(length, 'x')));
    parts.feed(frame(0x02, std::string(900, 'x')) + frame(0x80, std::string(length - 900, 'x')).substr(0, 8));
    if (length <= 1000) {
      EXPECT_THAT(whole.events, ElementsAre("binary " + std::string(length, 'x')));
      EXPECT_THAT(parts.events, IsEmpty());
    } else {
      EXPECT_THAT(whole.events, ElementsAre(HasSubstr("closed 1009")));
      EXPECT_THAT(parts.events, ElementsAre(HasSubstr("closed 1009"))) << "told by the length alone";
      EXPECT_THAT(whole.written(), testing::StartsWith("\x88"));
    }
  }
}

struct Malformed {
  const char* what;
  std::string bytes;
  int code;
};

// F6: lengths up to 2^63 and beyond, unmasked frames, control frames that are long or in parts, bad close codes.
TEST(WebSocket, EndsOnWhatTheProtocolForbids) {
  const std::string unmasked = "\x81\x01x";
  const auto length64 = [](const char* bytes) { return std::string("\x82\xff", 2) + std::string(bytes, 8) + "kEy!"; };
  std::vector<Malformed> cases = {
      {"unmasked", unmasked, 1002},
      {"length 2^63", length64("\x80\0\0\0\0\0\0\0"), 1002},
      {"length 2^64-1", length64("\xff\xff\xff\xff\xff\xff\xff\xff"), 1002},
      {"length 2^63-1", length64("\x7f\xff\xff\xff\xff\xff\xff\xff"), 1009},
      {"length not shortest, 64 bits", length64("\0\0\0\0\0\0\xff\xff"), 1002},
      {"length not shortest, 16 bits", std::string("\x82\xfe\0\x7d", 4) + "kEy!" + std::string(125, 'x'), 1002},
      {"reserved bit 1", frame(0xC1, "x"), 1002},
      {"reserved bit 2", frame(0xA1, "x"), 1002},
      {"reserved bit 3", frame(0x91, "x"), 1002},
      {"opcode 3", frame(0x83, "x"), 1002},
      {"opcode 11", frame(0x8B, "x"), 1002},
      {"ping in parts", frame(0x09, "x"), 1002},
      {"close in parts", frame(0x08, "\x03\xe8"), 1002},
      {"long ping", frame(0x89, std::string(126, 'x')), 1002},
      {"nothing to continue", frame(0x80, "x"), 1002},
      {"message within a message", frame(0x01, "x") + frame(0x81, "y"), 1002},
      {"close of one byte", frame(0x88, "\x03"), 1002},
      {"close reason not UTF-8", close_frame(1000, "\xff"), 1007},
      {"text not UTF-8", frame(0x81, "\xff"), 1007},
      {"text ends within a character", frame(0x81, "\xE2\x82"), 1007},
      {"text of surrogates", frame(0x81, "\xED\xA0\x80"), 1007},
      {"large text not UTF-8", frame(0x81, words(20'000) + "\xff"), 1007},
      {"large text ends within a character", frame(0x81, words(20'000) + "\xE2\x82"), 1007},
      {"overlong", frame(0x81, "\xC0\x80"), 1007},
      {"above U+10FFFF", frame(0x81, "\xF4\x90\x80\x80"), 1007},
      {"parts not UTF-8, told before the end", frame(0x01, "x") + frame(0x00, "\xC0"), 1007},
      {"parts that end within a character", frame(0x01, "x") + frame(0x80, "\xE2\x82"), 1007},
  };
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535})
    cases.push_back({"close code", close_frame(code), 1002});
  for (const auto& malformed : cases)
    for (const std::size_t size : {std::size_t{1}, malformed.bytes.size()}) {
      Driven driven;
      driven.feed_in_pieces(malformed.bytes + frame(0x81, "after"), size);
      ASSERT_THAT(driven.events, ElementsAre(HasSubstr("closed " + std::to_string(malformed.code)))) << malformed.what;
      const std::string written = driven.written();
      ASSERT_GE(written.size(), 4u);
      EXPECT_EQ(written.substr(0, 1) + written.substr(2, 2),
                std::string("\x88") + static_cast<char>(malformed.code >> 8) + static_cast<char>(malformed.code))
          << malformed.what;
      EXPECT_EQ(driven.connection.next_deadline(), base::Duration::max());
    }
}

TEST(WebSocket, TakesEveryCloseCodeThatMayBeSent) {
  for (const int code :
       {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4001, 4401, 4999}) {
    Driven driven;
    driven.feed(close_frame(code, "r") + frame(0x81, "after"));
    EXPECT_THAT(driven.events, ElementsAre("closed " + std::to_string(code) + " r"));
    EXPECT_EQ(driven.written(), std::string("\x88\x02") + static_cast<char>(code >> 8) + static_cast<char>(code));
  }
  Driven without;
  without.feed(frame(0x88, ""));
  EXPECT_THAT(without.events, ElementsAre("closed 1005 "));
  EXPECT_EQ(without.written(), std::string("\x88\0", 2));
}

TEST(WebSocket, ClosesInOrderAndWaitsForTheAnswer) {
  Driven driven;
  driven.connection.close(4001, "taken over", driven.now);
  EXPECT_EQ(driven.written(), "\x88\x0c\x0f\xa1taken over");
  driven.connection.send(MessageKind::text, std::string_view("late"));
  EXPECT_EQ(driven.written(), "") << "nothing follows a close";
  driven.feed(frame(0x81, "crossing") + frame(0x01, "in ") + frame(0x80, "parts"));
  EXPECT_THAT(driven.events, IsEmpty());
  driven.feed(close_frame(4001));
  EXPECT_THAT(driven.events, ElementsAre("closed 4001 "));
  EXPECT_EQ(driven.written(), "") << "answered already";

  Driven silent;
  silent.connection.close(1001, "", silent.now);
  silent.wait(seconds(4));
  EXPECT_THAT(silent.events, IsEmpty());
  silent.wait(seconds(1));
  EXPECT_THAT(silent.events, ElementsAre("closed 1001 "));

  Driven wordy;  // a long reason is cut between characters
  wordy.connection.close(1000, std::string(122, 'x') + "€", wordy.now);
  EXPECT_EQ(wordy.written().size(), 2u + 2 + 122);
}

TEST(WebSocket, PingsASilentPeerAndThenGivesUp) {
  Driven driven;
  driven.wait(seconds(29));
  EXPECT_EQ(driven.written(), "");
  driven.wait(seconds(1));
  EXPECT_EQ(driven.written(), std::string("\x89\0", 2));
  driven.feed(frame(0x8A, ""));
  driven.wait(seconds(29));
  EXPECT_EQ(driven.written(), "");
  driven.wait(seconds(1));
  EXPECT_EQ(driven.written(), std::string("\x89\0", 2));
  driven.wait(seconds(29));
  EXPECT_THAT(driven.events, IsEmpty());
  driven.wait(seconds(1));
  EXPECT_THAT(driven.events, ElementsAre("closed 1006 the peer is silent"));
}

TEST(WebSocket, LetsPingsGoUnansweredWhereNothingIsRead) {  // reliability D6
  Driven driven;
  std::string pings;
  for (int i = 0; i < 100'000; ++i) pings += frame(0x89, std::string(125, 'x'));
  driven.feed_in_pieces(pings, 65536);
  EXPECT_LE(driven.output.size(), driven.settings.pong_backlog_max + 127);
}

TEST(WebSocket, SpeaksBothSides) {
  Driven server, client(false);
  const std::vector<std::string_view> pieces = {"{\"a\":", "1", "}"};
  client.connection.send(MessageKind::text, std::string_view("hi"));
  client.connection.send(MessageKind::binary, words(100'000));
  client.connection.send_pieces(MessageKind::text, pieces);
  server.feed_in_pieces(client.written(), 1000);
  EXPECT_THAT(server.events, ElementsAre("text hi", "binary " + words(100'000), "text {\"a\":1}"));

  server.connection.send(MessageKind::text, words(100'000));
  server.connection.send_pieces(MessageKind::text, pieces);
  server.connection.close(1000, "done", server.now);
  client.feed_in_pieces(server.written(), 1000);
  EXPECT_THAT(client.events, ElementsAre("text " + words(100'000), "text {\"a\":1}", "closed 1000 done"));
  server.feed(client.written());
  EXPECT_EQ(server.events.back(), "closed 1000 ");

  Driven strict(false);  // a server's frames are not masked
  strict.feed(frame(0x81, "x"));
  EXPECT_THAT(strict.events, ElementsAre(HasSubstr("closed 1002")));
}

TEST(WebSocket, GivesTheMessageAway) {
  const std::string large = words(20'000);
  for (const std::size_t size : {std::size_t{10}, std::size_t{1000}, std::size_t{1} << 20}) {
    Driven driven;
    const std::string bytes = frame(0x81, "first message") + frame(0x81, large) + frame(0x81, "third");
    std::vector<std::string> taken;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      std::vector<char> buffer(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, bytes.size())));
      std::span<char> input = buffer;
      while (driven.connection.receive(input, driven.now) == Step::message)
        driven.connection.keep_message(taken.emplace_back());
    }
    EXPECT_THAT(taken, ElementsAre("first message", large, "third"));
  }
}

TEST(Mask, IsTheSameAtEveryPhaseLengthAndPlace) {
  std::string bytes = words(200), expected = bytes, got(200, 0);
  const MaskKey key = {'a', 'B', '\x80', '\xff'};
  for (std::size_t phase = 0; phase < 9; ++phase)
    for (std::size_t count = 0; count < 100; ++count) {
      for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<char>(bytes[i + phase] ^ key[(i + phase) & 3]);
      apply_mask(got.data(), bytes.data() + phase, count, key, phase);
      ASSERT_EQ(got.substr(0, count), expected.substr(0, count)) << phase << ' ' << count;
      std::string place = bytes;
      apply_mask(place.data() + 1, place.data() + 1, count, key, phase);
      apply_mask(place.data() + 1, place.data() + 1, count, key, phase + 4);
      ASSERT_EQ(place, bytes);
    }
}

}  // namespace
}  // namespace parley::net::websocket
