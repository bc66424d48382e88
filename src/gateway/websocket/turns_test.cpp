// D11: a frame of messages to many is taken in turn by turn. Its sender cannot tell, and nobody else has to wait for
// it.
#include "gateway/websocket/driven.hpp"

namespace parley::gateway::websocket {
namespace {

using testing::StartsWith;

struct Turns : StreamTest, testing::WithParamInterface<std::pair<unsigned, std::size_t>> {
  std::string cat;  // its token
  int sent = 0;

  void SetUp() override {
    broker_options.copies_a_turn = 3;  // each broadcast fills a turn
    start(GetParam().first);
    cat = token_of(R"({"agent_id":"cat","profile":"mesh"})");
    for (const char* const id : {"m1", "m2", "m3"})
      token_of(R"({"agent_id":")" + std::string(id) + R"(","profile":"mesh"})");
  }
  std::string broadcast() {
    return R"({"id":"00000000-0000-4000-8000-)" + std::to_string(1'000'000'000'000 + ++sent).substr(1) +
           R"(","from":"cat","to":"broadcast","timestamp":")" + base::to_rfc3339(clock_wall) +
           R"(","messageType":"notification","priority":"normal","content":{"status":{"state":"s"}}})";
  }
  // As large as the test wants it: read in place, or by a worker.
  std::string broadcasts(int id, int count, const std::string& last = "") {
    std::string messages = broadcast();
    while (--count > 0) messages += "," + broadcast();
    return large(frame(id, messages + last), GetParam().second);
  }
  std::uint64_t taken_in() const {
    const auto count = broker->counts().accepted.find("mesh");
    return count == broker->counts().accepted.end() ? 0 : count->second;
  }
};

TEST_P(Turns, TakeInABoundedNumberOfCopies) {
  const auto peer = greeted(cat);
  const auto other = greeted(architect);
  peer->send(broadcasts(2, 6, R"(,{},{"a":1,"a":2},{})"));
  peer->send(R"({"op":"credit","id":3,"n":7})");
  peer->send(broadcasts(4, 2));
  while (taken_in() == 0) turn({peer.get()});
  other->send(frame(2, message(1)));
  bool other_came_first = false;
  for (std::uint64_t before = taken_in(); peer->frames.size() < 3; before = taken_in()) {
    turn({peer.get(), other.get()});
    ASSERT_LE(taken_in() - before, 2u);  // one that was put off, and a new one
    other_came_first |= !other->frames.empty() && peer->frames.empty();
  }
  EXPECT_TRUE(other_came_first);
  EXPECT_EQ(taken_in(), 8u);
  EXPECT_THAT(peer->frames[0], StartsWith(R"({"op":"result","re":2,"results":[{"message_id":)"));
  std::size_t results = 0, at = 0;
  while ((at = peer->frames[0].find(R"("accepted")", at + 1)) != std::string::npos) ++results;
  EXPECT_EQ(results, 6u);
  EXPECT_TRUE(json::Document::parse(peer->frames[0]));
  EXPECT_EQ(json::Document::parse(peer->frames[0])->root().find("results").size(), 9u) << peer->frames[0];
  EXPECT_EQ(peer->frames[1], R"({"op":"result","re":3,"results":[{"status":"done"}]})");
  EXPECT_THAT(peer->frames[2], StartsWith(R"({"op":"result","re":4,"results":[{"message_id":)"));
}

TEST_P(Turns, GoOnForAPeerThatIsGone) {
  const auto peer = greeted(cat);
  peer->send(broadcasts(2, 6));
  while (taken_in() == 0) turn({peer.get()});
  peer->cut();
  ASSERT_TRUE(turn_until({}, [&] { return taken_in() == 6; }));
  ASSERT_TRUE(turn_until({}, [&] { return broker->idle() && gateway->idle(); }));
}

// Whatever it is that takes long.
TEST_F(StreamTest, AFrameThatTakesLongIsTakenInTurnByTurn) {
  broker_options.time_a_turn = std::chrono::microseconds(1);
  start(0);
  const auto peer = greeted(architect);
  std::string messages = message(1);
  for (int i = 2; i <= 200; ++i) messages += "," + message(i);
  peer->send(frame(2, messages));
  while (accepted() == 0) turn({peer.get()});
  EXPECT_LT(accepted(), 200u);
  ASSERT_TRUE(answers(*peer, 1));
  EXPECT_EQ(accepted(), 200u);
}

INSTANTIATE_TEST_SUITE_P(Read, Turns, testing::Values(std::pair(0u, 10u), std::pair(1u, 10'000u)));

}  // namespace
}  // namespace parley::gateway::websocket
