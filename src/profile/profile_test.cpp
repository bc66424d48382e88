// Loading and linting, on the small profile of test/conformance/profiles/sixth: as it is, and broken in one place at a
// time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profile/files.hpp"
#include "profile/lint.hpp"
#include "profile/load.hpp"
#include "profile/reading.hpp"
#include "profile/rulesets.hpp"

namespace parley::profile {
namespace {

namespace fs = std::filesystem;

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Files kitchen() {
  const char* source = std::getenv("PARLEY_SOURCE");
  return *read_folder(std::string(source ? source : ".") + "/test/conformance/profiles/sixth");
}

// The profile with `before` in `file` replaced.
Files changed(const std::string& file, std::string_view before, std::string_view after) {
  Files files = kitchen();
  std::string& text = files.at(file);
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  text.replace(at, before.size(), after);
  return files;
}

// "place rule" of each defect.
std::vector<std::string> defects(const Files& files) {
  std::vector<std::string> texts;
  for (const base::Problem& problem : lint(files)) texts.push_back(problem.instance + ' ' + problem.schema);
  return texts;
}

TEST(Reading, PointsIntoAMessageOfItsProfile) {
  const RulesetPtr rules = built_in().find("supervisor");
  const auto type = rules->type_named("task_completion");
  ASSERT_TRUE(type);
  const auto place = [&](std::string_view name, std::string_view message) {
    const auto document = json::Document::parse(message);
    return std::string(rules->reading->pointer_to(*type, name, document->root()));
  };
  EXPECT_EQ(place("recipients", "{}"), "/to_agent");
  EXPECT_EQ(place("task", R"({"task_id":"t","in_reply_to":"m"})"), "/task_id");
  EXPECT_EQ(place("task", R"({"in_reply_to":"m"})"), "/in_reply_to");
  EXPECT_EQ(place("task", "{}"), "/task_id");
  EXPECT_EQ(place("sender_instance", "{}"), "");
  EXPECT_EQ(place("/to_agent", "{}"), "");
  EXPECT_EQ(place("", "{}"), "");
}

TEST(Load, SaysWhoMaySendWhatToWhom) {
  const RulesetPtr rules = *load(kitchen());
  const TypeIndex order = *rules->type_named("order"), call = *rules->type_named("call");
  EXPECT_TRUE(rules->may_send(order, "waiter"));
  EXPECT_FALSE(rules->may_send(order, "cook"));
  EXPECT_TRUE(rules->may_receive(order, "cook"));
  EXPECT_FALSE(rules->may_receive(order, "waiter"));
  EXPECT_TRUE(rules->may_send(call, "dish washer"));  // no roles named: any
  EXPECT_THAT(rules->legal_types("cook"), ElementsAre("ready", "call"));
  EXPECT_THAT(rules->legal_types("waiter", "cook"), ElementsAre("order", "call"));
  EXPECT_EQ(rules->type_named("dessert"), std::nullopt);
}

TEST(Load, AVariantHasRulesOfItsOwnAndItsTypesElse) {
  const RulesetPtr rules = *load(kitchen());
  const TypeIndex ready = *rules->type_named("ready");
  const MessageType& burnt = rules->type(TypeIndex(static_cast<std::uint16_t>(ready.value + 1)));
  EXPECT_EQ(burnt.name, "ready");
  EXPECT_EQ(burnt.variant, 1);
  EXPECT_EQ(burnt.kind, envelope::Kind::task_fail);
  EXPECT_EQ(burnt.always, envelope::Priority::critical);
  EXPECT_TRUE(burnt.from.has(rules->role_index("cook")));
  EXPECT_FALSE(burnt.from.has(rules->role_index("waiter")));
}

TEST(Load, ReadsPolicies) {
  const RulesetPtr rules = *load(kitchen());
  EXPECT_EQ(rules->retry.attempts, 3u);
  EXPECT_EQ(rules->retry.base_delay, std::chrono::milliseconds(500));
  EXPECT_EQ(rules->message_bytes_max, 4096u);
  EXPECT_EQ(rules->type(*rules->type_named("order")).delivery[0], envelope::DeliveryClass::at_least_once);
  EXPECT_EQ(rules->type(*rules->type_named("call")).delivery[3], envelope::DeliveryClass::at_most_once);
  EXPECT_TRUE(rules->is_broadcast("all"));
  EXPECT_FALSE(rules->is_automatic("auto"));
}

// R22: only people decide; an agent that registers as `human` has no role at all.
TEST(Load, NoAgentHasAReservedRole) {
  const RulesetPtr rules = built_in().find("supervisor");
  const TypeIndex decision = *rules->type_named("hitl_decision");
  EXPECT_TRUE(rules->may_send(decision, human_role));
  EXPECT_EQ(rules->role_of_agent("eve", "human"), "");
  EXPECT_EQ(rules->role_of_agent("eve", "parley"), "");
  EXPECT_FALSE(rules->may_send(decision, rules->role_of_agent("eve", "human")));
  EXPECT_EQ(rules->role_of_agent("triage", ""), "triage");  // 003: names are roles
  EXPECT_EQ(rules->role_of_agent("release-notes", "worker"), "worker");
}

TEST(Load, RefusesWithFileAndPlace) {
  const auto place_of = [](const Files& files) {
    const auto loaded = load(files);
    EXPECT_FALSE(loaded.has_value());
    EXPECT_EQ(loaded.error().code, base::ErrorCode::PROFILE_INVALID);
    return loaded.error().details.front().instance;
  };
  EXPECT_EQ(place_of({}), "profile.json#");
  EXPECT_EQ(place_of(changed("profile.json", "\"floor\": \"high\"", "\"floor\": \"medium\"")),
            "profile.json#/types/0/priority/floor");
  EXPECT_EQ(place_of(changed("profile.json", "{", "{,")), "profile.json#byte 1");
}

TEST(Rulesets, CarryTheFiveProfilesAndKeepVersionsApart) {
  Rulesets rulesets = built_in();
  for (const char* name : {"collab", "handoff", "mesh", "pipeline", "supervisor"})
    EXPECT_NE(rulesets.find(name), nullptr) << name;
  for (const std::string& folder : built_in_names()) EXPECT_NE(rulesets.find(folder), nullptr) << folder;
  EXPECT_EQ(rulesets.find("kitchen"), nullptr);

  const RulesetPtr first = *load(kitchen());
  const RulesetPtr second = *load(changed("profile.json", "\"version\": \"2.1.0\"", "\"version\": \"2.2.0\""));
  ASSERT_TRUE(rulesets.add(first));
  ASSERT_TRUE(rulesets.add(second));
  EXPECT_EQ(rulesets.add(first).error().code, base::ErrorCode::CONFLICT);
  EXPECT_EQ(rulesets.find("kitchen"), second);
  EXPECT_EQ(rulesets.find("kitchen", "2.1.0"), first);
  EXPECT_EQ(rulesets.find("kitchen", "3.0.0"), nullptr);
}

TEST(Lint, FindsNothingInAProfileInOrder) {
  EXPECT_THAT(defects(kitchen()), IsEmpty());
}

// R31: what the server says is a message of the profile itself.
TEST(Lint, FindsWhatTheServerSaysWrongly) {
  const auto mesh_but = [](const std::string& before, const std::string& after) {
    Files files = built_in_files("mesh");
    std::string& text = files.at("profile.json");
    EXPECT_NE(text.find(before), std::string::npos) << before;
    return defects([&] {
      text.replace(text.find(before), before.size(), after);
      return files;
    }());
  };
  EXPECT_THAT(mesh_but("\"request.timed_out\"", "\"request.escalated2\""), Not(IsEmpty()));
  EXPECT_THAT(mesh_but("\"to\": \"{to}\"", "\"to\": \"{whom}\""),
              Contains("profile.json#/says/request.timed_out/message/to says"));
  EXPECT_THAT(mesh_but("\"recoverable\": true", "\"recoverable\": \"yes\""), Not(IsEmpty()));
  EXPECT_THAT(mesh_but("\"timeout\": \"30s\"", "\"timeout\": \"0s\""),
              ElementsAre("profile.json#/requests/timeout requests"));
}

// SUP-05: what is said of a decision fits, with the changed action as the JSON value it is.
TEST(Lint, FindsWhatIsSaidWronglyOfADecision) {
  const auto supervisor_but = [](const std::string& before, const std::string& after) {
    Files files = built_in_files("supervisor");
    std::string& text = files.at("profile.json");
    EXPECT_NE(text.find(before), std::string::npos) << before;
    text.replace(text.find(before), before.size(), after);
    return defects(files);
  };
  EXPECT_THAT(supervisor_but("\"{action}\"", "\"{action}\""), IsEmpty());
  EXPECT_THAT(supervisor_but("\"{action}\"", "\"the {action}\""), Not(IsEmpty()));
  EXPECT_THAT(supervisor_but("\"{decision}\"", "\"{choice}\""),
              Contains("profile.json#/says/approval.decided/message/decision says"));
  EXPECT_THAT(supervisor_but("\"approval.lapsed\"", "\"approval.escalated\""), ElementsAre("profile.json#/says says"));
  EXPECT_THAT(supervisor_but("\"timeout\": \"72h\"", "\"timeout\": \"0s\""),
              ElementsAre("profile.json#/approvals/timeout approvals"));
}

TEST(Lint, FindsEachDefectAtItsPlace) {
  struct Case {
    std::string file, before, after, defect;
  };
  const std::vector<Case> cases{
      {"profile.json", "\"retry\": {", "\"again\": {", "profile.json# /required"},
      {"profile.json", "\"from\": [\"waiter\"]", "\"from\": [\"butler\"]", "profile.json#/types/0/from known_role"},
      {"profile.json", "\"name\": \"ready\"", "\"name\": \"order\"", "profile.json#/types/1/name unique_type"},
      {"profile.json", "\"text\": \"/dish/name\"", "\"dish\": \"/dish/name\"",
       "profile.json#/types/0/fields/dish canonical_field"},
      {"profile.json", "\"text\": \"/dish/name\"", "\"text\": \"/dish/nom\"",
       "profile.json#/types/0/fields/text known_places"},
      {"profile.json", "\"/hurry\"", "\"/haste\"", "profile.json#/envelope known_places"},
      {"profile.json", "\"task\": \"/dish/slip\", \"text\"", "\"text\"",
       "profile.json#/types/0/fields required_fields"},
      {"profile.json", "\"yes\": \"high\", ", "", "profile.json#/priorities/read priority_words"},
      {"profile.json", "schemas/call.schema.json", "schemas/shout.schema.json", "profile.json#/types/2/schema schema"},
      {"profile.json", "\"10s\"", "\"10ms\"", "profile.json#/retry/max_delay retry"},
      {"schemas/common.schema.json", "\"minLength\": 1, \"maxLength\": 32", "\"minLength\": 1",
       "profile.json#/types/0 bounded_ids"},
      {"schemas/call.schema.json", "2/call", "2/cry", "schemas/call.schema.json#/$id schema_files"},
      {"schemas/call.schema.json", "\"description\": \"§3\",", "", "schemas/call.schema.json# schema_files"},
      {"schemas/call.schema.json", "\"type\": \"string\"", "\"type\": \"text\"", "profile.json#/types/2/schema schema"},
      {"examples/call.json", "\"words\"", "\"sounds\"", "examples/call.json# /required"},
      {"examples/call.json", "\"otto\"", "\"ursula\"", "examples/call.json# examples"},
      {"examples/order.json", "\"for\": \"otto\"", "\"for\": \"ines\"", "examples/order.json# examples"},
      {"examples/ready.burnt.json", "\"burnt\": true, ", "", "profile.json#/types/1/variants/0 examples"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(defects(changed(c.file, c.before, c.after)), testing::Contains(c.defect))
        << c.file << ": " << c.before << " → " << c.after;
  }
}

// A file in a wrong place or form would be read by nobody.
TEST(Lint, FindsEveryFileThatIsNone) {
  const auto with = [](const std::string& path, const std::string& bytes) {
    Files files = kitchen();
    files[path] = bytes;
    return defects(files);
  };
  const std::string good = kitchen().at("refusals/order_by_cook.json");
  EXPECT_THAT(with("refusals/stray.json", "{}"), Contains("refusals/stray.json#/rule stated_forms"));
  EXPECT_THAT(with("refusals/stray.json", good), ElementsAre("refusals/stray.json#/rule stated_forms"));
  EXPECT_THAT(with("warnings/order_by_cook.json", good),
              ElementsAre("warnings/order_by_cook.json#/expect/code stated_forms"));
  EXPECT_THAT(with("warnings/x.json", "["), Contains(testing::StartsWith("warnings/x.json#")));
  EXPECT_THAT(with("story.json", "{}"), Not(IsEmpty()));
  for (const char* path : {"schemas/readme.txt", "schemas/menu.json", "refusals/old/x.json", "notes.json", "README.md"})
    EXPECT_THAT(with(path, "{}"), Contains(std::string(path) + "# known_files")) << path;
}

// The kitchen's files in a folder of their own, with something else beside them.
class FolderOfAProfile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("parley-folder-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    for (const auto& [path, bytes] : kitchen()) {
      fs::create_directories((folder_ / path).parent_path());
      std::ofstream(folder_ / path) << bytes;
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> refused() const {
    std::vector<std::string> places;
    const auto files = read_folder(folder_.string());
    if (files) return places;
    EXPECT_EQ(files.error().code, base::ErrorCode::PROFILE_INVALID);
    for (const base::Problem& problem : files.error().details) places.push_back(problem.instance);
    return places;
  }

  fs::path folder_;
};

TEST_F(FolderOfAProfile, IsReadAsItIs) {
  fs::create_symlink("call.schema.json", folder_ / "schemas/shout.schema.json");
  std::ofstream(folder_ / ".notes") << "nobody's";
  const auto files = read_folder(folder_.string());
  ASSERT_TRUE(files);
  EXPECT_EQ(files->size(), kitchen().size() + 1);
  EXPECT_EQ(files->at("schemas/shout.schema.json"), kitchen().at("schemas/call.schema.json"));
}

TEST_F(FolderOfAProfile, NamesWhatCannotBeRead) {
  fs::create_symlink("loop", folder_ / "schemas/loop");
  EXPECT_THAT(refused(), ElementsAre("schemas/loop#"));
  fs::create_symlink("nowhere.json", folder_ / "refusals/gone.json");
  EXPECT_EQ(::mkfifo((folder_ / "warnings.json").c_str(), 0600), 0);
  fs::create_directory(folder_ / "examples/more.json");
  fs::create_directory_symlink("examples", folder_ / "warnings");
  EXPECT_THAT(refused(), testing::UnorderedElementsAre("schemas/loop#", "refusals/gone.json#", "warnings.json#",
                                                       "examples/more.json#", "warnings#"));
}

TEST_F(FolderOfAProfile, NamesAFolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(folder_ / "refusals", fs::perms::none);
  EXPECT_THAT(refused(), ElementsAre("refusals/#"));
  fs::permissions(folder_ / "refusals", fs::perms::owner_all);
}

TEST(Folder, IsRefusedWhereItIsNone) {
  EXPECT_EQ(read_folder("/no/such/folder").error().code, base::ErrorCode::NOT_FOUND);
  EXPECT_EQ(read_folder("/dev/null").error().code, base::ErrorCode::NOT_FOUND);
}

TEST(Lint, MissesNoFileThatNothingUses) {
  Files files = kitchen();
  files["schemas/menu.schema.json"] =
      R"({"$id": "https://parley.dev/profiles/kitchen/2/menu.schema.json", "title": "m", "description": "m"})";
  EXPECT_THAT(defects(files), ElementsAre("schemas/menu.schema.json# schema_files"));
}

}  // namespace
}  // namespace parley::profile
