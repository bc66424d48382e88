#include "cli/scenario/part.hpp"

#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "cli/scenario/letter.hpp"
#include "json/writer.hpp"

namespace parley::cli::scenario {
namespace {

constexpr base::Duration a_while = std::chrono::milliseconds(200);
constexpr base::Duration a_moment = std::chrono::milliseconds(20);
constexpr base::Duration part_time = std::chrono::seconds(60);

std::unexpected<base::Error> otherwise(const Step& step, const std::string& what) {
  return base::fail(base::ErrorCode::CONFLICT, what, std::string(step.name));
}

std::string code_of(const base::Error& error) {
  return std::string(base::info(error.code).name);
}

std::unique_ptr<Line> line_of(const Actor& actor, const Calls& calls, const std::string& workspace) {
  return actor.streams ? websocket_line(calls, workspace, actor.name) : http_line(calls, workspace, actor.name);
}

// An agent. Resource type, one thread.
class Agent {
 public:
  Agent(const Story& story, const PartSettings& settings, const Actor& actor, const Calls& calls,
        const PartEvents& events)
      : story_(story), settings_(settings), events_(events), line_(line_of(actor, calls, settings.workspace)) {}

  base::Result<> play() {
    for (const Step& step : story_.steps()) {
      if (step.from == settings_.actor) {
        std::this_thread::sleep_for(settings_.pace);
        PARLEY_CHECK(say(step));
      } else if (step.is_heard_by(settings_.actor)) {
        PARLEY_CHECK(hear(step));
      }
    }
    events_.done();
    while (true) PARLEY_CHECK(listen());
  }

 private:
  base::Result<> say(const Step& step) {
    events_.begins(step);
    base::SystemClock clock;
    PARLEY_TRY(const auto native, letter(story_, step, {clock.wall(), ++said_}));
    const auto outcome = step.refused_first.empty() ? line_->say(native) : say_again_and_again(step, native);
    if (step.refused.empty()) {
      if (outcome && *outcome) events_.answer_lost(step);
      if (outcome) return {};
      return otherwise(step, "refused: " + code_of(outcome.error()) + ": " + outcome.error().message);
    }
    if (outcome) return otherwise(step, "accepted; it was to be refused with " + std::string(step.refused));
    if (code_of(outcome.error()) != step.refused)
      return otherwise(step, "refused with " + code_of(outcome.error()) + ", not " + std::string(step.refused) + ": " +
                                 outcome.error().message);
    events_.refused(step, outcome.error());
    return {};
  }

  base::Result<bool> say_again_and_again(const Step& step, std::string_view native) {
    base::SystemClock clock;
    const auto end = clock.monotonic() + part_time;
    bool was_refused = false;
    while (true) {
      auto outcome = line_->say(native);
      if (outcome && !was_refused)
        return otherwise(step, "accepted at once; it was to be refused with " + std::string(step.refused_first));
      if (outcome || code_of(outcome.error()) != step.refused_first || clock.monotonic() > end) return outcome;
      if (!was_refused) events_.refused(step, outcome.error());
      was_refused = true;
      std::this_thread::sleep_for(a_moment);
    }
  }

  base::Result<> hear(const Step& step) {
    events_.begins(step);
    base::SystemClock clock;
    const auto end = clock.monotonic() + part_time;
    while (true) {
      PARLEY_TRY(const bool heard, has_heard(step));
      if (heard) return {};
      if (clock.monotonic() > end) return otherwise(step, "not heard");
      PARLEY_CHECK(listen());
    }
  }

  base::Result<bool> has_heard(const Step& step) {
    if (step.from != "parley") return messages_.contains(story_.id_of(step.name));
    PARLEY_TRY(const auto text, pattern(story_, step));
    PARLEY_TRY(const auto wanted, json::Document::parse(text));
    for (const auto& [id, message] : server_words_) {
      PARLEY_TRY(const auto document, json::Document::parse(message));
      if (is_like(document.root(), wanted.root())) return true;
    }
    return false;
  }

  base::Result<> listen() {
    return line_->listen(a_while, [this](const Heard& heard) {
      const std::string id(story_.id_in(heard.message));
      if (heard.of_the_server)
        server_words_.emplace(id, json::to_text(heard.message));
      else
        messages_.insert(id);
    });
  }

  const Story& story_;
  const PartSettings& settings_;
  const PartEvents& events_;
  std::unique_ptr<Line> line_;
  std::uint64_t said_ = 0;
  std::set<std::string> messages_;                   // by id; what comes again is the same
  std::map<std::string, std::string> server_words_;  // by id
};

// A person. Resource type, one thread.
class Person {
 public:
  Person(const Story& story, const PartSettings& settings, const Calls& calls, const PartEvents& events)
      : story_(story), settings_(settings), events_(events), client_(calls) {}

  base::Result<> play() {
    for (const Step& step : story_.steps()) {
      if (step.from != settings_.actor) continue;
      events_.begins(step);
      PARLEY_TRY(const auto shown, wait_until_shown(step));
      std::this_thread::sleep_for(settings_.pace);
      PARLEY_CHECK(decide(step, shown));
    }
    events_.done();
    while (true) std::this_thread::sleep_for(a_while);
  }

 private:
  base::Result<json::Document> look(const Step& step) {
    PARLEY_TRY(const auto reply, client_.until_answered([&](sdk::Client& client) { return client.get(path(step)); }));
    return json::Document::parse(reply.body);
  }

  base::Result<std::string> wait_until_shown(const Step& step) {
    base::SystemClock clock;
    const auto end = clock.monotonic() + part_time;
    while (true) {
      const auto approval = look(step);
      if (approval) return std::string(approval->root().find("shown").if_string().value_or(""));
      if (approval.error().code != base::ErrorCode::APPROVAL_UNKNOWN || clock.monotonic() > end)
        return otherwise(step, "nothing to decide: " + approval.error().message);
      std::this_thread::sleep_for(a_moment);
    }
  }

  base::Result<> decide(const Step& step, std::string_view shown) {
    const auto outcome = client_.until_answered(
        [&](sdk::Client& client) { return client.post(path(step) + "/decision", decision(step, shown)); });
    const std::string code = outcome ? "" : code_of(outcome.error());
    if (!step.refused.empty() && code == step.refused) {
      events_.refused(step, outcome.error());
      return {};
    }
    if (step.refused.empty() && outcome) return {};
    if (step.refused.empty() && is_taken(step)) {
      events_.answer_lost(step);
      return {};
    }
    return otherwise(step, outcome ? "taken" : "refused: " + code + ": " + outcome.error().message);
  }

  // A decision is taken once. Of one whose answer was lost the approval itself tells.
  bool is_taken(const Step& step) {
    const auto approval = look(step);
    if (!approval) return false;
    const json::Value taken = approval->root().find("decision");
    return taken.find("decided_by").if_string() == settings_.actor && is_like(taken, step.decision);
  }

  std::string path(const Step& step) const {
    return sdk::path_of(settings_.workspace, {"approvals", story_.id_of(step.decides)});
  }

  const Story& story_;
  const PartSettings& settings_;
  const PartEvents& events_;
  PatientClient client_;
};

}  // namespace

base::Error play(const Story& story, const PartSettings& settings, const Calls& calls, const PartEvents& events) {
  const Actor* const actor = story.actor(settings.actor);
  if (!actor)
    return base::fail(base::ErrorCode::NOT_FOUND, "nobody in this story is \"" + settings.actor + "\"", "--as").error();
  const auto over = actor->is_person ? Person(story, settings, calls, events).play()
                                     : Agent(story, settings, *actor, calls, events).play();
  return over.error();
}

}  // namespace parley::cli::scenario
