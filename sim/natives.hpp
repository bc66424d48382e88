// Native messages for the clients to send: the profiles' own examples with fresh ids and times, and such as must be
// refused. Value types; the examples are read once.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "json/parser.hpp"
#include "sim/dice.hpp"

namespace parley::sim {

// An agent as a profile's examples/agents.json has it.
struct CastMember {
  std::string profile;
  std::string agent_id;
  std::string registration;  // JSON, the body of POST …/agents
};

// Where a profile keeps what the simulator varies; empty: it has no such place.
struct Places {
  std::string id, timestamp, recipients, task, type, expiry, reply_to;
  enum class Expiry { none, seconds, milliseconds, instant } expiry_is = Expiry::none;
  std::string broadcast_word;
};

struct Example {
  std::string profile;
  std::string name;    // "task_progress.json"
  std::string sender;  // of the cast
  json::Document document;
};

enum class Defect { none, type, sender, recipient, timestamp };

struct Wish {
  std::string id;
  base::Instant now{};
  std::optional<base::Duration> lives;  // else as in the example
  std::vector<std::string> recipients;  // else as in the example
  bool broadcast = false;
  std::string task;      // else as in the example
  std::string reply_to;  // likewise
  Defect defect = Defect::none;
  bool spaced = false;                                    // the same JSON value in other bytes
  std::map<std::string, std::string, std::less<>> edits;  // besides: pointer → JSON text instead; empty: left out
};

class Natives {
 public:
  Natives();

  const std::vector<CastMember>& cast() const { return cast_; }
  const std::vector<Example>& examples() const { return examples_; }
  std::size_t example_named(std::string_view profile, std::string_view name) const;
  const Places& places(std::string_view profile) const { return places_.find(profile)->second; }

  bool may_expire(const Example& example) const;
  bool is_free(const Example& example) const;  // anyone may write to anyone, about any task
  std::string fresh_id(const Example& example, base::Instant now, Dice& dice) const {
    return fresh_id(example.profile, example.sender, now, dice);
  }
  std::string fresh_id(std::string_view profile, std::string_view sender, base::Instant now, Dice& dice) const;
  std::string text(const Example& example, const Wish& wish) const;

 private:
  void add_profile(const std::string& name);

  std::vector<CastMember> cast_;
  std::vector<Example> examples_;
  std::map<std::string, Places, std::less<>> places_;
};

}  // namespace parley::sim
