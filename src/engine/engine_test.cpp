// O4, O8, P3: random histories of a whole workspace. After every step the state is the one its snapshot and its journal
// give, and consistent in itself; at the end everything is drained, and every message has ended as its class allows.
#include "engine/engine.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "engine/test_consistency.hpp"
#include "profile/rulesets.hpp"

namespace parley::engine {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t agents = 4;
constexpr WorkspaceNumber workspace{1};

const profile::RulesetPtr& rules() {
  static const profile::RulesetPtr mesh = profile::built_in().find("mesh");
  return mesh;
}
const profile::Ruleset* ruleset_of(std::string_view) {
  return rules().get();
}

// One engine with its journal in memory, asked as a broker asks it.
class Run {
  Context context() { return {now_, ++seed_}; }

  template <class Command>
  auto decide(const Command& command) {
    if constexpr (std::is_void_v<decltype(engine_.decide(command, context(), decided_))>) {
      engine_.decide(command, context(), decided_);
      record();
    } else {
      auto answer = engine_.decide(command, context(), decided_);
      record();
      return answer;
    }
  }

 public:
  Run() : engine_(ruleset_of), decided_(engine_.state()) {
    Settings settings;
    settings.mailbox_messages = 30;
    settings.remembered_ids = 20;
    (void)decide(CreateWorkspace{"team", settings});
    for (std::uint32_t i = 1; i <= agents; ++i)
      (void)decide(RegisterAgent{
          workspace, "agent-" + std::to_string(i), {.profile = "mesh"}, base::sha256("token of " + std::to_string(i))});
  }

  void send(std::uint32_t pick) {
    envelope::Envelope envelope;
    envelope.message_id = "m" + std::to_string(++sent_);
    envelope.priority = static_cast<Priority>(pick % 4);
    envelope.delivery =
        pick / 4 % 4 == 0 ? envelope::DeliveryClass::at_most_once : envelope::DeliveryClass::at_least_once;
    if (pick / 16 % 3 == 0) envelope.expires_at = now_ + std::chrono::seconds(1 + pick / 64 % 60);
    if (pick / 48 % 5 == 0)
      envelope.broadcast = true;
    else
      for (std::uint32_t i = 0; i <= pick / 64 % 2; ++i)
        envelope.recipients.push_back("agent-" + std::to_string(1 + (pick / 128 + i) % agents));
    envelope.content_hash = base::sha256(envelope.message_id);
    const AcceptMessage command{.workspace = workspace,
                                .sender = AgentNumber(1 + pick / 8 % agents),
                                .envelope = envelope,
                                .ruleset = *rules(),
                                .type = *rules()->type_named("request"),
                                .lane = LaneId(pick / 32 % 4),
                                .id_key = id_key_of(envelope.message_id),
                                .length = 100,
                                .warnings = {},
                                .validation_errors = {}};
    const auto accepted = decide(command);
    if (accepted) RC_ASSERT(accepted->outcome == AcceptOutcome::accepted);
  }

  void allow_mailbox(std::uint32_t messages) {
    Settings settings;
    settings.mailbox_messages = messages;
    settings.rate_messages = 0;
    (void)decide(ChangeWorkspace{workspace, settings});
  }

  // To the first agent, over in so long a time.
  void send_brief(base::Duration ttl) {
    envelope::Envelope envelope;
    envelope.message_id = "m" + std::to_string(++sent_);
    envelope.expires_at = now_ + ttl;
    envelope.recipients = {"agent-1"};
    (void)decide(AcceptMessage{.workspace = workspace,
                               .sender = AgentNumber(2),
                               .envelope = envelope,
                               .ruleset = *rules(),
                               .type = *rules()->type_named("request"),
                               .lane = {},
                               .id_key = id_key_of(envelope.message_id),
                               .length = 100,
                               .warnings = {},
                               .validation_errors = {}});
  }
  std::size_t expired_by_a_take_after(base::Duration time, std::size_t most) {
    now_ += time;
    decided_.clear();
    (void)engine_.decide(TakeMessages{.workspace = workspace,
                                      .agent = AgentNumber(1),
                                      .session = SessionId(1),
                                      .take_id = {},
                                      .expired_max = most},
                         context(), decided_);
    std::size_t expired = 0;
    for (const Fact& fact : decided_.facts()) expired += fact.event.has_expired();
    decided_.clear();
    return expired;
  }

  void rotate(base::Duration grace) {
    (void)decide(RotateToken{workspace, AgentNumber(1), {}, base::sha256("token " + std::to_string(++seed_)), grace});
  }
  std::size_t credentials() const { return engine_.state().credentials.size(); }

  void take(std::uint32_t pick, SessionId session) {
    const AgentNumber agent(1 + pick % agents);
    const auto offers = decide(TakeMessages{.workspace = workspace,
                                            .agent = agent,
                                            .session = session,
                                            .max = 1 + pick / 4 % 5,
                                            .lease = std::chrono::seconds(1 + pick / 32 % 40),
                                            .take_id = {}});
    for (const Offer& offer : offers) note(agent, offer);
  }

  // A taker settles what it was given at some time: in time, late, or again.
  void settle(std::uint32_t pick) {
    if (given_.empty()) return;
    const auto& [agent, offset, epoch] = given_[pick % given_.size()];
    const DeliveryId delivery{offset, epoch};
    const bool live = leased(agent, offset, epoch);
    std::vector<Settled> verdicts;
    if (pick / 64 % 4 == 0)
      verdicts = decide(NackMessages{workspace, agent, {&delivery, 1}, {}, "no"});
    else if (pick / 64 % 4 == 1)
      verdicts = decide(ExtendLeases{workspace, agent, {&delivery, 1}, 20s});
    else
      verdicts = decide(AckMessages{workspace, agent, {&delivery, 1}});
    RC_ASSERT((verdicts.front() == Settled::done) == live);  // P4
    if (pick / 64 % 4 > 1 && live) acked_.insert({agent, offset});
  }

  void close(std::uint32_t pick, SessionId session) {
    decide(ReturnLeases{workspace, AgentNumber(1 + pick % agents), session, 1 + pick % 3});
  }

  void redrive(std::uint32_t pick) {
    const AgentNumber agent(1 + pick % agents);
    const auto& letters = engine_.state().workspace(workspace).registry.agent(agent).dead_letters;
    if (!letters.empty()) (void)decide(RedriveMessage{workspace, agent, letters.begin()->first});
  }

  void pass(base::Duration time) {
    now_ += time;
    due();
  }
  void due() {
    while (engine_.next_due() && *engine_.next_due() <= now_) {
      engine_.decide_unfinished(2, context(), decided_);
      bool anything = !decided_.empty();
      record();
      engine_.decide_due(context(), decided_);
      anything = anything || !decided_.empty();
      record();
      RC_ASSERT(anything);  // else the loop would turn for ever
    }
    engine_.decide_forgotten(100, context(), decided_);
    record();
  }

  void restart(base::Duration down) {
    now_ += down;
    decide(StartServer{down});
  }

  void check() const {
    for (const std::string& defect : inconsistencies(engine_.state())) RC_FAIL(defect);
    Engine loaded(ruleset_of);
    RC_ASSERT(loaded.load(engine_.save()).has_value());
    RC_ASSERT(loaded.state_hash() == engine_.state_hash());
  }

  void check_replay() const {
    Engine replayed(ruleset_of);
    for (const auto& [bytes, placed] : journal_) {
      event::Event event;
      RC_ASSERT(event.ParseFromString(bytes));
      replayed.apply(event, placed);
    }
    RC_ASSERT(replayed.state_hash() == engine_.state_hash());
  }

  // Everybody takes and acks until nothing comes, and time goes on.
  void drain() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      pass(100s);
      for (std::uint32_t i = 1; i <= agents; ++i)
        for (bool more = true; more;) {
          const auto offers = decide(TakeMessages{.workspace = workspace,
                                                  .agent = AgentNumber(i),
                                                  .session = SessionId(++last_session_),
                                                  .max = 100,
                                                  .lease = 10s,
                                                  .take_id = {}});
          std::vector<DeliveryId> deliveries;
          for (const Offer& offer : offers) {
            note(AgentNumber(i), offer);
            if (offer.lease_until != Instant{}) deliveries.push_back({offer.offset, offer.epoch});
          }
          decide(AckMessages{workspace, AgentNumber(i), deliveries});
          for (const DeliveryId& delivery : deliveries) acked_.insert({AgentNumber(i), delivery.offset});
          more = !offers.empty();
          if (more) quiet = 0;
        }
    }
    for (std::uint32_t i = 1; i <= agents; ++i)
      RC_ASSERT(engine_.state().workspace(workspace).registry.agent(AgentNumber(i)).mailbox.open().empty());
  }

 private:
  void record() {
    for (const Fact& fact : decided_.facts()) {
      const bool native = fact.has_native_body;
      const Placed placed{base::Position(journal_.size() + 1), now_,
                          native ? 100u : static_cast<std::uint32_t>(fact.body.size()),
                          native ? base::sha256("native") : base::sha256(fact.body)};
      journal_.emplace_back(fact.event.SerializeAsString(), placed);
      engine_.apply(fact.event, placed);
    }
    decided_.clear();
  }

  bool leased(AgentNumber agent, Offset offset, std::uint32_t epoch) const {
    const Message* message = engine_.state().workspace(workspace).messages.find(offset);
    const Receipt* receipt = message ? message->receipt_of(agent) : nullptr;
    return receipt && receipt->state == ReceiptState::leased && receipt->epoch == epoch && receipt->until > now_;
  }

  void note(AgentNumber agent, const Offer& offer) {
    RC_ASSERT(!acked_.contains({agent, offer.offset}));  // O4: what is acked never comes again
    RC_ASSERT(!final_.contains({agent, offer.offset}));  // R20: once
    auto& newest = epochs_[{agent, offer.offset}];
    RC_ASSERT(offer.epoch == newest + 1);  // each offer fences the one before
    newest = offer.epoch;
    if (offer.lease_until == Instant{})
      final_.insert({agent, offer.offset});
    else
      given_.push_back({agent, offer.offset, offer.epoch});
  }

  struct Given {
    AgentNumber agent;
    Offset offset;
    std::uint32_t epoch;
  };

  Engine engine_;
  Decided decided_;
  Instant now_ = base::instant_of(1'770'109'200'000'000);
  std::uint64_t seed_ = 0, sent_ = 0, last_session_ = 1'000;
  std::vector<std::pair<std::string, Placed>> journal_;
  std::vector<Given> given_;
  std::set<std::pair<AgentNumber, Offset>> acked_, final_;
  std::map<std::pair<AgentNumber, Offset>, std::uint32_t> epochs_;
};

// MSH-02: a broadcast keeps to the directions of its type.
TEST(Engine, A_broadcast_reaches_those_alone_who_may_receive_it) {
  profile::Ruleset rules = *engine::rules();
  const auto type = *rules.type_named("request");
  rules.types[type.value].to = {};
  rules.types[type.value].to.members.set(*rules.role_index("github-agent"));
  Engine engine([&](std::string_view) { return &rules; });
  Decided decided(engine.state());
  std::uint64_t position = 0;
  const auto record = [&] {
    for (const Fact& fact : decided.facts()) engine.apply(fact.event, {base::Position(++position), {}, 0, {}});
    decided.clear();
  };
  (void)engine.decide(CreateWorkspace{"team", {}}, {}, decided);
  record();
  for (const std::string role : {"developer-agent", "github-agent", "relationship-agent", ""}) {
    AgentProperties properties;
    properties.profile = "mesh";
    properties.agent_type = role;
    ASSERT_TRUE(
        engine.decide(RegisterAgent{workspace, "a-" + role + "x", properties, base::sha256(role)}, {}, decided));
    record();
  }
  envelope::Envelope envelope;
  envelope.message_id = "m";
  envelope.broadcast = true;
  const auto accepted = engine.decide(AcceptMessage{.workspace = workspace,
                                                    .sender = AgentNumber(1),
                                                    .envelope = envelope,
                                                    .ruleset = rules,
                                                    .type = type,
                                                    .lane = {},
                                                    .id_key = id_key_of("m"),
                                                    .length = 100,
                                                    .warnings = {},
                                                    .validation_errors = {}},
                                      {}, decided);
  ASSERT_TRUE(accepted);
  const auto& recipients = decided.facts().front().event.message_accepted().recipients();
  ASSERT_EQ(recipients.size(), 1);
  EXPECT_EQ(recipients[0], 2u);
}

// D11: whatever has piled up, one take ends no more than it may, and says so in as many facts.
TEST(Engine, A_take_ends_a_bounded_number_of_messages) {
  engine::Run run;
  run.allow_mailbox(5'000);
  for (int i = 0; i < 3'000; ++i) run.send_brief(1s);
  EXPECT_EQ(run.expired_by_a_take_after(2s, 1'000), 1'000u);
  EXPECT_EQ(run.expired_by_a_take_after(0s, 10), 10u);
}

// D10: who rotates in a loop leaves nothing behind; within their grace a few stay good.
TEST(Engine, Spent_tokens_leave_the_state) {
  engine::Run run;
  const std::size_t before = run.credentials();
  for (int i = 0; i < 100; ++i) run.rotate({});
  EXPECT_EQ(run.credentials(), before);
  for (int i = 0; i < 100; ++i) run.rotate(1h);
  EXPECT_LE(run.credentials(), before + 8);
  run.pass(2h);
  run.rotate(1h);
  EXPECT_EQ(run.credentials(), before + 1);
  run.check();
}

RC_GTEST_PROP(Engine, O8_D3_random_histories_keep_every_promise, ()) {
  const auto steps = *rc::gen::resize(200, rc::gen::arbitrary<std::vector<std::uint32_t>>());
  engine::Run run;
  for (const std::uint32_t step : steps) {
    const std::uint32_t pick = step >> 4;
    // A connection of each agent's own, or a single take.
    const SessionId session(pick % 3 == 0 ? pick : 1ull << 63 | (1 + pick % agents));
    switch (step % 12) {
      case 0:
      case 1:
      case 2:
      case 3:
        run.send(pick);
        break;
      case 4:
      case 5:
      case 6:
        run.take(pick, session);
        break;
      case 7:
      case 8:
        run.settle(pick);
        break;
      case 9:
        run.pass(std::chrono::seconds(pick % 50));
        break;
      case 10:
        run.close(pick, session);
        break;
      default:
        if (pick % 2 == 0)
          run.redrive(pick);
        else
          run.restart(std::chrono::seconds(pick % 20));
    }
    run.check();
  }
  run.check_replay();
  run.drain();
  run.check();
  run.check_replay();
}

}  // namespace
}  // namespace parley::engine
