#include "ingress/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envelope/lane.hpp"
#include "json/parser.hpp"
#include "profile/files.hpp"
#include "profile/rulesets.hpp"

namespace parley::ingress {
namespace {

using base::ErrorCode;
using envelope::Priority;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const base::Instant now = *base::parse_rfc3339("2026-02-03T12:00:00Z");

const profile::Rulesets& rulesets() {
  static const profile::Rulesets all = profile::built_in();
  return all;
}

// An example of a profile with pieces replaced, sent by whom the options say.
struct Case {
  std::string profile, example;
  std::vector<std::pair<std::string, std::string>> changes;
  std::string sender;
  Options options = {};

  base::Result<Checked> run() const {
    std::string bytes = profile::built_in_files(profile).at("examples/" + example + ".json");
    for (const auto& [before, after] : changes) {
      const std::size_t at = bytes.find(before);
      EXPECT_NE(at, std::string::npos) << before;
      bytes.replace(at, before.size(), after);
    }
    const auto document = json::Document::parse(bytes);
    EXPECT_TRUE(document.has_value()) << bytes;
    Options set = options;
    set.sender = sender;
    if (set.now == base::Instant{}) set.now = now;
    return check({bytes, document->root()}, *rulesets().find(profile), set);
  }
};

Options lenient() {
  Options options;
  options.validation = Validation::lenient;
  return options;
}

constexpr const char* id_member = R"("message_id": "c9754236-4374-4338-a814-c0e83408d504",)";
constexpr const char* timestamp_member = R"("timestamp": "2026-02-03T09:00:00Z",)";

Case assignment(std::vector<std::pair<std::string, std::string>> changes, Options options = {}) {
  return {"collab", "task_assignment", std::move(changes), "architect-main", options};
}

// A mesh request with members added at its front.
Case request(const std::string& members, Options options = {}) {
  return {"mesh", "response.unsuccessful", {{"{", '{' + members}}, "relationship-agent-001", options};
}

std::vector<std::string> words(const std::vector<base::Problem>& problems) {
  std::vector<std::string> texts;
  for (const base::Problem& problem : problems) texts.push_back(problem.instance + ' ' + problem.schema);
  return texts;
}

TEST(Check, AValidMessageIsTakenWithoutAWordAndHashedAsSent) {
  const auto checked = assignment({}).run();
  ASSERT_TRUE(checked);
  EXPECT_THAT(checked->warnings, IsEmpty());
  EXPECT_THAT(checked->validation_errors, IsEmpty());
  EXPECT_EQ(checked->envelope.content_hash,
            base::sha256(profile::built_in_files("collab").at("examples/task_assignment.json")));
  EXPECT_EQ(checked->lane, envelope::lane_of(envelope::task_key_of("task-settings-loader")));
}

// BEY-02: the refusal lists what would be right.
TEST(Check, AnUnknownTypeIsRefusedWithTheTypesThereAre) {
  const auto refused = assignment({{"\"task_assignment\"", "\"task_asignment\""}}).run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::TYPE_UNKNOWN);
  EXPECT_EQ(refused.error().where, "/message_type");
  EXPECT_THAT(refused.error().message, HasSubstr("task_asignment"));
  EXPECT_THAT(refused.error().legal_next,
              ElementsAre("task_assignment", "acknowledgment", "task_progress", "task_completion", "review_request",
                          "review_result", "feedback", "status_query", "status_response", "abort"));
}

TEST(Check, AMissingTypeIsUnknownToo) {
  EXPECT_EQ(assignment({{"\"message_type\"", "\"kind\""}}, lenient()).run().error().code, ErrorCode::TYPE_UNKNOWN);
}

TEST(Check, WhatIsNoObjectIsNoMessageAndIsNamed) {
  const auto run = [](const std::string& bytes) {
    const auto document = json::Document::parse(bytes);
    Options options;
    options.sender = "architect-main";
    options.now = now;
    return check({bytes, document->root()}, *rulesets().find("collab"), options).error();
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"1", "integer"}, {"null", "null"}, {"true", "boolean"}, {"\"x\"", "string"}, {"[[]]", "array"}};
  for (const auto& [bytes, what] : cases) {
    EXPECT_EQ(run(bytes).code, ErrorCode::BAD_REQUEST) << bytes;
    EXPECT_THAT(run(bytes).message, HasSubstr("is no JSON object: it is ")) << bytes;
    EXPECT_THAT(run(bytes).message, HasSubstr(what)) << bytes;
  }
}

// PIP-01: unknown major version refused, minor accepted.
TEST(Check, AnotherMajorVersionIsRefusedAnotherMinorOneIsNot) {
  const auto version = [](const std::string& text, Options options = {}) {
    return Case{"pipeline", "request.plain", {{"\"1.0.0\"", '"' + text + '"'}}, "orchestrator-agent", options}.run();
  };
  EXPECT_TRUE(version("1.9.3"));
  EXPECT_EQ(version("2.0.0").error().code, ErrorCode::VERSION_UNSUPPORTED);
  EXPECT_EQ(version("2.0.0", lenient()).error().code, ErrorCode::VERSION_UNSUPPORTED);
  EXPECT_EQ(version("10.0.0").error().code, ErrorCode::VERSION_UNSUPPORTED);
  EXPECT_EQ(version("99999999999.0.0").error().code, ErrorCode::VERSION_UNSUPPORTED);
  EXPECT_EQ(version("one").error().code, ErrorCode::SCHEMA);
}

// D10. Told before anything of the schema, so that a stranger's message is not judged.
TEST(Check, ASenderMustBeTheOneOfTheCredential) {
  Case other = assignment({{"\"max_iterations\": 3", "\"max_iterations\": 0"}});
  other.sender = "developer-01";
  const auto refused = other.run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::SENDER_MISMATCH);
  EXPECT_EQ(refused.error().where, "/from_agent/agent_id");
  EXPECT_THAT(refused.error().details, IsEmpty());
  EXPECT_EQ(base::info(ErrorCode::SENDER_MISMATCH).http_status, 403);
}

// COR-04: every defect, each at its place, with what was found and expected.
TEST(Check, EveryDefectIsNamed) {
  const auto refused = assignment({{"\"high\"", "\"urgent\""},
                                   {"\"sequence_number\": 1", "\"sequence_number\": \"one\""},
                                   {"\"testing_required\": true", "\"testing_required\": 1"}})
                           .run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::SCHEMA);
  std::vector<std::string> places;
  for (const base::Problem& problem : refused.error().details) places.push_back(problem.instance);
  EXPECT_THAT(places, testing::UnorderedElementsAre("/payload/priority", "/sequence_number",
                                                    "/payload/task/constraints/testing_required"));
  for (const base::Problem& problem : refused.error().details)
    if (problem.instance == "/payload/priority") {
      EXPECT_THAT(problem.message, HasSubstr("urgent"));
    }
}

TEST(Check, DefectsAreBounded) {
  std::string many;
  for (int i = 0; i < 90; ++i) many += "7,";
  const auto refused = assignment({{"\"must_not_break\": [", "\"must_not_break\": [" + many}}).run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().details.size(), details_max);
  EXPECT_THAT(refused.error().message, HasSubstr("90 defects, 50 of them named."));
}

// D11: what nobody is told of is not looked for.
TEST(Check, AListOfVeryManyDefectsIsNotLookedThrough) {
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += "7,";
  const std::vector<std::pair<std::string, std::string>> edits{
      {id_member, R"("message_id": "no-uuid",)"}, {"\"must_not_break\": [", "\"must_not_break\": [" + many}};
  const auto refused = assignment(edits).run();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("at least 101 defects, 50 of them named."));
  EXPECT_THAT(words(refused.error().details), Contains(HasSubstr("/message_id ")));
  const auto recorded = assignment(edits, lenient()).run();
  ASSERT_TRUE(recorded);
  EXPECT_THAT(words(recorded->validation_errors), Contains(HasSubstr("/message_id ")));
  EXPECT_EQ(recorded->validation_errors.back().message, "The message has at least 51 more defects.");
}

// COL-22, R5
TEST(Lenient, OfManyDefectsThoseOfTheEnvelopeAreRecordedAndTheOthersCounted) {
  std::string many;
  for (int i = 0; i < 90; ++i) many += "7,";
  const auto checked = assignment({{id_member, R"("message_id": "no-uuid",)"},
                                   {"\"must_not_break\": [", "\"must_not_break\": [" + many}},
                                  lenient())
                           .run();
  ASSERT_TRUE(checked);
  ASSERT_EQ(checked->validation_errors.size(), details_max + 1);
  EXPECT_THAT(words(checked->validation_errors), Contains(HasSubstr("/message_id ")));
  EXPECT_EQ(checked->validation_errors.back().message, "The message has 41 more defects.");
}

// R25: nothing of a private message's values, whatever is wrong with them.
TEST(Check, ARefusedPrivateMessageIsNotQuoted) {
  const auto refused = Case{"supervisor",
                            "coc_violation_flag",
                            {{"PRIVATE_TO_MODERATORS", "OPEN-to-all"}, {"\"confidence\": 0.", "\"confidence\": 7."}},
                            "community"}
                           .run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::SCHEMA);
  std::string all = refused.error().message + refused.error().hint;
  for (const base::Problem& problem : refused.error().details) all += problem.message;
  EXPECT_THAT(all, Not(HasSubstr("OPEN")));
  EXPECT_THAT(all, Not(HasSubstr("7.")));
  EXPECT_EQ(refused.error().details.size(), 2u);
}

TEST(Check, NothingIsTakenOutOfAPrivateMessage) {
  const auto checked = Case{"supervisor", "coc_violation_flag", {}, "community"}.run();
  ASSERT_TRUE(checked);
  EXPECT_THAT(checked->envelope.fields, IsEmpty());
  EXPECT_EQ(checked->envelope.task, "");
  EXPECT_EQ(checked->lane, LaneId(0));
}

// SUP-08: the refusal names limit and size, in lenient validation too.
TEST(Check, LimitsNameLimitAndSize) {
  const Case ok{"supervisor",
                "task_completion",
                {{"\"rationale\": \"", "\"rationale\": \"" + std::string(900, 'r')}},
                "triage",
                lenient()};
  ASSERT_TRUE(ok.run());
  const Case long_rationale{"supervisor",
                            "task_completion",
                            {{"\"rationale\": \"", "\"rationale\": \"" + std::string(1001, 'r')}},
                            "triage",
                            lenient()};
  const auto refused = long_rationale.run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::PAYLOAD_TOO_LARGE);
  EXPECT_THAT(refused.error().message, HasSubstr("the limit is 1000"));
  EXPECT_THAT(refused.error().message, HasSubstr("characters"));

  const Case large{"supervisor",
                   "task_delegation",
                   {{"\"description\": \"", "\"description\": \"" + std::string(102400, 'd')}},
                   "orchestrator",
                   lenient()};
  const auto too_large = large.run();
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code, ErrorCode::PAYLOAD_TOO_LARGE);
  EXPECT_EQ(base::info(too_large.error().code).http_status, 413);
  EXPECT_THAT(too_large.error().message, HasSubstr("the limit is 102400"));
}

// R5, COL-22: what can be routed is taken, its defects are recorded.
TEST(Lenient, DefectsAreRecordedWhereTheMessageCanBeRouted) {
  const auto checked =
      assignment({{id_member, ""}, {timestamp_member, ""}, {"\"high\"", "\"urgent\""}}, lenient()).run();
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->envelope.message_id, "");  // the engine makes one
  EXPECT_EQ(checked->envelope.sent_at, std::nullopt);
  EXPECT_EQ(checked->envelope.priority, Priority::normal);  // an unknown word counts as none
  EXPECT_EQ(checked->envelope.task, "task-settings-loader");
  EXPECT_EQ(checked->validation_errors.size(), 3u);
}

// R8
TEST(Lenient, TheIdempotencyKeyServesWhereTheMessageHasNoId) {
  Options options = lenient();
  options.idempotency_key = "retry-17";
  const std::string made = assignment({{id_member, ""}}, options).run()->envelope.message_id;
  EXPECT_EQ(made.size(), 36u) << made;
  EXPECT_EQ(assignment({{id_member, ""}}, options).run()->envelope.message_id, made);
  EXPECT_TRUE(assignment({{id_member, ""}}, options).run()->envelope.made_id);
  EXPECT_FALSE(assignment({}, options).run()->envelope.made_id);
  options.idempotency_key = "retry-18";
  EXPECT_NE(assignment({{id_member, ""}}, options).run()->envelope.message_id, made);
  EXPECT_EQ(assignment({}, options).run()->envelope.message_id, "c9754236-4374-4338-a814-c0e83408d504");
}

// R5: that it was replaced is said; of one that is missing the schema says it.
TEST(Lenient, WhatCanBeNoIdIsReplacedAndItsSenderHearsOfIt) {
  const std::string too_long = R"("message_id": ")" + std::string(1025, 'z') + "\",";
  for (const std::string& no_id : {std::string(R"("message_id": "",)"), std::string(R"("message_id": 5,)"), too_long}) {
    const auto checked = assignment({{id_member, no_id}}, lenient()).run();
    EXPECT_EQ(checked->envelope.message_id, "");
    EXPECT_THAT(words(checked->warnings), ElementsAre("/message_id MADE_ID")) << no_id;
  }
  EXPECT_THAT(assignment({{id_member, ""}}, lenient()).run()->warnings, IsEmpty());
}

TEST(Lenient, WithoutSenderOrRecipientItCannotBeRouted) {
  EXPECT_EQ(assignment({{"\"to_agent\"", "\"too_agent\""}}, lenient()).run().error().code, ErrorCode::SCHEMA);
  EXPECT_EQ(assignment({{"\"from_agent\"", "\"form_agent\""}}, lenient()).run().error().code, ErrorCode::SCHEMA);
  EXPECT_EQ(assignment({{"\"developer-01\"", "17"}}, lenient()).run().error().code, ErrorCode::SCHEMA);
  EXPECT_EQ(assignment({{"\"developer-01\"", "\"\""}}, lenient()).run().error().code, ErrorCode::SCHEMA);
}

// BEY-02: what else is wrong comes after what blocks, and would have been overlooked.
TEST(Lenient, ARefusalBeginsWithWhatBlocks) {
  const auto where = [](std::vector<std::pair<std::string, std::string>> changes) {
    changes.emplace_back(timestamp_member, "");
    changes.emplace_back("\"max_iterations\": 3", "\"max_iterations\": 0");
    const auto refused = assignment(std::move(changes), lenient()).run().error();
    EXPECT_EQ(refused.where, refused.details.front().instance);
    EXPECT_EQ(refused.details.front().schema, "routing");
    return refused.where;
  };
  EXPECT_EQ(where({{"\"from_agent\"", "\"form_agent\""}}), "/from_agent/agent_id");
  EXPECT_EQ(where({{"\"to_agent\"", "\"too_agent\""}}), "/to_agent/agent_id");

  const Case concern{"supervisor",
                     "task_completion",
                     {{"\"coc_concern\": false", "\"coc_concern\": true"}, {"\"in_reply_to\"", "\"in_reply_too\""}},
                     "triage",
                     lenient()};
  EXPECT_THAT(concern.run().error().where, HasSubstr("coc_concern"));
}

// However much there is to overlook, nothing that blocks makes room for another that does.
TEST(Lenient, OfManyDefectsAllThatBlockAreNamed) {
  std::string many;
  for (int i = 0; i < 70; ++i) many += "7,";
  const Case concern{"supervisor",
                     "task_completion",
                     {{"\"coc_concern\": false", "\"coc_concern\": true"},
                      {"\"next_steps\": [", "\"next_steps\": [" + many},
                      {"\"from_agent\"", "\"form_agent\""},
                      {"\"to_agent\"", "\"too_agent\""}},
                     "triage",
                     lenient()};
  const auto refused = concern.run();
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().details.size(), details_max);
  const std::vector<base::Problem> first(refused.error().details.begin(), refused.error().details.begin() + 3);
  EXPECT_THAT(first[0].message, HasSubstr("coc_violation_flag"));
  EXPECT_THAT(words(first), ElementsAre(HasSubstr("/flags/coc_concern "), "/from_agent routing", "/to_agent routing"));
}

// R33: what would make a flag public is refused in lenient validation too, with what to send instead.
TEST(Lenient, AConcernAboutConductIsNeverTakenAsACompletion) {
  const Case concern{
      "supervisor", "task_completion", {{"\"coc_concern\": false", "\"coc_concern\": true"}}, "triage", lenient()};
  const auto refused = concern.run();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("coc_violation_flag"));
}

// R10
TEST(Clock, AMessageMoreThanADayOffIsTakenWithAWarning) {
  const auto warnings = [](const char* instant) {
    Options options;
    options.now = *base::parse_rfc3339(instant);
    return words(assignment({}, options).run()->warnings);  // sent 2026-02-03T09:00:00Z
  };
  EXPECT_THAT(warnings("2026-02-04T09:00:00Z"), IsEmpty());
  EXPECT_THAT(warnings("2026-02-04T09:00:01Z"), ElementsAre("/timestamp CLOCK_SKEW"));
  EXPECT_THAT(warnings("2026-02-02T09:00:00Z"), IsEmpty());
  EXPECT_THAT(warnings("2026-02-02T08:59:59Z"), ElementsAre("/timestamp CLOCK_SKEW"));
}

// COR-16, R10: each profile's expiry; where there are several the earliest.
TEST(Expires, TheEarliestOfAllThatAreStated) {
  EXPECT_EQ(request(R"("ttl": 60,)").run()->envelope.expires_at, now + std::chrono::seconds(60));
  EXPECT_EQ(request(R"("expiresAt": "2026-02-03T13:00:00Z",)").run()->envelope.expires_at, now + std::chrono::hours(1));
  EXPECT_EQ(request(R"("ttl": 60, "expiresAt": "2026-02-03T13:00:00Z",)").run()->envelope.expires_at,
            now + std::chrono::seconds(60));
  EXPECT_EQ(request(R"("ttl": 7200, "expiresAt": "2026-02-03T13:00:00Z",)").run()->envelope.expires_at,
            now + std::chrono::hours(1));
  EXPECT_EQ(request("").run()->envelope.expires_at, std::nullopt);
}

TEST(Expires, EveryProfileHasItsOwnPlaceForIt) {
  const auto of = [](const std::string& profile, const std::string& example, const std::string& sender) {
    return Case{profile, example, {}, sender}.run()->envelope.expires_at;
  };
  EXPECT_EQ(of("handoff", "HEARTBEAT", "extractor-2"), now + std::chrono::seconds(15));  // metadata.ttl_ms
  EXPECT_EQ(of("pipeline", "data_update.adr_created", "architecture-agent"),             // metadata.expires_at
            *base::parse_rfc3339("2099-12-31T18:00:00Z"));
  EXPECT_EQ(of("mesh", "request", "developer-agent-001"), now + std::chrono::seconds(30));  // ttl
}

// The engine refuses it, unless it is known: the duplicate check comes first (R8).
TEST(Expires, AMessageThatHasExpiredSaysSo) {
  for (const char* stated : {R"("expiresAt": "2026-02-03T12:00:00Z",)", R"("expiresAt": "1970-01-01T00:00:00Z",)",
                             R"("ttl": 5, "expiresAt": "2026-02-03T11:59:59Z",)"})
    EXPECT_LE(request(stated).run()->envelope.expires_at.value(), now) << stated;
}

// reliability C3
TEST(Expires, AnyNumberIsADefinedTimeToLive) {
  for (const char* stated : {"0", "-1", "-9223372036854775808", "-1e300"}) {
    const std::string member = "\"ttl\": " + std::string(stated) + ',';
    EXPECT_EQ(request(member).run().error().code, ErrorCode::SCHEMA) << stated;
    EXPECT_LE(request(member, lenient()).run()->envelope.expires_at.value(), now) << stated;
  }
  for (const char* stated : {"9223372036854775807", "9223372036854775808", "1e300"})
    EXPECT_EQ(request("\"ttl\": " + std::string(stated) + ',').run()->envelope.expires_at, std::nullopt) << stated;
}

// HND-07, R19: the class of the type and the message's own word, whichever is higher; heartbeats are low.
TEST(Priorities, TheTypesClassIsAFloor) {
  const auto of = [](const std::string& example, const std::string& sender, const std::string& from,
                     const std::string& to) {
    return Case{"handoff", example, {{"\"priority\": \"" + from, "\"priority\": \"" + to}}, sender}
        .run()
        ->envelope.priority;
  };
  EXPECT_EQ(of("TASK_UPDATE", "extractor-1", "low", "low"), Priority::normal);
  EXPECT_EQ(of("TASK_UPDATE", "extractor-1", "low", "critical"), Priority::critical);
  EXPECT_EQ(of("TASK_COMPLETE", "extractor-2", "normal", "low"), Priority::high);
  EXPECT_EQ(of("TASK_FAILED", "extractor-1", "high", "low"), Priority::high);
  EXPECT_EQ(of("STATUS_UPDATE", "extractor-1", "normal", "low"), Priority::normal);
  EXPECT_EQ(of("ERROR_REPORT", "extractor-1", "normal", "low"), Priority::critical);
  EXPECT_EQ(of("HEARTBEAT", "extractor-2", "high", "critical"), Priority::low);
}

// HND-08, R20, R30: the class follows the effective priority.
TEST(Priorities, DeliveryFollowsPriorityWhereTheProfileSaysSo) {
  const auto of = [](const std::string& to) {
    return Case{"handoff", "TASK_UPDATE", {{"\"priority\": \"low", "\"priority\": \"" + to}}, "extractor-1"}
        .run()
        ->envelope.delivery;
  };
  EXPECT_EQ(of("normal"), envelope::DeliveryClass::at_most_once);
  EXPECT_EQ(of("high"), envelope::DeliveryClass::at_least_once);
}

// MSH-01: id, list, broadcast, auto.
TEST(Recipients, AWordAListOrOneAgent) {
  const auto to = [](const std::string& text) {
    return Case{"mesh", "request", {{"\"to\": \"repo-agent-nodejs-001\"", "\"to\": " + text}}, "developer-agent-001"}
        .run();
  };
  EXPECT_THAT(to("\"a\"")->envelope.recipients, ElementsAre("a"));
  EXPECT_THAT(to("[\"b\", \"a\"]")->envelope.recipients, ElementsAre("b", "a"));
  EXPECT_TRUE(to("\"broadcast\"")->envelope.broadcast);
  EXPECT_THAT(to("\"broadcast\"")->envelope.recipients, IsEmpty());
  EXPECT_TRUE(to("\"auto\"")->envelope.automatic);
  EXPECT_EQ(to("[\"a\", \"broadcast\"]").error().code, ErrorCode::SCHEMA);
}

TEST(Lane, ATaskHasTheFirstEightBytesOfItsHashAndNothingHasNone) {
  EXPECT_EQ(envelope::lane_of(envelope::task_key_of("")).value, 0u);
  EXPECT_EQ(envelope::lane_of(envelope::task_key_of("abc")).value, 0xba7816bf8f01cfeau);  // FIPS 180-2, B.1
}

// D11, R27: what is inflated for one call is bounded, however many messages it has.
TEST(Check, InflatesNoMoreThanIsLeft) {
  std::size_t left = 1'000;
  Case compressed{"mesh", "request.compressed", {}, "developer-agent-001"};
  compressed.options.inflate_left = &left;
  while (compressed.run()) ASSERT_LT(left, 1'000u);
  EXPECT_EQ(left, 0u);
  const auto refused = compressed.run();
  EXPECT_EQ(refused.error().code, ErrorCode::OVERLOADED);
  EXPECT_EQ(refused.error().retry_after, std::chrono::seconds(1));
}

TEST(Check, TakesOfWhatIsLeftOnlyWhatWasInflated) {
  std::size_t left = 1'000;
  Case no_gzip{"mesh", "request.compressed", {{R"("data": "H4sI)", R"("data": "AAAA)"}}, "developer-agent-001"};
  no_gzip.options.inflate_left = &left;
  EXPECT_EQ(no_gzip.run().error().code, ErrorCode::SCHEMA);
  EXPECT_EQ(left, 1'000u);
}

}  // namespace
}  // namespace parley::ingress
