// Large frames are read beside the loop. Nobody can tell but by the time it takes: the order of one connection's
// frames, and every answer, are those of a server that reads each frame when it comes.
#include <thread>

#include "gateway/websocket/driven.hpp"

namespace parley::gateway::websocket {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_F(StreamTest, TakesFramesInTheirOrderWhoeverReadsThem) {
  start(1);
  const auto peer = greeted(architect);
  close_gate();
  peer->send(large(frame(2, message(1))));
  peer->send(R"({"op":"credit","id":3,"n":7})");
  peer->send(large(frame(4, message(2))));
  peer->send(large("no json"));
  peer->send("\x01", net::websocket::MessageKind::binary);
  peer->send(frame(5, message(3)));
  peer->send(large(frame(6, "{}, 7, " + message(1))));
  const auto other = greeted(developer);  // does not wait for the first one's frames
  for (int i = 0; i < 20; ++i) turn({peer.get()});
  EXPECT_THAT(peer->frames, IsEmpty());
  EXPECT_EQ(accepted(), 0u);
  open_gate();
  ASSERT_TRUE(answers(*peer, 7));
  const auto& frames = peer->frames;
  EXPECT_THAT(heads(frames, 22),
              ElementsAre(R"({"op":"result","re":2,)", R"({"op":"result","re":3,)", R"({"op":"result","re":4,)",
                          R"({"op":"result","re":0,)", R"({"op":"result","re":0,)", R"({"op":"result","re":5,)",
                          R"({"op":"result","re":6,)"));
  EXPECT_THAT(frames[3], HasSubstr("BAD_JSON"));
  EXPECT_THAT(frames[4], HasSubstr("BAD_FRAME"));
  EXPECT_THAT(frames[6], HasSubstr(R"("status":"duplicate")"));
  EXPECT_EQ(accepted(), 3u);
}

// Where it would have to wait for them.
TEST_F(StreamTest, TheLoopReadsShortFramesThatNoWorkerHasBegun) {
  start(1);
  const auto peer = greeted(architect);
  EXPECT_FALSE(gateway->frames_come_soon());
  close_gate();
  peer->send(large(frame(2, message(1))));
  peer->send(large(frame(3, message(2)), 40'000));
  ASSERT_TRUE(turn_until({peer.get()}, [&] { return gateway->frames_come_soon() && gateway->read_one(); }));
  ASSERT_TRUE(answers(*peer, 1));
  EXPECT_THAT(peer->frames[0], StartsWith(R"({"op":"result","re":2,)"));
  EXPECT_FALSE(gateway->read_one());  // it is not short
  EXPECT_TRUE(gateway->frames_come_soon());
  peer->send(large(frame(4, message(3)), 60'000));
  ASSERT_TRUE(turn_until({peer.get()}, [&] { return !gateway->frames_come_soon(); }));  // it is too much
  open_gate();
  ASSERT_TRUE(answers(*peer, 3));
  EXPECT_EQ(accepted(), 3u);
}

// The same frames, read by the loop and by workers, one after another and all at once: the same answers.
TEST_F(StreamTest, AnswersAsIfTheLoopHadReadAll) {
  std::vector<std::string> frames;
  for (int i = 0; i < 40; ++i) {
    std::string messages;
    for (int j = 0; j < i % 7; ++j) {
      const int number = i * 10 + j;
      messages += (j > 0 ? ",  " : " ") + message(number - number % 3, number % 5 == 0 ? "no_type" : "status_query",
                                                  number % 11 == 0 ? "dev" : "ann");
    }
    frames.push_back(frame(i + 2, messages));
  }
  frames.push_back(R"({"op":"send","id":100,"messages":{}})");
  frames.push_back(R"({"op":"send","id":101,"messages":[],"more":1})");
  frames.push_back(R"({"op":"ack","id":102,"messages":[)" + message(900) + "]}");
  frames.push_back(R"({"id":103})");
  frames.push_back(R"({"op":"send","id":104,"messages":[{"a":1,"a":2}]})");
  std::string many = message(901);
  for (int i = 0; i < 1000; ++i) many += ",1";
  frames.push_back(frame(105, many));

  std::vector<std::vector<std::string>> outcomes;
  for (const auto& [threads, together] : {std::pair(0u, false), {1u, false}, {3u, false}, {3u, true}}) {
    start(threads, {.worker_bytes = 1});
    const auto peer = greeted(architect);
    std::size_t sent = 0;
    for (const std::string& text : frames) {
      peer->send(text);
      ++sent;
      if (!together) {
        ASSERT_TRUE(answers(*peer, sent));
      }
    }
    ASSERT_TRUE(answers(*peer, sent));
    outcomes.push_back(peer->frames);
  }
  ASSERT_EQ(outcomes[0].size(), frames.size());
  EXPECT_THAT(outcomes[0][6], HasSubstr("accepted"));
  for (std::size_t i = 1; i < outcomes.size(); ++i) EXPECT_EQ(outcomes[i], outcomes[0]) << i;
}

// MSH-12: a message that breaks a rule of JSON is refused alone, whoever reads its frame.
TEST_F(StreamTest, RefusesAMessageThatIsNoJsonAlone) {
  for (const unsigned threads : {0u, 1u}) {
    start(threads);
    const auto peer = greeted(architect);
    const auto refused = [&] { return broker->counts().refused[static_cast<std::size_t>(base::ErrorCode::BAD_JSON)]; };
    peer->send(large(frame(2, message(1) + R"(, {"a":1,"a":2}, {"b":nul}, )" + message(2))));
    peer->send(R"({"messages" : [{"n":01},)" + message(3) +
               R"(], "beside":[null,{"supersedes":""}], "op":"send","id":3})");
    ASSERT_TRUE(answers(*peer, 2));
    const auto document = json::Document::parse(peer->frames[0]);
    const json::Value results = document->root().find("results");
    ASSERT_EQ(results.size(), 4u) << peer->frames[0];
    const auto at = [&](const char* pointer) {
      return std::string(document->root().at_pointer(pointer).if_string().value_or(""));
    };
    EXPECT_EQ(at("/results/0/status"), "accepted");
    EXPECT_EQ(at("/results/1/error/code"), "BAD_JSON");
    EXPECT_THAT(at("/results/1/error/message"), HasSubstr("twice"));
    EXPECT_EQ(at("/results/2/error/code"), "BAD_JSON");
    EXPECT_EQ(at("/results/3/status"), "accepted");
    EXPECT_THAT(peer->frames[1], testing::MatchesRegex(R"(.*"re":3,.*BAD_JSON.*accepted.*)"));
    EXPECT_EQ(accepted(), 3u);
    EXPECT_EQ(refused(), 3u);
    // Where it cannot be told what else is broken, the whole is.
    for (const std::string& whole :
         {frame(4, message(4) + R"(,{"a":{)"), frame(4, message(4) + ",nul"),
          frame(4, R"({"t":"5" pipe"},)" + message(4) + R"(,{"t":"6" pipe"})"), frame(4, message(4)) + "}",
          std::string(R"({"op":"send","id":4,"messages":[{"n":01}],"more":nul})"),
          std::string(R"({"op":"send","id":4,"messages":[{"n":01}],"messages":[]})")}) {
      peer->frames.clear();
      peer->send(whole);
      ASSERT_TRUE(answers(*peer, 1));
      EXPECT_THAT(peer->frames[0], testing::MatchesRegex(R"(.*"re":[04],"error":.*BAD_JSON.*)")) << whole;
    }
    peer->frames.clear();
    peer->send(R"({"op":"ack","id":5,"messages":[{"n":01}]})");
    ASSERT_TRUE(answers(*peer, 1));
    EXPECT_THAT(peer->frames[0], HasSubstr("BAD_FRAME"));
    EXPECT_EQ(accepted(), 3u);
    EXPECT_EQ(refused(), 3u);
  }
}

// What held when a frame came may not hold when its turn comes.
TEST_F(StreamTest, JudgesAnewWhatWasReadUnderOtherSettings) {
  start(1);
  const auto peer = greeted(architect);
  const std::string flawed = R"({"from_agent":{"agent_id":"ann"},"to_agent":{"agent_id":"dev"},)"
                             R"("message_type":"status_query","message_id":"x"})";
  close_gate();
  peer->send(large(frame(2, flawed)));
  for (int i = 0; i < 5; ++i) turn({peer.get()});
  set_validation("lenient");
  open_gate();
  ASSERT_TRUE(answers(*peer, 1));
  EXPECT_THAT(peer->frames[0], HasSubstr(R"("status":"accepted")"));

  close_gate();
  std::string other = flawed;
  other.replace(other.find("\"x\""), 3, "\"y\"");
  peer->send(large(frame(3, other)));
  for (int i = 0; i < 5; ++i) turn({peer.get()});
  set_validation("strict");
  open_gate();
  ASSERT_TRUE(answers(*peer, 2));
  EXPECT_THAT(peer->frames[1], HasSubstr(R"("code":"SCHEMA")"));
  EXPECT_EQ(accepted(), 1u);
}

TEST_F(StreamTest, JudgesAnewWhatWasReadByOtherRules) {
  start(1);
  const auto peer = greeted(architect);
  close_gate();
  peer->send(large(frame(2, message(1))));
  for (int i = 0; i < 5; ++i) turn({peer.get()});
  collab_is = "mesh";
  open_gate();
  ASSERT_TRUE(answers(*peer, 1));
  EXPECT_THAT(peer->frames[0], HasSubstr(R"("code":"TYPE_UNKNOWN")"));
}

// I4: nothing of an agent that was removed, or whose token was taken back, is accepted, however early it came.
TEST_F(StreamTest, DropsWhatARemovedAgentHadSent) {
  start(1);
  const auto peer = greeted(architect);
  close_gate();
  peer->send(large(frame(2, message(1))));
  for (int i = 0; i < 5; ++i) turn({peer.get()});
  ASSERT_TRUE(broker->port().registry.remove_agent(admin, "w", "ann"));
  open_gate();
  ASSERT_TRUE(turn_until({peer.get()}, [&] { return peer->closed; }));
  EXPECT_THAT(peer->frames, IsEmpty());
  EXPECT_EQ(accepted(), 0u);
}

TEST_F(StreamTest, DropsWhatCameUnderATokenTakenBack) {
  start(1);
  const auto peer = greeted(architect);
  close_gate();
  peer->send(large(frame(2, message(1))));
  for (int i = 0; i < 5; ++i) turn({peer.get()});
  ASSERT_TRUE(broker->port().registry.rotate_token(admin, "w", "agents", "ann", {}));
  ASSERT_TRUE(turn_until({peer.get()}, [&] { return peer->closed; }));
  EXPECT_EQ(peer->close_code(), 4401);
  open_gate();
  for (int i = 0; i < 20; ++i) turn({peer.get()});
  EXPECT_EQ(accepted(), 0u);
}

// As before: what was read from a connection counts, also where its peer went before it was answered. The acks behind
// a large frame are done before the leases go back.
TEST_F(StreamTest, TakesWhatCameBeforeTheConnectionWasClosed) {
  start(1);
  const auto sender = greeted(architect);
  sender->send(frame(2, message(1)));
  ASSERT_TRUE(answers(*sender, 1));
  for (const bool politely : {true, false}) {
    const auto peer = greeted(developer, "1");
    ASSERT_TRUE(answers(*peer, politely ? 1 : 0));
    close_gate();
    peer->send(large(frame(2, message(politely ? 2 : 3, "status_query", "dev"))));  // refused: not by that role
    if (politely) {
      const std::string& delivery = peer->frames.at(0);
      const auto id = delivery.find("\"delivery_id\":\"") + 15;
      peer->send(R"({"op":"ack","id":3,"delivery_ids":[")" + delivery.substr(id, delivery.find('"', id) - id) + "\"]}");
      peer->close();
    }
    for (int i = 0; i < 5; ++i) turn({peer.get()});
    ASSERT_FALSE(gateway->idle());
    peer->cut();
    ASSERT_TRUE(turn_until({}, [&] { return loop->connections() == 1; }));
    EXPECT_EQ(broker->counts().acked, politely ? 0u : 1u);
    const auto again = greeted(developer, "1");  // which takes over from nobody
    const auto refused = broker->counts().refused;
    open_gate();
    ASSERT_TRUE(turn_until({}, [&] { return broker->counts().refused != refused && gateway->idle(); }));
    EXPECT_EQ(broker->counts().acked, 1u);
    again->cut();
    ASSERT_TRUE(turn_until({}, [&] { return loop->connections() == 1; }));
  }
  EXPECT_EQ(broker->counts().acked, 1u);
  const auto inbox = broker->port().mailboxes.inbox(admin, "w", "dev", {});
  EXPECT_THAT(inbox->json, Not(HasSubstr("status_query")));
}

TEST_F(StreamTest, GivesNothingNewToAClosedConnectionWhoseFramesWait) {
  start(1);
  const auto sender = greeted(architect);
  const auto peer = greeted(developer, "10");
  close_gate();
  peer->send(large(frame(2, message(2, "status_query", "dev"))));
  ASSERT_TRUE(turn_until({peer.get()}, [&] { return !gateway->idle(); }));
  peer->cut();
  ASSERT_TRUE(turn_until({}, [&] { return loop->connections() == 1; }));
  sender->send(frame(2, message(1)));
  ASSERT_TRUE(answers(*sender, 1));
  EXPECT_THAT(sender->frames[0], HasSubstr("accepted"));
  EXPECT_EQ(broker->counts().offered, 0u);
  open_gate();
  ASSERT_TRUE(turn_until({}, [&] { return gateway->idle(); }));
  EXPECT_EQ(broker->counts().offered, 0u);
}

// To a worker and back takes longer than to read a small frame.
TEST_F(StreamTest, ReadsSmallFramesItself) {
  start(1, {.worker_bytes = 1000});
  const auto peer = greeted(architect);
  close_gate();
  peer->send(large(frame(2, message(1)), 999));
  ASSERT_TRUE(answers(*peer, 1));
  peer->send(large(frame(3, message(2)), 1000));
  for (int i = 0; i < 20; ++i) turn({peer.get()});
  EXPECT_EQ(accepted(), 1u);
  open_gate();
  ASSERT_TRUE(answers(*peer, 2));
}

TEST_F(StreamTest, EndsWithFramesStillWaiting) {
  start(2);
  const auto peer = greeted(architect);
  close_gate();
  for (int i = 0; i < 50; ++i) peer->send(large(frame(i + 2, message(i)), 20'000));
  for (int i = 0; i < 5; ++i) turn({peer.get()});
  std::thread opener([opened = std::exchange(gate, nullptr)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    opened->opened.set_value();
  });
  stop();
  opener.join();
}

// D11: who sends faster than it is taken is not read from; what waits has a bound, for each and for all.
TEST_F(StreamTest, ReadsNoMoreThanMayWait) {
  start(1, {.worker_bytes = 1000, .waiting_high = 300'000, .waiting_max = 100'000});
  const auto peer = greeted(architect), second = greeted(developer);
  const auto& read = metrics.counter(observe::Metric::network_read_bytes);
  const auto before = read.value();
  constexpr int count = 300;
  close_gate();
  for (int i = 0; i < count; ++i) peer->send(large(frame(i + 2, message(i)), 100'000));
  for (int i = 0; i < 100; ++i) turn({peer.get()});
  EXPECT_GT(peer->unsent(), 10'000'000u);
  EXPECT_LT(read.value() - before, 300'000u + (1u << 20) + 100'000u);
  // The workers have enough: another one's large frames are read by the loop itself.
  second->send(large(frame(2, "{}")));
  ASSERT_TRUE(answers(*second, 1));
  open_gate();
  ASSERT_TRUE(answers(*peer, count));
  for (int i = 0; i < count; ++i)
    EXPECT_THAT(peer->frames[i], StartsWith(R"({"op":"result","re":)" + std::to_string(i + 2) + ',')) << i;
  EXPECT_EQ(accepted(), static_cast<std::uint64_t>(count));
}

// They leave as they were handed over, whoever makes their frames: the worker, or the loop where it is busy.
TEST_F(StreamTest, DeliversInOrderWhoeverMakesTheFrames) {
  constexpr int count = 900;
  for (const bool worker_is_busy : {false, true}) {
    start(1, {.worker_bytes = 1 << 20});
    const auto peer = greeted(architect);
    for (int i = 0; i < count; ++i) peer->send(frame(i + 2, message(i)));
    ASSERT_TRUE(answers(*peer, count));
    if (worker_is_busy) close_gate();
    const auto taker = greeted(developer, "1000");
    std::size_t taken = 0;
    std::vector<std::uint64_t> offsets;
    ASSERT_TRUE(turn_until({taker.get()}, [&] {
      for (; taken < taker->frames.size(); ++taken) {
        const auto document = json::Document::parse(taker->frames[taken]);
        for (const json::Value delivery : document->root().find("deliveries").elements())
          offsets.push_back(*delivery.find("offset").if_uint());
      }
      EXPECT_FALSE(gateway->frames_come_soon());  // for those nobody waits
      return offsets.size() == count;
    }));
    EXPECT_GT(taken, 4u);
    for (std::size_t i = 1; i < offsets.size(); ++i) EXPECT_GT(offsets[i], offsets[i - 1]);
    if (worker_is_busy) open_gate();
  }
}

TEST_F(StreamTest, ManySmallFramesBehindALargeOneAreBoundedToo) {
  start(1, {.worker_bytes = 1000, .waiting_frames_high = 10});
  const auto peer = greeted(architect);
  const auto& frames_in = metrics.counter(observe::Metric::websocket_messages, "in");
  const auto before = frames_in.value();
  constexpr int count = 100'000;
  close_gate();
  peer->send(large(frame(1, message(1))));
  for (int i = 2; i <= count; ++i) peer->send(R"({"op":"credit","n":1,"id":)" + std::to_string(i) + '}');
  for (int i = 0; i < 100; ++i) turn({peer.get()});
  EXPECT_LT(frames_in.value() - before, 10u + (128u << 10) / 32);  // and what was read with the tenth
  open_gate();
  ASSERT_TRUE(answers(*peer, count));
  EXPECT_THAT(peer->frames.back(), StartsWith(R"({"op":"result","re":100000,)"));
}

}  // namespace
}  // namespace parley::gateway::websocket
