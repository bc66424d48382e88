// A broker over a journal that the test chooses, with one workspace "team" and two mesh agents: for tests.
#pragma once
#include <memory>
#include <string>

#include "base/test_clock.hpp"
#include "broker/broker.hpp"
#include "json/parser.hpp"
#include "profile/rulesets.hpp"

namespace parley::broker {

struct TestBench {
  template <class Run>
  static base::Result<Answer> call(Run run, const std::string& body) {
    const auto document = json::Document::parse(body);
    return run(document->root());
  }

  explicit TestBench(std::unique_ptr<journal::Journal> j, const Options& options = {.cache_bytes = 1 << 20})
      : journal(std::move(j)),
        broker({clock, random, *journal, [this](std::string_view name) { return rulesets.find(name).get(); }},
               options) {
    (void)broker.start();
    admin.kind = Caller::Kind::admin;
    create("team");
    a = enrol("a");
    b = enrol("b");
  }

  void create(const std::string& workspace) {
    call([&](json::Value body) { return broker.port().registry.create_workspace(admin, body); },
         R"({"name": ")" + workspace + R"("})");
  }

  Caller enrol(const std::string& id, const std::string& workspace = "team", const std::string& profile = "mesh") {
    const auto answer =
        call([&](json::Value body) { return broker.port().registry.register_agent(admin, workspace, body); },
             R"({"agent_id": ")" + id + R"(", "profile": ")" + profile + R"("})");
    const auto document = json::Document::parse(answer->json);
    return *broker.caller_of(document->root().find("token").as_string());
  }

  base::Result<Answer> unlimited(const std::string& workspace = "team") {
    return call([&](json::Value body) { return broker.port().registry.change_workspace(admin, workspace, body); },
                R"({"settings": {"rate_messages": 0, "open_requests": 1000000}})");
  }

  // A request, as it comes.
  std::string request(const Caller& sender, std::size_t text_bytes, const std::string& to) {
    const std::string id = std::to_string(1'000'000'000'000 + ++sent).substr(1);
    return R"({"id":"00000000-0000-4000-8000-)" + id + R"(","from":")" + sender.id + R"(","to":")" + to +
           R"(","timestamp":")" + base::to_rfc3339(clock.wall()) +
           R"(","messageType":"request","priority":"normal","content":{"action":"look","parameters":{},"text":")" +
           std::string(text_bytes, 'x') + R"("}})";
  }

  // A request from a.
  base::Result<Sent> send(std::size_t text_bytes = 10, const std::string& to = "b") { return send(a, text_bytes, to); }
  base::Result<Sent> send(const Caller& sender, std::size_t text_bytes = 10, const std::string& to = "b",
                          const SendOptions& options = {}) {
    const std::string bytes = request(sender, text_bytes, to);
    const auto document = json::Document::parse(bytes);
    return broker.port().messages.send(sender, sender.workspace, {bytes, document->root()}, {}, &options);
  }

  base::TestClock clock;
  base::TestRandom random;
  profile::Rulesets rulesets = profile::built_in();
  std::unique_ptr<journal::Journal> journal;
  Broker broker;
  Caller admin, a, b;
  std::uint64_t sent = 0;
};

}  // namespace parley::broker
