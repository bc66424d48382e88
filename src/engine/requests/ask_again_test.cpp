// MSH-03: a profile that says `on_timeout: retry` has who is silent asked again, and its asker told after the last.
#include "engine/requests/ask_again.hpp"

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "engine/test_consistency.hpp"
#include "profile/rulesets.hpp"

namespace parley::engine {
namespace {

using namespace std::chrono_literals;

constexpr WorkspaceNumber workspace{1};
constexpr AgentNumber asker{1}, asked{2};

const profile::Ruleset& patient_mesh() {
  static const profile::Ruleset rules = [] {
    profile::Ruleset mesh = *profile::built_in().find("mesh");
    mesh.requests->retries_timeouts = true;
    return mesh;
  }();
  return rules;
}

std::string what_becomes_of(const event::RequestAskedAgain& again) {
  return again.anew() ? "given anew" : again.given() ? "given" : "not given";
}

class Trial {
 public:
  Trial() : engine_([](std::string_view) { return &patient_mesh(); }), decided_(engine_.state()) {
    decide(CreateWorkspace{"team", {}});
    for (const char* id : {"a", "b"}) decide(RegisterAgent{workspace, id, {.profile = "mesh"}, base::sha256(id)});
    envelope::Envelope envelope;
    envelope.message_id = "question";
    envelope.kind = envelope::Kind::request;
    envelope.recipients = {"b"};
    decide(AcceptMessage{.workspace = workspace,
                         .sender = asker,
                         .envelope = envelope,
                         .ruleset = patient_mesh(),
                         .type = *patient_mesh().type_named("request"),
                         .lane = {},
                         .id_key = id_key_of(envelope.message_id),
                         .length = 100,
                         .warnings = {},
                         .validation_errors = {}});
  }

  // What the time brings, fact by fact.
  std::vector<std::string> pass(base::Duration time) {
    now_ += time;
    facts_.clear();
    while (engine_.next_due() && *engine_.next_due() <= now_) {
      engine_.decide_due({now_, ++seed_}, decided_);
      record();
    }
    return facts_;
  }
  // How many messages the one who is asked finds, for so long, and acks.
  std::size_t read(base::Duration lease = 1min, bool acks = true) {
    TakeMessages take{
        .workspace = workspace, .agent = asked, .session = SessionId(++seed_), .lease = lease, .take_id = {}};
    const auto offers = engine_.decide(take, {now_, ++seed_}, decided_);
    record();
    for (const Offer& offer : offers) {
      if (!acks) break;
      const DeliveryId delivery{offer.offset, offer.epoch};
      decide(AckMessages{workspace, asked, {&delivery, 1}});
    }
    return offers.size();
  }
  void remove(AgentNumber agent) {
    decide(RemoveAgent{workspace, agent});
    while (!engine_.state().unfinished.empty()) {
      engine_.decide_unfinished(1, {now_, ++seed_}, decided_);
      record();
    }
  }
  const Requests& requests() const { return engine_.state().workspace(workspace).requests; }
  std::vector<std::string> defects() const { return inconsistencies(engine_.state()); }

 private:
  template <class Command>
  void decide(const Command& command) {
    (void)engine_.decide(command, {now_, ++seed_}, decided_);
    record();
  }
  void record() {
    for (const Fact& fact : decided_.facts()) {
      const event::Event& event = fact.event;
      facts_.push_back(event.has_request_postponed()     ? "postponed"
                       : event.has_request_asked_again() ? what_becomes_of(event.request_asked_again())
                       : event.has_request_timed_out()   ? "timed out"
                       : event.has_message_accepted()    ? "said"
                                                         : "else");
      engine_.apply(event, {Position(++position_), now_, 100, {}});
    }
    decided_.clear();
  }

  Engine engine_;
  Decided decided_;
  Instant now_ = base::instant_of(1'770'109'200'000'000);
  std::uint64_t seed_ = 0, position_ = 0;
  std::vector<std::string> facts_;
};

using Facts = std::vector<std::string>;

TEST(AskAgain, MSH_03_silence_is_asked_three_times_in_all_before_the_asker_hears_of_it) {
  Trial run;
  EXPECT_EQ(run.read(), 1u);
  EXPECT_EQ(run.pass(30s), Facts{"postponed"});
  EXPECT_EQ(run.pass(999ms), Facts{});
  EXPECT_EQ(run.pass(1ms), Facts{"given"});
  EXPECT_EQ(run.read(), 1u);
  EXPECT_EQ(run.pass(30s), Facts{"postponed"});
  EXPECT_EQ(run.pass(2s), Facts{"given"});
  EXPECT_EQ(run.defects(), Facts{});
  EXPECT_EQ(run.read(), 1u);
  EXPECT_EQ(run.pass(30s), (Facts{"timed out", "said"}));
  EXPECT_EQ(run.requests().size(), 0u);
  EXPECT_EQ(run.defects(), Facts{});
}

TEST(AskAgain, MSH_03_what_is_not_read_yet_is_not_given_twice) {
  Trial run;
  EXPECT_EQ(run.pass(30s), Facts{"postponed"});
  EXPECT_EQ(run.pass(1s), Facts{"not given"});
  EXPECT_EQ(run.read(), 1u);
  EXPECT_EQ(run.read(), 0u);
}

TEST(AskAgain, MSH_03_what_was_offered_and_is_not_acked_is_given_anew) {
  Trial run;
  EXPECT_EQ(run.read(5min, false), 1u);
  EXPECT_EQ(run.pass(30s), Facts{"postponed"});
  EXPECT_EQ(run.pass(1s), Facts{"given anew"});
  EXPECT_EQ(run.defects(), Facts{});
  EXPECT_EQ(run.read(), 1u);
  EXPECT_EQ(run.pass(30s), Facts{"postponed"});
  EXPECT_EQ(run.pass(2s), Facts{"given"});
  EXPECT_EQ(run.defects(), Facts{});
}

TEST(AskAgain, MSH_03_late_turns_bring_everything_in_order) {
  Trial run;
  EXPECT_EQ(run.read(), 1u);
  const Facts facts = run.pass(10min);
  EXPECT_EQ(facts.front(), "postponed");
  EXPECT_EQ(run.defects(), Facts{});
}

TEST(AskAgain, MSH_03_who_is_removed_is_not_asked_again) {
  for (const AgentNumber leaves : {asker, asked}) {
    Trial run;
    EXPECT_EQ(run.read(), 1u);
    EXPECT_EQ(run.pass(30s), Facts{"postponed"});
    run.remove(leaves);
    EXPECT_EQ(run.requests().size(), 0u);
    EXPECT_EQ(run.defects(), Facts{});
    EXPECT_EQ(run.pass(1h), Facts{});
  }
}

}  // namespace
}  // namespace parley::engine
