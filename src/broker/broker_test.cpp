// What only the broker decides: what a full disk still lets through, what a read may cost, and that what cannot be read
// is never passed over.
#include "broker/broker.hpp"

#include <gtest/gtest.h>

#include <set>

#include "broker/batch.hpp"
#include "broker/replay.hpp"
#include "broker/test_bench.hpp"
#include "engine/test_consistency.hpp"
#include "journal/memory/memory_journal.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;
using journal::memory::open;

std::string code(const auto& outcome) {
  return outcome ? "" : std::string(info(outcome.error().code).name);
}

class Pushed final : public Outbox {
 public:
  bool has_room() const override { return true; }
  void deliver(Deliveries deliveries) override {
    count += deliveries.all.size();
    if (keeps) kept.push_back(std::move(deliveries));
  }
  void receipts(std::span<const ReceiptChange>, std::uint64_t) override {}
  void taken_over() override {}
  std::size_t count = 0;
  bool keeps = false;
  std::vector<Deliveries> kept;
};

// B4, D11: growth stops first, then what agents do with what is there; what must end still can, and the server lives.
TEST(Room, A_full_disk_stops_nothing_that_ends_something) {
  TestBench bench(open({.capacity_bytes = 400'000, .reserve_bytes = 100'000}));
  Broker& broker = bench.broker;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(code(bench.send()), "");
  ASSERT_TRUE(broker.turn());
  const auto taken =
      broker.port().mailboxes.take(bench.b, "team", "b", {.max = 10, .lease = std::chrono::hours(1), .take_id = {}});
  ASSERT_TRUE(taken);
  std::vector<std::string> ids;
  for (const Delivery& delivery : *taken) ids.push_back(delivery.delivery_id);
  ASSERT_EQ(ids.size(), 10u);

  std::string refusal;
  for (int i = 0; i < 5'000 && refusal.empty(); ++i) {
    refusal = code(bench.call(
        [&](json::Value body) { return broker.port().registry.change_agent(bench.admin, "team", "a", body); },
        R"({"agent_type": "kind-)" + std::to_string(i) + std::string(200, 'x') + R"("})"));
    ASSERT_TRUE(broker.turn());
  }
  EXPECT_EQ(refusal, "STORAGE_FULL");
  EXPECT_EQ(code(bench.send()), "STORAGE_FULL");
  refusal.clear();
  for (int i = 0; i < 100 && refusal.empty(); ++i) {  // smaller ones may fit for a while
    refusal = code(broker.port().registry.rotate_token(bench.a, "team", "agents", "a", {}));
    ASSERT_TRUE(broker.turn());
  }
  EXPECT_EQ(refusal, "STORAGE_FULL");

  const auto settle = [&](Settlement what, const std::string& id) {
    const std::string_view view = id;
    return broker.port().mailboxes.settle(
        bench.b, "team", "b", {what, {&view, 1}, std::chrono::hours(1), std::string_view(), std::chrono::hours(1)});
  };
  refusal.clear();
  for (int i = 0; i < 50'000 && refusal.empty(); ++i) {
    refusal = code(settle(Settlement::extend, ids[0]));
    ASSERT_TRUE(broker.turn());
  }
  EXPECT_EQ(refusal, "STORAGE_FULL");
  EXPECT_EQ(code(settle(Settlement::nack, ids[0])), "STORAGE_FULL");
  EXPECT_EQ(code(broker.port().mailboxes.take(bench.b, "team", "b", {.max = 1, .lease = {}, .take_id = {}})),
            "STORAGE_FULL");

  EXPECT_EQ(code(settle(Settlement::ack, ids[1])), "");
  EXPECT_EQ(code(broker.port().mailboxes.inbox(bench.b, "team", "b", {})), "");
  EXPECT_EQ(code(broker.port().polls.log(bench.a, "team", 1, 10)), "");
  bench.clock.passed += std::chrono::hours(2);  // leases end
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(broker.turn());
  EXPECT_FALSE(broker.engine().next_due());
}

// With the last reserve spent as well, what time brings waits; the server goes on.
// D3: what was applied must be appended, so that nothing is which a block cannot hold.
TEST(Room, What_a_block_cannot_hold_is_for_the_next) {
  TestBench bench(open({.block_bytes_max = 50'000}));
  Broker& broker = bench.broker;
  ASSERT_TRUE(broker.turn());
  const auto change = [&](int i) {
    return code(bench.call(
        [&](json::Value body) { return broker.port().registry.change_agent(bench.admin, "team", "a", body); },
        R"({"agent_type": "kind-)" + std::to_string(i) + std::string(200, 'x') + R"("})"));
  };
  std::string refusal;
  int changes = 0;
  for (; changes < 1'000 && refusal.empty(); ++changes) refusal = change(changes);
  EXPECT_EQ(refusal, "OVERLOADED");
  EXPECT_GT(changes, 100);
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(change(changes), "");
  ASSERT_TRUE(broker.turn());
}

// B4: /readyz and the log say what senders are told.
TEST(Room, The_server_is_ready_as_long_as_it_takes_small_messages) {
  TestBench bench(open({.capacity_bytes = 400'000, .reserve_bytes = 100'000}));
  Broker& broker = bench.broker;
  ASSERT_TRUE(bench.unlimited());
  std::string ready;
  for (std::size_t i = 0; i < 1'000 && ready.empty(); ++i) {
    ready = code(broker.ready());
    ASSERT_EQ(broker.room() == journal::Room::enough, ready.empty());
    ASSERT_EQ(code(bench.send(i % 2 == 0 ? 10 : 3'000)), ready);
    ASSERT_TRUE(broker.turn());
  }
  EXPECT_EQ(ready, "STORAGE_FULL");
}

TEST(Room, What_time_brings_waits_for_room) {
  TestBench bench(open({.capacity_bytes = 90'000, .reserve_bytes = 2}));
  Broker& broker = bench.broker;
  ASSERT_EQ(code(bench.send()), "");
  ASSERT_TRUE(broker.turn());
  ASSERT_TRUE(
      broker.port().mailboxes.take(bench.b, "team", "b", {.max = 1, .lease = std::chrono::seconds(1), .take_id = {}}));
  while (code(broker.port().registry.rotate_token(bench.a, "team", "agents", "a", {})).empty())
    ASSERT_TRUE(broker.turn());
  bench.clock.passed += std::chrono::seconds(10);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker.turn());
  EXPECT_GT(broker.until_next_due().value_or(std::chrono::seconds(1)), base::Duration{});  // no loop without a pause
}

// Whoever writes them does so later, on another thread: by then the cache has let their blocks go.
TEST(Pushes, Hold_the_bytes_of_their_messages) {
  TestBench bench(open(), {.cache_bytes = 1});
  ASSERT_EQ(code(bench.unlimited()), "");
  std::vector<std::string> sent;
  const auto send = [&](std::size_t text_bytes) {
    const std::string bytes = bench.request(bench.a, text_bytes, "b");
    const auto document = json::Document::parse(bytes);
    ASSERT_TRUE(bench.broker.port().messages.send(bench.a, "team", {bytes, document->root()}, {}, nullptr));
    sent.push_back(bytes);
  };
  for (int i = 0; i < 3; ++i) {  // read from the journal, but for the newest
    send(1'000);
    ASSERT_TRUE(bench.broker.turn());
  }
  Pushed pushed;
  pushed.keeps = true;
  SessionOptions options;
  options.credit = 6;
  ASSERT_TRUE(bench.broker.port().sessions.open_session(bench.b, pushed, options));
  for (int i = 0; i < 3; ++i) {  // of a block that is not committed yet
    send(1'000);
    ASSERT_TRUE(bench.broker.turn());
  }
  ASSERT_EQ(pushed.count, 6u);
  for (int i = 0; i < 100; ++i) {
    send(900 + i);
    ASSERT_TRUE(bench.broker.turn());
  }
  std::vector<std::string> delivered;
  for (const Deliveries& deliveries : pushed.kept)
    for (const Delivery& delivery : deliveries.all) delivered.emplace_back(delivery.message);
  EXPECT_EQ(delivered, std::vector<std::string>(sent.begin(), sent.begin() + 6));
}

// D2: also where there is always something to decide before a turn ends; the time that a block had stays its own.
TEST(Time, A_sleep_of_the_machine_is_skipped_under_load) {
  TestBench bench(open());
  Broker& broker = bench.broker;
  const auto turn = [&] {
    ASSERT_EQ(code(bench.send()), "");
    ASSERT_TRUE(broker.turn());
  };
  turn();
  const base::Instant before = broker.engine().state().now;
  bench.clock.passed += std::chrono::hours(2);
  bench.clock.slept += std::chrono::hours(2);
  turn();
  turn();
  EXPECT_GE(broker.engine().state().now - before, std::chrono::hours(2));
  EXPECT_EQ(broker.counts().suspended, std::chrono::hours(2));
}

// R8, D11: what is forgotten is bounded for the turn, not for each workspace that comes of age in it.
TEST(Forgetting, Workspaces_that_come_of_age_together_share_a_turn) {
  TestBench bench(open(), {.cache_bytes = 1 << 20, .block_bytes = 1 << 20});
  Broker& broker = bench.broker;
  bench.create("other");
  const Caller other = bench.enrol("a", "other");
  bench.enrol("b", "other");
  ASSERT_EQ(code(bench.unlimited()), "");
  ASSERT_EQ(code(bench.unlimited("other")), "");
  const auto send = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(code(bench.send()), "");
      ASSERT_EQ(code(bench.send(other)), "");
    }
    ASSERT_TRUE(broker.turn());
  };
  const auto too_old = [&] {
    std::uint64_t count = 0;
    for (const auto& workspace : broker.engine().state().workspaces)
      workspace->messages.visit_after(workspace->forgotten_through, [&](base::Offset, const engine::Message& message) {
        const bool old = message.accepted_at < broker.engine().state().now - std::chrono::hours(24);
        count += old ? 1 : 0;
        return old;
      });
    return count;
  };
  send(6'000);
  bench.clock.passed += std::chrono::hours(25);
  send(1);
  EXPECT_EQ(too_old(), 2'000u);
  EXPECT_TRUE(engine::inconsistencies(broker.engine().state()).empty());
  engine::Engine loaded([](std::string_view) -> const profile::Ruleset* { return nullptr; });
  ASSERT_TRUE(loaded.load(broker.engine().save()));
  EXPECT_TRUE(engine::inconsistencies(loaded.state()).empty());
  bench.clock.passed += std::chrono::seconds(1);
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(too_old(), 0u);
}

// D3: a read is of what is there; it makes nobody's sync.
TEST(Log, A_read_forces_no_commit) {
  TestBench bench(open());
  ASSERT_TRUE(bench.broker.turn());
  const std::uint64_t blocks = bench.broker.counts().blocks;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(code(bench.send()), "");
    const auto page = bench.broker.port().polls.log(bench.a, "team", 1, 100);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->answer.json.find("\"message\""), std::string::npos);  // of the open block
  }
  EXPECT_EQ(bench.broker.counts().blocks, blocks);
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_EQ(bench.broker.counts().blocks, blocks + 1);
  EXPECT_NE(bench.broker.port().polls.log(bench.a, "team", 1, 100)->answer.json.find("\"message\""), std::string::npos);
}

std::uint32_t open_at_b(const Broker& broker) {
  return broker.engine().state().workspace(base::WorkspaceNumber(1)).registry.agent(base::AgentNumber(2)).open_messages;
}

std::size_t awaited_from_b(const Broker& broker) {
  const auto& requests = broker.engine().state().workspace(base::WorkspaceNumber(1)).requests;
  return requests.awaited_from(base::AgentNumber(2), 10'000).size();
}

// D11: an agent that leaves takes nothing more at once; what is awaited of it is given up, and what is in its mailbox
// bounces, in as many turns as it takes.
TEST(Steps, A_removed_agents_mail_bounces_a_bounded_number_a_turn) {
  TestBench bench(open(), {.step_messages = 100});
  Broker& broker = bench.broker;
  ASSERT_TRUE(bench.unlimited());
  for (int i = 0; i < 1'050; ++i) ASSERT_EQ(code(bench.send()), "");
  ASSERT_TRUE(broker.turn());
  ASSERT_TRUE(
      broker.port().mailboxes.take(bench.b, "team", "b", {.max = 50, .lease = std::chrono::hours(1), .take_id = {}}));
  ASSERT_TRUE(broker.turn());
  ASSERT_TRUE(broker.port().registry.remove_agent(bench.admin, "team", "b"));
  EXPECT_EQ(open_at_b(broker), 1'050u);
  EXPECT_EQ(code(bench.send()), "RECIPIENT_UNKNOWN");
  for (std::size_t left = 1'050; left > 0; left = awaited_from_b(broker)) {
    ASSERT_TRUE(broker.turn());
    ASSERT_EQ(awaited_from_b(broker), left > 100 ? left - 100 : 0);
    EXPECT_EQ(open_at_b(broker), 1'050u);
  }
  for (std::uint32_t left = 1'050; left > 0; left = open_at_b(broker)) {
    EXPECT_EQ(broker.until_next_due(), base::Duration{});
    ASSERT_TRUE(broker.turn());
    ASSERT_EQ(open_at_b(broker), left > 100 ? left - 100 : 0);
  }
  EXPECT_NE(broker.until_next_due(), base::Duration{});
  const engine::Workspace& team = broker.engine().state().workspace(base::WorkspaceNumber(1));
  EXPECT_EQ(team.registry.agent(base::AgentNumber(1)).open_messages, 1'050u + 11u);  // a word each, a notice a step
  EXPECT_TRUE(engine::inconsistencies(broker.engine().state()).empty());
}

// The same of what a connection held, and when the server stops between two steps.
TEST(Steps, A_lost_connections_leases_go_back_a_bounded_number_a_turn) {
  TestBench bench(open(), {.step_messages = 100});
  Broker& broker = bench.broker;
  ASSERT_TRUE(bench.unlimited());
  for (int i = 0; i < 450; ++i) ASSERT_EQ(code(bench.send()), "");
  Pushed outbox;
  const auto session =
      broker.port().sessions.open_session(bench.b, outbox, {.credit = 1'000, .lease = std::chrono::hours(1)});
  ASSERT_TRUE(session);
  while (outbox.count < 450) ASSERT_TRUE(broker.turn());
  const auto leased = [](const engine::Engine& engine) {
    std::size_t count = 0;
    const auto& b = engine.state().workspace(base::WorkspaceNumber(1)).registry.agent(base::AgentNumber(2));
    for (const auto id : b.mailbox.sessions()) count += b.mailbox.leased_count(id);
    return count;
  };
  broker.port().sessions.close_session(*session);
  EXPECT_EQ(leased(broker.engine()), 350u);
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(leased(broker.engine()), 250u);

  Broker after({bench.clock, bench.random, *bench.journal,
                [&](std::string_view name) { return bench.rulesets.find(name).get(); }},
               Options{.step_messages = 100});
  ASSERT_TRUE(after.start());
  EXPECT_EQ(leased(after.engine()), 150u);
  ASSERT_TRUE(after.turn());
  EXPECT_EQ(leased(after.engine()), 50u);
  ASSERT_TRUE(after.turn());
  EXPECT_EQ(leased(after.engine()), 0u);
  EXPECT_TRUE(engine::inconsistencies(after.engine().state()).empty());
}

// What ends for many at once is told in as many turns as it takes.
TEST(Steps, Broadcasts_end_for_a_bounded_number_of_recipients_a_turn) {
  TestBench bench(open());
  Broker& broker = bench.broker;
  constexpr std::size_t agents = 402, requests = 60;
  for (std::size_t i = 2; i < agents; ++i) bench.enrol("agent-" + std::to_string(i));
  ASSERT_TRUE(bench.unlimited());
  for (std::size_t i = 0; i < requests; ++i) ASSERT_EQ(code(bench.send(10, "broadcast")), "");
  ASSERT_TRUE(broker.turn());
  const auto awaited = [&] {
    std::size_t count = 0;
    for (const auto& [offset, request] : broker.engine().state().workspace(base::WorkspaceNumber(1)).requests.open())
      count += request.waiting.size();
    return count;
  };
  constexpr std::size_t all = requests * (agents - 1);
  ASSERT_EQ(awaited(), all);
  bench.clock.passed += std::chrono::minutes(1);
  std::size_t turns = 0;
  for (std::size_t left = all; left > 0; left = awaited(), ++turns) {
    ASSERT_TRUE(broker.turn());
    ASSERT_LE(left - awaited(), engine::copies_a_turn + agents);
  }
  EXPECT_EQ(turns, 5u);
  EXPECT_TRUE(engine::inconsistencies(broker.engine().state()).empty());
}

// D11: what may reach many is decided where callers take turns, each in its own.
TEST(Steps, What_reaches_many_wants_a_turn_where_its_sender_can_wait) {
  TestBench bench(open(), {.copies_a_turn = 200});
  Broker& broker = bench.broker;
  for (std::size_t i = 2; i < 150; ++i) bench.enrol("agent-" + std::to_string(i));
  ASSERT_TRUE(bench.unlimited());
  ASSERT_TRUE(broker.turn());
  const SendOptions can_wait{.may_want_turn = true};
  const auto events = broker.counts().events;
  const auto put_off = bench.send(bench.a, 10, "broadcast", can_wait);
  ASSERT_EQ(code(put_off), "");
  EXPECT_TRUE(put_off->wants_turn);
  EXPECT_EQ(broker.counts().events, events);
  EXPECT_FALSE(bench.send(bench.a, 10, "b", can_wait)->wants_turn);
  EXPECT_FALSE(bench.send(bench.a, 10, "broadcast")->wants_turn);

  std::string sent;
  Gate& gate = broker;
  for (const auto& [who, name] : {std::pair(bench.a, 'a'), {bench.a, 'a'}, {bench.a, 'a'}, {bench.b, 'b'}})
    ASSERT_TRUE(gate.in_later_turn(who, 100, [&, who, name] {
      const auto outcome = bench.send(who, 10, name == 'a' ? "broadcast" : "agent-2", can_wait);
      if (outcome && !outcome->wants_turn) sent += name;
    }));
  EXPECT_FALSE(broker.idle());
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(sent, "aba");  // then it is full
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(sent, "abaa");
  EXPECT_FALSE(gate.turn_is_full());
  EXPECT_FALSE(gate.in_later_turn(bench.a, LaterTurns::bytes_of_one_max + 1, [] {}));
}

// D11: whoever names what is not there, for that many are looked at; it is refused, and its time counts.
TEST(Steps, What_is_looked_for_in_vain_fills_a_turn_as_well) {
  TestBench bench(open(), {.time_a_turn = std::chrono::microseconds(1)});
  ASSERT_TRUE(bench.broker.turn());
  bench.clock.each_look = std::chrono::microseconds(1);
  const SendOptions options{.supersedes = "nothing"};
  const auto& refused = bench.broker.counts().refused[static_cast<std::size_t>(ErrorCode::NOT_FOUND)];
  EXPECT_EQ(code(bench.send(bench.a, 10, "b", options)), "NOT_FOUND");
  EXPECT_EQ(refused, 1u);
  EXPECT_TRUE(static_cast<Gate&>(bench.broker).turn_is_full());
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_FALSE(static_cast<Gate&>(bench.broker).turn_is_full());
  EXPECT_EQ(code(bench.broker.port().messages.rescind(bench.a, "team", "nothing", {}, {})), "NOT_FOUND");
  EXPECT_TRUE(static_cast<Gate&>(bench.broker).turn_is_full());
  int gone_on = 0;
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(static_cast<Gate&>(bench.broker).in_later_turn(bench.a, 1, [&] { ++gone_on; }));
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_EQ(gone_on, 1);  // however short a turn is
}

// Whatever those who go on do, also what is no message.
TEST(Steps, Those_who_go_on_share_a_turns_time) {
  TestBench bench(open());
  int gone_on = 0;
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(static_cast<Gate&>(bench.broker).in_later_turn(bench.a, 1, [&] {
      ++gone_on;
      bench.clock.passed += std::chrono::milliseconds(20);
    }));
  for (int turn = 1; turn <= 3; ++turn) {
    ASSERT_TRUE(bench.broker.turn());
    EXPECT_EQ(gone_on, turn);
  }
}

// However much waits for one session, the next has its turn.
TEST(Steps, Deliveries_are_pushed_a_bounded_number_a_turn_to_all_in_turn) {
  TestBench bench(open(), {.deliveries_a_turn = 100});
  Broker& broker = bench.broker;
  const Caller c = bench.enrol("c");
  ASSERT_TRUE(bench.unlimited());
  for (int i = 0; i < 450; ++i) ASSERT_EQ(code(bench.send()), "");
  for (int i = 0; i < 150; ++i) ASSERT_EQ(code(bench.send(10, "c")), "");
  ASSERT_TRUE(broker.turn());
  Pushed to_b, to_c;
  ASSERT_TRUE(broker.port().sessions.open_session(bench.b, to_b, {.credit = 1'000, .lease = std::chrono::hours(1)}));
  ASSERT_TRUE(broker.port().sessions.open_session(c, to_c, {.credit = 1'000, .lease = std::chrono::hours(1)}));
  using Counts = std::vector<std::pair<std::size_t, std::size_t>>;
  Counts pushed;
  while (to_b.count + to_c.count < 600) {
    ASSERT_FALSE(broker.idle());
    ASSERT_TRUE(broker.turn());
    pushed.emplace_back(to_b.count, to_c.count);
  }
  EXPECT_EQ(pushed, (Counts{{100, 0}, {100, 100}, {200, 100}, {250, 150}, {350, 150}, {450, 150}}));
  ASSERT_TRUE(broker.turn());
  EXPECT_TRUE(broker.settled());
}

TEST(Steps, A_turn_pushes_a_bounded_number_of_bytes) {
  TestBench bench(open());
  Broker& broker = bench.broker;
  ASSERT_TRUE(bench.unlimited());
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(code(bench.send(250'000)), "");
    ASSERT_TRUE(broker.turn());
  }
  Pushed outbox;
  ASSERT_TRUE(broker.port().sessions.open_session(bench.b, outbox, {.credit = 1'000, .lease = std::chrono::hours(1)}));
  ASSERT_TRUE(broker.turn());
  EXPECT_GT(outbox.count, 10u);
  EXPECT_LT(outbox.count, 20u);  // 4 MB
  while (outbox.count < 40) ASSERT_TRUE(broker.turn());
}

// Nor does it give more to those who wait: what is left is given in the next ones, each once.
TEST(Steps, A_turn_wakes_those_that_its_bytes_are_enough_for) {
  TestBench bench(open());
  Broker& broker = bench.broker;
  std::vector<Caller> agents{bench.b};
  for (int i = 0; i < 19; ++i) agents.push_back(bench.enrol("agent-" + std::to_string(i)));
  ASSERT_TRUE(bench.unlimited());
  ASSERT_TRUE(broker.turn());
  std::size_t given = 0, polls = 0;
  std::function<void(const Caller&)> poll = [&](const Caller& agent) {
    ++polls;
    const auto taken = broker.port().mailboxes.take(agent, "team", agent.id, {.max = 10, .lease = {}, .take_id = {}});
    ASSERT_TRUE(taken);
    given += taken->size();
    if (taken->empty())
      broker.port().polls.wait_for_mail(agent, "team", agent.id, {}, std::chrono::seconds(10),
                                        [&](Woken) { poll(agent); });
  };
  for (const Caller& agent : agents) poll(agent), poll(agent);
  for (const Caller& agent : agents) ASSERT_EQ(code(bench.send(500'000, agent.id)), "");
  polls = 0;
  std::size_t turns = 0;
  for (std::size_t before = 0; given < agents.size(); before = given) {
    ASSERT_FALSE(broker.idle());
    ASSERT_TRUE(broker.turn());
    ASSERT_LE(given - before, 9u);  // 4 MB
    ASSERT_LT(++turns, 20u);
  }
  EXPECT_EQ(polls, agents.size());  // who had nothing to take was not woken
}

// A journal whose reader counts, and may give errors as a broken disk does.
class Watched final : public journal::Journal {
 public:
  explicit Watched(std::unique_ptr<Journal> inner) : inner_(std::move(inner)) {}
  bool broken = false;
  std::size_t visited = 0;  // entries
  std::uint64_t bytes_read = 0, bytes_a_body = 0;
  bool late = false;    // what is appended is on its way as long as this is so
  base::Position torn;  // of a snapshot of which the first half can be read

  void hold() {
    late = true;
    stored_ = inner_->durable_head();
  }

  base::Result<journal::Ticket> append(std::span<const journal::Record> records, base::Instant at) override {
    return inner_->append(records, at);
  }
  void poll(journal::Outcomes& outcomes) override {
    if (!late) inner_->poll(outcomes);
  }
  void tick() override { inner_->tick(); }
  using Journal::room_for;
  journal::Room room_for(std::uint64_t bytes, journal::Need need) override { return inner_->room_for(bytes, need); }
  std::uint64_t block_bytes_max() const override { return inner_->block_bytes_max(); }
  journal::Head head() const override { return inner_->head(); }
  base::Position durable_head() const override { return late ? stored_ : inner_->durable_head(); }
  std::unique_ptr<journal::Reader> reader() override { return std::make_unique<Reader>(*this, inner_->reader()); }
  base::Result<std::unique_ptr<journal::SnapshotWriter>> begin_snapshot() override { return inner_->begin_snapshot(); }
  std::vector<journal::SnapshotInfo> snapshots() const override { return inner_->snapshots(); }
  base::Result<std::unique_ptr<journal::SnapshotReader>> read_snapshot(const journal::SnapshotInfo& info) override {
    PARLEY_TRY(auto reader, inner_->read_snapshot(info));
    if (info.at.position != torn) return reader;
    return std::make_unique<Torn>(std::move(reader));
  }
  base::Result<> close() override { return inner_->close(); }

 private:
  struct Torn final : journal::SnapshotReader {
    explicit Torn(std::unique_ptr<SnapshotReader> r) : inner(std::move(r)) {}
    base::Result<std::string_view> next() override {
      PARLEY_TRY(const std::string_view whole, inner->next());
      if (whole.empty()) return base::fail(ErrorCode::JOURNAL_DAMAGED, "a chunk's checksum does not fit");
      return whole.substr(0, whole.size() / 2);
    }
    std::unique_ptr<SnapshotReader> inner;
  };
  struct Reader final : journal::Reader {
    Reader(Watched& j, std::unique_ptr<journal::Reader> r) : journal(j), inner(std::move(r)) {}
    base::Result<> read(base::Position from, const journal::EntryVisitor& visit) override {
      return inner->read(from, [&](const journal::Entry& entry) -> base::Result<journal::Visit> {
        if (journal.late && entry.position > journal.stored_) return journal::Visit::stop;
        ++journal.visited;
        return visit(entry);
      });
    }
    base::Result<> event(base::Position position, std::string& into) override { return inner->event(position, into); }
    base::Result<> body(base::Position position, std::string& into) override {
      if (journal.broken) return base::fail(ErrorCode::JOURNAL_FAILED, "Input/output error");
      journal.bytes_read += journal.bytes_a_body;
      return inner->body(position, into);
    }
    std::uint64_t bytes_read() const override { return journal.bytes_read; }
    Watched& journal;
    std::unique_ptr<journal::Reader> inner;
  };
  std::unique_ptr<Journal> inner_;
  base::Position stored_;  // while it is late
};

// D11: whatever lies between, a call looks at few events, gets ahead, and comes to the end.
TEST(Log, A_call_looks_at_a_bounded_number_of_events) {
  auto journal = std::make_unique<Watched>(open());
  Watched& watched = *journal;
  TestBench bench(std::move(journal));
  Broker& broker = bench.broker;
  ASSERT_TRUE(bench.unlimited());
  bench.call([&](json::Value body) { return broker.port().registry.create_workspace(bench.admin, body); },
             R"({"name": "quiet"})");
  const auto register_in_quiet = [&](const std::string& id) {
    return bench.call(
        [&](json::Value body) { return broker.port().registry.register_agent(bench.admin, "quiet", body); },
        R"({"agent_id": ")" + id + R"(", "profile": "mesh"})");
  };
  ASSERT_TRUE(register_in_quiet("first"));
  for (int i = 0; i < 12'000; ++i) ASSERT_EQ(code(bench.send()), "");
  ASSERT_TRUE(register_in_quiet("second"));
  ASSERT_TRUE(broker.turn());
  const Caller c = bench.enrol("c");  // sees nothing of what the others send
  ASSERT_TRUE(broker.turn());

  const auto follow = [&](const Caller& caller, const std::string& workspace, std::uint64_t head) {
    std::size_t calls = 0;
    for (std::uint64_t next = 1; next <= head; ++calls) {
      watched.visited = 0;
      const auto page = broker.port().polls.log(caller, workspace, next, 1'000);
      ASSERT_TRUE(page) << page.error().message;
      EXPECT_LE(watched.visited, 3'100u);
      ASSERT_GT(page->next, next);
      next = page->next;
    }
    EXPECT_LT(calls, 100u);
  };
  follow(c, "team", 12'000);
  follow(bench.admin, "quiet", 2);
}

// From a to b: at most once (R30).
base::Result<Sent> send_progress(TestBench& bench, int number) {
  const std::string bytes =
      R"({"id":"00000000-0000-4000-8000-00000000000)" + std::to_string(number) +
      R"(","from":"a","to":"b","timestamp":")" + base::to_rfc3339(bench.clock.wall()) +
      R"(","messageType":"notification","priority":"low","content":{"status":{"state":"busy","progress":50}}})";
  const auto document = json::Document::parse(bytes);
  return bench.broker.port().messages.send(bench.a, "team", {bytes, document->root()}, {}, nullptr);
}

// Long polls as a gateway holds them: each takes again once it is woken, and is over with what it was given.
struct Pollers {
  TestBench& bench;
  std::map<std::string, std::vector<std::string>> given;  // delivery ids by the poll's name
  std::map<std::string, WaitId> waiting;
  std::uint32_t max = 1'000;

  void poll(const std::string& name, const std::string& take_id, Woken why = Woken::to_look) {
    const bool last = why == Woken::to_be_given;
    const TakeRequest request{.max = max, .lease = {}, .take_id = take_id, .only_again = last};
    const auto taken = bench.broker.port().mailboxes.take(bench.b, "team", "b", request);
    ASSERT_TRUE(taken);
    for (const Delivery& delivery : *taken) given[name].push_back(delivery.delivery_id);
    waiting.erase(name);
    if (last || !taken->empty()) return;
    waiting[name] =
        bench.broker.port().polls.wait_for_mail(bench.b, "team", "b", request, std::chrono::seconds(10),
                                                [this, name, take_id](Woken woken) { poll(name, take_id, woken); });
  }
};

TEST(Blocks, What_is_shared_is_not_copied_and_kept_once) {
  const auto bytes = std::make_shared<char[]>(8, 'b');
  const SharedBytes shared{bytes, 8};
  const std::string elsewhere = "elsewhere";
  Block block(base::Position(1));
  block.add(1, {bytes.get(), 5}, {}, true, shared);
  block.add(1, {bytes.get() + 5, 3}, {}, true, shared);
  block.add(1, elsewhere, {}, true, shared);
  EXPECT_EQ(block.body(base::Position(1)).data(), bytes.get());
  EXPECT_EQ(block.body(base::Position(2)).data(), bytes.get() + 5);
  EXPECT_NE(block.body(base::Position(3)).data(), elsewhere.data());
  EXPECT_EQ(block.body(base::Position(3)), elsewhere);
  EXPECT_EQ(bytes.use_count(), 3);  // the block has it once
}

// What the journal stores in one piece.
TEST(Blocks, Events_lie_side_by_side_and_so_do_bodies_that_are_copied) {
  Block block(base::Position(1));
  for (const std::string_view body : {"one", "three"}) block.add(4, body, {}, true, {});
  const base::Position first(1), second(2);
  EXPECT_EQ(block.event(first).data() + 4, block.event(second).data());
  EXPECT_EQ(block.body(first).data() + 3, block.body(second).data());
}

// D5: what is delivered are the bytes that came, wherever a worker laid them down, and whatever becomes of the frame.
TEST(Batches, What_was_read_ahead_needs_the_text_it_came_in_no_longer_than_it_is_sent) {
  TestBench bench(open());
  Messages& messages = bench.broker.port().messages;
  std::vector<std::string> texts;
  std::vector<json::Document> documents;
  for (const std::size_t text_bytes : {10u, 3'000u, 200u}) {
    texts.push_back(bench.request(bench.a, text_bytes, "b"));
    documents.push_back(*json::Document::parse(texts.back()));
  }
  const std::vector<std::string> came = texts;
  Batch batch;
  messages.begin(batch, bench.a, {});
  for (std::size_t i = 0; i < texts.size(); ++i) batch.add({texts[i], documents[i].root()});
  batch.prepare();
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(code(messages.send(bench.a, "team", batch, i)), "");
  for (std::string& text : texts) text.assign(text.size(), '?');
  messages.begin(batch, bench.a, {});
  ASSERT_TRUE(bench.broker.turn());

  const auto taken = bench.broker.port().mailboxes.take(bench.b, "team", "b", {.max = 10, .take_id = {}});
  ASSERT_TRUE(taken);
  std::vector<std::string> delivered;
  for (const Delivery& delivery : *taken) delivered.emplace_back(delivery.message);
  EXPECT_EQ(delivered, came);
}

// BEY-04: what a worker has made of a message's words is what the engine makes of them, and is in the journal. Whose
// words come of nothing that was said before have none.
TEST(Batches, What_was_read_ahead_says_what_the_engine_would_have_found) {
  TestBench bench(open());
  Messages& messages = bench.broker.port().messages;
  const auto gist_at = [&](base::Offset offset) {
    const auto* const link = bench.broker.engine().state().workspace(base::WorkspaceNumber(1)).links.find(offset);
    return link ? std::optional(link->gist) : std::nullopt;
  };
  Batch batch;
  const auto send_ahead = [&](bool has_heard) {
    std::vector<std::string> texts;
    std::vector<json::Document> documents;
    for (std::size_t i = 0; i < 6; ++i) {
      texts.push_back(i == 2 ? "{}" : bench.request(bench.a, 50 * i, "b"));
      documents.push_back(*json::Document::parse(texts.back()));
    }
    messages.begin(batch, bench.a, {});
    for (std::size_t i = 0; i < texts.size(); ++i) batch.add({texts[i], documents[i].root()});
    batch.prepare();
    std::vector<std::optional<std::uint32_t>> gists;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::optional<std::uint32_t> ahead = batch.state().messages[i].gist;
      EXPECT_EQ(ahead.has_value(), has_heard && i != 2) << i;
      const auto sent = messages.send(bench.a, "team", batch, i);
      if (!sent) continue;
      gists.push_back(gist_at(sent->offset));
      EXPECT_EQ(gists.back(), ahead) << i;
    }
    return gists;
  };
  send_ahead(false);
  ASSERT_TRUE(bench.send(bench.enrol("c"), 10, "a"));
  ASSERT_TRUE(bench.broker.turn());
  ASSERT_EQ(bench.broker.port().mailboxes.take(bench.a, "team", "a", {.max = 10, .take_id = {}})->size(), 1u);

  const auto ahead = send_ahead(true);
  std::vector<std::optional<std::uint32_t>> at_once;
  for (const std::size_t i : {0u, 1u, 3u, 4u, 5u}) at_once.push_back(gist_at(bench.send(50 * i)->offset));
  EXPECT_EQ(ahead, at_once);
  EXPECT_EQ(std::set(ahead.begin(), ahead.end()).size(), 5u);
  EXPECT_EQ(send_ahead(true), ahead) << "in memory that is used again";
  ASSERT_TRUE(bench.broker.turn());
}

// R8: hashed side by side, some refused between them, in a batch whose memory is used again.
TEST(Batches, What_was_read_ahead_has_the_hash_of_its_own_bytes) {
  TestBench bench(open());
  Messages& messages = bench.broker.port().messages;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 40; ++i) texts.push_back(i % 5 == 3 ? "{}" : bench.request(bench.a, 97 * i, "b"));
  Batch batch;
  const auto send_again = [&](std::size_t first, bool known) {
    std::vector<json::Document> documents;
    messages.begin(batch, bench.a, {});
    for (std::size_t i = 0; i < 20; ++i) {
      documents.push_back(*json::Document::parse(texts[first + i]));
      batch.add({texts[first + i], documents.back().root()});
    }
    batch.prepare();
    for (std::size_t i = 0; i < 20; ++i) {
      const Incoming& incoming = batch.state().messages[i];
      ASSERT_EQ(incoming.refusal.has_value(), i % 5 == 3);
      if (!incoming.refusal) {
        ASSERT_EQ(incoming.checked.envelope.content_hash, base::sha256(texts[first + i])) << i;
      }
      const auto sent = messages.send(bench.a, "team", batch, i);
      ASSERT_EQ(sent.has_value(), i % 5 != 3);
      if (sent) {
        ASSERT_EQ(sent->duplicate, known);
      }
    }
  };
  send_again(0, false);
  send_again(20, false);
  send_again(0, true);
  messages.begin(batch, bench.a, {});
  ASSERT_TRUE(bench.broker.turn());
}

// A sync is shared by what was decided and what comes soon, unless much was decided or somebody waits for a turn.
TEST(Batches, A_small_block_gathers_until_it_is_large_or_nobody_waits_for_it) {
  TestBench bench(open(), {.gathered_bytes = 4'000, .copies_a_turn = 200});
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_TRUE(bench.broker.gathers());
  EXPECT_FALSE(bench.broker.has_decided());
  ASSERT_EQ(code(bench.send()), "");
  EXPECT_TRUE(bench.broker.gathers());
  EXPECT_TRUE(bench.broker.has_decided());
  ASSERT_EQ(code(bench.send(5'000)), "");
  EXPECT_FALSE(bench.broker.gathers());
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_TRUE(bench.broker.gathers());
  EXPECT_FALSE(bench.broker.has_decided());
  ASSERT_EQ(code(bench.send()), "");
  Gate& gate = bench.broker;
  ASSERT_TRUE(gate.in_later_turn(bench.a, 100, [] {}));
  EXPECT_FALSE(bench.broker.gathers());
}

// A call that is repeated while its first one waits: the server cannot know which of them still has a reader.
TEST(Takes, A_take_that_is_repeated_while_it_waits_gives_both_the_same) {
  TestBench bench(open());
  Pollers pollers{bench, {}, {}};
  pollers.poll("first", "one");
  pollers.poll("of another take", "two");
  pollers.poll("repeated", "one");
  ASSERT_EQ(code(bench.send()), "");
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_EQ(pollers.given["repeated"].size(), 1u);
  EXPECT_EQ(pollers.given["first"], pollers.given["repeated"]);
  EXPECT_EQ(bench.broker.counts().offered, 1u);
  EXPECT_EQ(pollers.waiting.size(), 1u);
  ASSERT_EQ(code(bench.send()), "");
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_EQ(pollers.given["of another take"].size(), 1u);
}

// Also by one that does not wait itself, in the next turn.
TEST(Takes, A_take_that_waits_is_given_what_its_repeat_was) {
  TestBench bench(open());
  Pollers pollers{bench, {}, {}};
  pollers.poll("first", "one");
  ASSERT_EQ(code(bench.send()), "");
  pollers.poll("repeated", "one");
  EXPECT_EQ(pollers.given["repeated"].size(), 1u);
  EXPECT_TRUE(pollers.given["first"].empty());
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_EQ(pollers.given["first"], pollers.given["repeated"]);
}

// R20: what is handed over once goes to the newest, for its reader is there. The other is over with nothing: what comes
// next is for those who wait.
TEST(Takes, A_message_that_is_handed_over_once_goes_to_the_take_that_was_repeated) {
  TestBench bench(open());
  Pollers pollers{bench, {}, {}, 1};
  pollers.poll("first", "one");
  pollers.poll("of another take", "two");
  pollers.poll("repeated", "one");
  ASSERT_EQ(code(send_progress(bench, 1)), "");
  ASSERT_EQ(code(send_progress(bench, 2)), "");
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_EQ(pollers.given["repeated"].size(), 1u);
  EXPECT_EQ(pollers.given["of another take"].size(), 1u);
  EXPECT_TRUE(pollers.given["first"].empty());
  EXPECT_TRUE(pollers.waiting.empty());
}

// Also where its time is over before it was its turn to be woken.
TEST(Takes, A_take_whose_repeat_was_given_something_takes_nothing_else_at_its_end) {
  TestBench bench(open());
  Pollers pollers{bench, {}, {}, 1};
  pollers.poll("first", "one");
  ASSERT_EQ(code(send_progress(bench, 1)), "");
  ASSERT_EQ(code(send_progress(bench, 2)), "");
  pollers.poll("repeated", "one");
  EXPECT_EQ(pollers.given["repeated"].size(), 1u);
  bench.clock.passed += std::chrono::seconds(10);
  ASSERT_TRUE(bench.broker.turn());
  EXPECT_TRUE(pollers.given["first"].empty());
  EXPECT_TRUE(pollers.waiting.empty());
}

// D11: however many are the same take.
TEST(Takes, Those_that_repeat_a_take_are_given_what_a_turn_has_room_for) {
  TestBench bench(open());
  ASSERT_TRUE(bench.unlimited());
  Pollers pollers{bench, {}, {}};
  for (int i = 0; i < 20; ++i) pollers.poll(std::to_string(i), "one");
  ASSERT_EQ(code(bench.send(900'000)), "");
  std::size_t turns = 0;
  for (std::size_t before = 0; !pollers.waiting.empty(); before = pollers.given.size()) {
    ASSERT_FALSE(bench.broker.idle());
    ASSERT_TRUE(bench.broker.turn());
    ASSERT_LE(pollers.given.size() - before, 5u);  // 4 MB
    ASSERT_LT(++turns, 10u);
  }
}

// COR-03: who follows one workspace's log is not woken by another's.
TEST(Log, A_follower_is_woken_by_its_own_workspace) {
  TestBench bench(open());
  Broker& broker = bench.broker;
  bench.call([&](json::Value body) { return broker.port().registry.create_workspace(bench.admin, body); },
             R"({"name": "quiet"})");
  ASSERT_TRUE(broker.turn());
  int team = 0, quiet = 0;
  broker.port().polls.wait_for_log(bench.admin, "team", 1, std::chrono::seconds(10), [&](Woken) { ++team; });
  broker.port().polls.wait_for_log(bench.admin, "quiet", 1, std::chrono::seconds(10), [&](Woken) { ++quiet; });
  ASSERT_EQ(code(bench.send()), "");
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(team, 1);
  EXPECT_EQ(quiet, 0);
}

// D3: who has read the log up to a block that is still on its way to the disk is woken once that can be read.
TEST(Log, A_follower_is_woken_for_what_was_on_its_way) {
  auto journal = std::make_unique<Watched>(open());
  Watched& watched = *journal;
  TestBench bench(std::move(journal));
  Broker& broker = bench.broker;
  ASSERT_TRUE(broker.turn());
  watched.hold();
  ASSERT_EQ(code(bench.send()), "");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker.turn());
  const std::uint64_t head = broker.port().sessions.head(bench.a).value;
  const auto page = broker.port().polls.log(bench.admin, "team", head, 10);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->next, head);
  int woken = 0;
  broker.port().polls.wait_for_log(bench.admin, "team", head, std::chrono::seconds(10), [&](Woken) { ++woken; });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker.turn());
  EXPECT_EQ(woken, 0);
  watched.late = false;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(broker.turn());
  EXPECT_EQ(woken, 1);
}

// B4: a take that is repeated offers nothing anew.
TEST(Takes, A_repeated_take_counts_no_offer) {
  TestBench bench(open());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(code(bench.send()), "");
  for (int i = 0; i < 2; ++i) {
    const auto taken =
        bench.broker.port().mailboxes.take(bench.b, "team", "b", {.max = 10, .lease = {}, .take_id = "first"});
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->size(), 3u);
    EXPECT_EQ(bench.broker.counts().offered, 3u);
  }
}

// PIP-03, D11: a call looks at so many records, whosever they are, and says where to go on.
TEST(Records, A_call_looks_at_a_bounded_number) {
  TestBench bench(open());
  Broker& broker = bench.broker;
  bench.create("cards");
  const Caller tester = bench.enrol("testing-agent", "cards", "pipeline");
  bench.enrol("orchestrator-agent", "cards", "pipeline");
  ASSERT_EQ(code(bench.unlimited("cards")), "");
  constexpr int cards = 12'000;
  for (int i = 0; i < cards; ++i) {
    const std::string number = std::to_string(100'000 + i);
    const std::string bytes = R"({"protocol_version":"1.0.0","message_id":"msg-20260203090000-testing-agent-)" +
                              number + R"(","timestamp":")" + base::to_rfc3339(bench.clock.wall()) +
                              R"(","from_agent":"testing-agent","to_agent":"orchestrator-agent",)"
                              R"("message_type":"data_update","card_id":"card-)" +
                              number +
                              R"(","priority":"low","data":{"specialty":"testing","data":{"testing_status":"PASS",)"
                              R"("quality_gates":{"regression_tests":"PASS","uiux":"PASS","performance":"PASS"},)"
                              R"("production_ready":true,"all_gates_passed":true}},"metadata":{}})";
    const auto document = json::Document::parse(bytes);
    ASSERT_EQ(code(broker.port().messages.send(tester, "cards", {bytes, document->root()}, {})), "");
    if (i % 1'000 == 0) {
      ASSERT_TRUE(broker.turn());
    }
  }
  const auto page = [&](std::string_view agent, std::string_view after) {
    const auto answer = broker.port().work.records(tester, "cards", {}, agent, {.after = after, .limit = 1'000});
    const auto document = json::Document::parse(answer->json);
    return std::pair(std::size_t{document->root().find("items").size()},
                     std::string(document->root().find("next").if_string().value_or("")));
  };
  const auto [none, next] = page("orchestrator-agent", {});
  EXPECT_EQ(none, 0u);
  EXPECT_EQ(next, "1:card-109999");
  EXPECT_EQ(page("orchestrator-agent", next), std::pair(std::size_t{0}, std::string()));
  std::size_t given = 0;
  std::string after;
  do {
    const auto [items, more] = page("testing-agent", after);
    given += items;
    after = more;
  } while (!after.empty());
  EXPECT_EQ(given, std::size_t{cards});
}

// A refusal is JSON: the name in it is whole, or cut between two characters.
TEST(Refusals, A_name_is_never_cut_through_a_character) {
  TestBench bench(open());
  for (const std::size_t before : {63, 127}) {
    const std::string id = std::string(before, 'x') + "\u00e9";
    const auto refused = bench.broker.port().registry.agent(bench.admin, "team", id);
    ASSERT_FALSE(refused);
    const std::string shown = before == 63 ? id : std::string(before, 'x') + "\u2026";
    EXPECT_EQ(refused.error().message, "no agent '" + shown + "' is registered here");
  }
}

// P9, B3: what was accepted and cannot be read stops the server before the offer is on record.
TEST(Reading, A_delivery_that_cannot_be_read_stops_the_server) {
  for (const bool pushed : {false, true}) {
    auto journal = std::make_unique<Watched>(open());
    Watched& disk = *journal;
    TestBench bench(std::move(journal), {.cache_bytes = 0});
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(code(bench.send()), "");
      ASSERT_TRUE(bench.broker.turn());
    }
    disk.broken = true;
    const base::Position before = disk.head().position;
    Pushed outbox;
    if (pushed)
      ASSERT_TRUE(bench.broker.port().sessions.open_session(bench.b, outbox, {.credit = 10, .lease = {}}));
    else
      EXPECT_FALSE(bench.broker.port().mailboxes.take(bench.b, "team", "b", {.max = 10, .lease = {}, .take_id = {}}));
    EXPECT_FALSE(bench.broker.turn());
    EXPECT_EQ(outbox.count, 0u);
    EXPECT_EQ(disk.head().position, before);
  }
}

// D11: what lies in the journal is read while everybody waits: a chunk for each message, where they lie far apart.
struct FarApart {
  static constexpr int messages = 100;
  std::unique_ptr<Watched> journal = std::make_unique<Watched>(open());
  Watched& disk = *journal;
  TestBench bench{std::move(journal), {.cache_bytes = 0}};

  FarApart() {
    (void)bench.unlimited();
    for (int i = 0; i < messages; ++i) {
      EXPECT_EQ(code(bench.send()), "");
      EXPECT_TRUE(bench.broker.turn());
    }
    disk.bytes_a_body = 256 << 10;
  }
  std::size_t take() {
    const auto taken = bench.broker.port().mailboxes.take(bench.b, "team", "b", {.max = 1'000, .take_id = {}});
    bench.broker.turn();
    return taken->size();
  }
};

TEST(Reading, A_take_reads_a_bounded_part_of_the_journal) {
  FarApart far;
  const std::size_t first = far.take();
  EXPECT_GT(first, 1u);
  EXPECT_LE(far.disk.bytes_read, 5u << 20);
  far.disk.bytes_a_body = 0;  // they lie side by side from here on
  std::size_t all = first;
  for (int takes = 0; all < FarApart::messages; ++takes) {
    ASSERT_LT(takes, 4);  // each may have more than the one before it
    all += far.take();
  }
  EXPECT_EQ(far.take(), 0u);
}

// Where one mailbox's lie side by side, another's need not.
TEST(Reading, What_is_cheap_for_one_agent_is_not_taken_to_be_for_another) {
  FarApart far;
  far.disk.bytes_a_body = 0;
  while (far.take() > 0) {
  }
  const Caller c = far.bench.enrol("c");
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(code(far.bench.send(far.bench.a, 10, "c")), "");
    ASSERT_TRUE(far.bench.broker.turn());
  }
  far.disk.bytes_a_body = 256 << 10;
  const auto taken = far.bench.broker.port().mailboxes.take(c, "team", "c", {.max = 1'000, .take_id = {}});
  ASSERT_TRUE(taken);
  EXPECT_LE(far.disk.bytes_read, 5u << 20);
}

TEST(Reading, What_is_dearer_than_was_thought_is_soon_known) {
  FarApart far;
  far.disk.bytes_a_body = 2 << 20;
  (void)far.take();
  (void)far.take();
  const std::uint64_t before = far.disk.bytes_read;
  EXPECT_GT(far.take(), 0u);
  EXPECT_LE(far.disk.bytes_read - before, 8u << 20);
}

TEST(Reading, A_page_of_the_log_ends_where_much_was_read_for_it) {
  FarApart far;
  std::set<std::uint64_t> offsets;
  const std::uint64_t head = far.bench.broker.engine().state().workspaces.front()->head.value;
  int pages = 0;
  for (std::uint64_t next = 1; next <= head; ++pages) {
    ASSERT_LT(pages, 30);
    const std::uint64_t before = far.disk.bytes_read;
    const auto page = far.bench.broker.port().polls.log(far.bench.admin, "team", next, 1'000);
    ASSERT_TRUE(page);
    EXPECT_LE(far.disk.bytes_read - before, 5u << 20);
    const auto document = json::Document::parse(page->answer.json);
    for (const json::Value item : document->root().find("items").elements())
      EXPECT_TRUE(offsets.insert(*item.find("offset").if_uint()).second);
    ASSERT_GT(page->next, next);
    next = page->next;
  }
  EXPECT_EQ(offsets.size(), head);
  EXPECT_GT(pages, 1);
}

TEST(Reading, A_turn_pushes_what_it_reads_in_a_bounded_part_of_the_journal) {
  FarApart far;
  Pushed outbox;
  ASSERT_TRUE(far.bench.broker.port().sessions.open_session(far.bench.b, outbox, {.credit = 1'000, .lease = {}}));
  for (int turns = 0; outbox.count < FarApart::messages; ++turns) {
    const std::uint64_t before = far.disk.bytes_read;
    ASSERT_TRUE(far.bench.broker.turn());
    EXPECT_LE(far.disk.bytes_read - before, 5u << 20);
    ASSERT_LT(turns, 20);
  }
  EXPECT_EQ(outbox.count, std::size_t{FarApart::messages});
}

TEST(Reading, A_list_ends_where_much_was_read_for_it) {
  FarApart far;
  std::size_t items = 0, pages = 0;
  std::string after;
  do {
    ASSERT_LT(++pages, 30u);
    const std::uint64_t before = far.disk.bytes_read;
    const auto page =
        far.bench.broker.port().mailboxes.inbox(far.bench.b, "team", "b", {.after = after, .limit = 1'000});
    ASSERT_TRUE(page);
    EXPECT_LE(far.disk.bytes_read - before, 5u << 20);
    const auto document = json::Document::parse(page->json);
    items += document->root().find("items").size();
    const json::Value next = document->root().find("next");
    after = next.is_null() ? std::string() : std::string(next.as_string());
  } while (!after.empty());
  EXPECT_EQ(items, std::size_t{FarApart::messages});
}

// A7: the one before it stands in, and whoever runs the server hears of it.
TEST(Recovery, A_snapshot_that_does_not_read_back_is_told_of) {
  auto journal = std::make_unique<Watched>(open());
  Watched& watched = *journal;
  TestBench bench(std::move(journal));
  const auto snapshot = [&] {
    ASSERT_EQ(code(bench.send()), "");
    ASSERT_TRUE(bench.broker.turn());
    const auto writer = watched.begin_snapshot();
    ASSERT_TRUE((*writer)->write(bench.broker.engine().save()) && (*writer)->commit());
  };
  const auto recover = [&](std::uint64_t replayed, std::size_t refused) {
    Broker after(
        {bench.clock, bench.random, watched, [&](std::string_view name) { return bench.rulesets.find(name).get(); }},
        {});
    const auto recovery = after.start();
    ASSERT_TRUE(recovery);
    EXPECT_EQ(recovery->events, replayed);
    EXPECT_TRUE(recovery->from_snapshot);
    EXPECT_EQ(recovery->refused_snapshots.size(), refused);
    EXPECT_TRUE(engine::inconsistencies(after.engine().state()).empty());
  };
  snapshot();
  snapshot();
  recover(0, 0);
  watched.torn = watched.snapshots().front().at.position;
  recover(2, 1);  // the second message, and the start before
}

// An older server on a newer one's journal says so, and does not fall over.
TEST(Replay, A_fact_of_a_newer_server_is_a_clear_error) {
  const auto journal = open();
  const std::string fact =
      "\x08\x01\x10\x01"
      "\xfa\x7f\x02\x08\x01";  // workspace 1, offset 1, and field 2047
  ASSERT_TRUE(event::Event().ParseFromString(fact));
  const journal::Record record{fact, {}, {}, false};
  ASSERT_TRUE(journal->append({&record, 1}, {}));
  engine::Engine engine([](std::string_view) { return nullptr; });
  const auto replayed = replay(*journal->reader(), {}, journal->head().position, engine);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().code, ErrorCode::JOURNAL_DAMAGED);
  EXPECT_EQ(replayed.error().hint, "Start a newer server on this data folder.");
}

}  // namespace
}  // namespace parley::broker
