// Every example of every profile, sent by its own sender and taken by its own recipients: the same bytes (R4), once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "api.hpp"
#include "base/clock.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

namespace fs = std::filesystem;

// What cannot be accepted as it stands, and what is said of it. Routes by action and people who send come later.
const std::map<std::string, std::string> refused = {
    {"mesh/request.auto", "RECIPIENT_UNKNOWN"},
};

struct Example {
  std::string name;  // "collab/abort"
  std::string bytes;
  std::string sender;
};

// Every time in the text, moved so that the message is of now: what lies between them stays.
std::string moved_to_now(const std::string& text, std::string_view sent_at) {
  const base::Duration by = base::SystemClock().wall() - base::parse_rfc3339(sent_at).value();
  static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
  std::string moved;
  std::string::const_iterator at = text.begin();
  for (auto found = std::sregex_iterator(text.begin(), text.end(), time); found != std::sregex_iterator(); ++found) {
    moved.append(at, text.begin() + found->position());
    moved += base::to_rfc3339(base::parse_rfc3339(found->str()).value() + by);
    at = text.begin() + found->position() + found->length();
  }
  moved.append(at, text.end());
  while (moved.ends_with('\n')) moved.pop_back();  // white space around it is not of the message
  return moved;
}

std::string_view sender_of(json::Value message) {
  for (const std::string_view place : {"/from_agent/agent_id", "/from_agent", "/sender", "/from", "/sender/agent_id"})
    if (const auto text = message.at_pointer(place).if_string()) return *text;
  return {};
}

std::vector<Example> examples_of(const std::string& profile) {
  std::vector<Example> examples;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source_folder() + "/spec/profiles/" + profile + "/examples"))
    if (entry.is_regular_file() && entry.path().filename() != "agents.json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string text = read_file(file);
    const auto document = json::Document::parse(text).value();
    const std::string sent_at(document.root().find("timestamp").if_string().value_or(""));
    EXPECT_NE(sent_at, "") << file;
    examples.push_back(
        {profile + '/' + file.stem().string(), moved_to_now(text, sent_at), std::string(sender_of(document.root()))});
    EXPECT_NE(examples.back().sender, "") << file;
  }
  // Work first: some report later that they take no more for a while (HND-05).
  std::stable_partition(examples.begin(), examples.end(),
                        [](const Example& example) { return example.name.contains("ASSIGNMENT"); });
  return examples;
}

struct Team {
  std::string workspace;
  std::map<std::string, std::string> tokens;  // of agents
  std::set<std::string> people;
};

Team make_team(const Server& server, const std::string& profile, const std::string& name) {
  // Lenient: examples come in any order, and what is out of its task's sequence is accepted with that defect (R5).
  Team team{make_workspace(server, name, R"(,"validation":"lenient","profiles":[")" + profile + "\"]"), {}, {}};
  const std::string text = read_file(source_folder() + "/spec/profiles/" + profile + "/examples/agents.json");
  const auto registry = json::Document::parse(text).value();
  for (const json::Value agent : registry.root().find("agents").elements()) {
    std::string body;
    json::Writer writer(body);
    writer.begin_object();
    for (const auto [key, value] : agent.members()) writer.key(key).value(value);
    writer.member("profile", profile).end_object();
    const Answer made = post(server, team.workspace + "/agents", server.admin(), body);
    EXPECT_EQ(made.status, 201) << made.body;
    team.tokens[std::string(agent.find("agent_id").as_string())] = made.text("/token");
  }
  for (const json::Value person : registry.root().find("people").elements()) {
    EXPECT_EQ(post(server, team.workspace + "/people", server.admin(), json::to_text(person)).status, 201);
    team.people.emplace(person.find("person_id").as_string());
  }
  return team;
}

bool is_private(const Example& example) {
  return example.bytes.find("PRIVATE_TO_MODERATORS") != std::string::npos;
}

// offset → the bytes that were accepted there, and for how many.
struct Accepted {
  std::map<std::uint64_t, const Example*> by_offset;
  int others = 0;  // refused, or of those who do not send here
};

// Whatever `taken` delivers must be the bytes that were sent; each taken once.
void compare(const json::Value deliveries, std::string_view text, const Accepted& accepted,
             std::map<std::uint64_t, int>& got) {
  for (const json::Value delivery : deliveries.elements()) {
    const std::uint64_t offset = delivery.find("offset").if_uint().value_or(0);
    if (delivery.find("origin")) continue;  // the server's own words
    ++got[offset];
    ASSERT_TRUE(accepted.by_offset.contains(offset)) << offset;
    const Example& sent = *accepted.by_offset.at(offset);
    EXPECT_NE(text.find("\"message\":" + sent.bytes + ",\"warnings\":["), std::string_view::npos) << sent.name;
  }
}

// Their ids, as the elements of an array. R20: at most once asks for no ack.
std::string to_be_acked(json::Value deliveries) {
  std::string ids;
  for (const json::Value delivery : deliveries.elements())
    if (delivery.find("lease_until"))
      ids += (ids.empty() ? "\"" : ",\"") + std::string(delivery.find("delivery_id").as_string()) + '"';
  return ids;
}

int all_of(const std::map<std::uint64_t, int>& got) {
  int all = 0;
  for (const auto& [offset, times] : got) all += times;
  return all;
}

struct Profiles : testing::TestWithParam<std::string> {
  static inline std::unique_ptr<Server> server;
  static void SetUpTestSuite() { server = std::make_unique<Server>(); }
  static void TearDownTestSuite() { server.reset(); }

  // How many deliveries there must be for what was accepted: by the receipts.
  static int expected_deliveries(const Team& team, const Accepted& accepted) {
    int expected = 0;
    for (const auto& [offset, example] : accepted.by_offset) {
      const Answer item = get(*server, team.workspace + "/log?max=1&from=" + std::to_string(offset), server->admin());
      if (item.root().at_pointer("/items/0/private")) {
        EXPECT_TRUE(is_private(*example)) << example->name;
        continue;
      }
      if (item.root().at_pointer("/items/0/held")) continue;  // until a human decides
      const json::Value to = item.root().at_pointer("/items/0/to");
      expected +=
          to.element(0).if_string() == "*" ? static_cast<int>(team.tokens.size()) - 1 : static_cast<int>(to.size());
    }
    return expected;
  }
};

// COL-02, PIP-02, HND-01, SUP-02, SUP-03, MSH-01, COR-07
TEST_P(Profiles, Examples_arrive_byte_for_byte_over_HTTP) {
  const std::string profile = GetParam();
  const Team team = make_team(*server, profile, profile + "-http");
  const std::vector<Example> examples = examples_of(profile);
  ASSERT_GT(examples.size(), 10u);
  Accepted accepted;
  for (const Example& example : examples) {
    if (team.people.contains(example.sender) || example.sender == "parley") {
      ++accepted.others;
      continue;
    }
    ASSERT_TRUE(team.tokens.contains(example.sender)) << example.name << ' ' << example.sender;
    const Answer sent = post(*server, team.workspace + "/messages", team.tokens.at(example.sender), example.bytes);
    if (const auto why = refused.find(example.name); why != refused.end()) {
      EXPECT_EQ(sent.code(), why->second) << example.name;
      ++accepted.others;
      continue;
    }
    EXPECT_EQ(sent.status, 202) << example.name << ' ' << sent.body;
    accepted.by_offset[sent.number("/offset")] = &example;
  }
  EXPECT_EQ(accepted.by_offset.size() + static_cast<std::size_t>(accepted.others), examples.size());

  const int expected = expected_deliveries(team, accepted);
  std::map<std::uint64_t, int> got;
  for (const auto& [agent, token] : team.tokens) {
    const std::string inbox = team.workspace + "/agents/" + agent + "/inbox";
    while (true) {
      const Answer taken = post(*server, inbox + "/take", token, R"({"max":3})");
      const json::Value deliveries = taken.root().find("deliveries");
      if (deliveries.size() == 0) break;
      compare(deliveries, taken.body, accepted, got);
      const std::string ids = to_be_acked(deliveries);
      if (ids.empty()) continue;
      EXPECT_EQ(post(*server, inbox + "/ack", token, "{\"delivery_ids\":[" + ids + "]}").status, 200);
    }
    EXPECT_EQ(get(*server, inbox, token).root().find("items").size(), 0u);
  }
  EXPECT_EQ(all_of(got), expected);
}

using Sockets = std::map<std::string, std::unique_ptr<Socket>>;  // by agent

// All that this agent says, in one frame.
void send_all(Socket& socket, std::uint64_t id, const std::string& agent, const std::vector<Example>& examples,
              Accepted& accepted) {
  std::string messages;
  std::vector<const Example*> of_frame;
  for (const Example& example : examples)
    if (example.sender == agent) {
      messages += (messages.empty() ? "" : " , ") + example.bytes;
      of_frame.push_back(&example);
    }
  socket.send("{\"op\":\"send\",\"id\":" + std::to_string(id) + ",\"messages\":[" + messages + "]}");
  const auto text = socket.next();
  ASSERT_TRUE(text);
  const auto result = json::Document::parse(*text).value();
  ASSERT_EQ(result.root().find("results").size(), of_frame.size()) << *text;
  std::size_t i = 0;
  for (const json::Value one : result.root().find("results").elements()) {
    const Example& example = *of_frame[i++];
    if (const auto why = refused.find(example.name); why != refused.end())
      EXPECT_EQ(one.at_pointer("/error/code").if_string(), why->second);
    else
      EXPECT_EQ(one.find("status").if_string(), "accepted") << example.name << ' ' << json::to_text(one);
    if (const auto offset = one.find("offset").if_uint()) accepted.by_offset[*offset] = &example;
  }
}

// With credit for five at a time, each acked; `waiting` must come, and then nothing more.
void read_all(Socket& socket, std::size_t waiting, const Accepted& accepted, std::map<std::uint64_t, int>& got) {
  socket.send(R"({"op":"credit","id":90,"n":5})");
  std::uint64_t ack = 100;
  // Once all that was waiting has come: would more come?
  while (const auto text = socket.next(std::chrono::milliseconds(waiting > 0 ? 10'000 : 50))) {
    const auto frame = json::Document::parse(*text).value();
    if (frame.root().find("op").if_string() != "deliver") {
      EXPECT_EQ(text->find("\"error\""), std::string::npos) << *text;
      EXPECT_EQ(text->find("superseded"), std::string::npos) << *text;
      continue;
    }
    const json::Value deliveries = frame.root().find("deliveries");
    compare(deliveries, *text, accepted, got);
    waiting -= std::min<std::size_t>(waiting, deliveries.size());
    const std::string ids = to_be_acked(deliveries);
    if (!ids.empty())
      socket.send("{\"op\":\"ack\",\"id\":" + std::to_string(++ack) + ",\"delivery_ids\":[" + ids + "]}");
  }
}

// MSH-12, COR-07
TEST_P(Profiles, Examples_arrive_byte_for_byte_over_WebSocket) {
  const std::string profile = GetParam();
  const Team team = make_team(*server, profile, profile + "-stream");
  const std::vector<Example> examples = examples_of(profile);
  Sockets sockets;
  for (const auto& [agent, token] : team.tokens) {
    auto& socket = sockets[agent] = std::make_unique<Socket>(server->port(), team.workspace + "/stream");
    socket->send(R"({"id":1,"op":"hello","credit":0,"agent_id":")" + agent + R"(","token":")" + token + "\"}");
    const auto welcome = socket->next();
    ASSERT_TRUE(welcome && welcome->starts_with(R"({"op":"welcome","re":1,"session":")")) << welcome.value_or("");
  }
  Accepted accepted;
  std::uint64_t id = 1;
  for (const auto& [agent, socket] : sockets) {
    send_all(*socket, ++id, agent, examples, accepted);
    ASSERT_FALSE(HasFatalFailure());
  }

  const int expected = expected_deliveries(team, accepted);
  std::map<std::uint64_t, int> got;
  for (const auto& [agent, socket] : sockets) {
    const auto waiting = [&] {
      const std::string inbox = team.workspace + "/agents/" + agent + "/inbox";
      return get(*server, inbox, team.tokens.at(agent)).root().find("items").size();
    };
    read_all(*socket, waiting(), accepted, got);
    EXPECT_EQ(waiting(), 0u) << agent;
  }
  EXPECT_EQ(all_of(got), expected);
}

INSTANTIATE_TEST_SUITE_P(Of, Profiles, testing::Values("collab", "handoff", "mesh", "pipeline", "supervisor"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace parley::e2e
