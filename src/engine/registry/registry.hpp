// Who is in a workspace: agents and people, their credentials' hashes, each agent's mailbox. Value types.
#pragma once
#include <absl/container/btree_map.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/made.hpp"
#include "engine/health/health.hpp"
#include "engine/mailboxes/mailbox.hpp"
#include "engine/messages/message.hpp"
#include "engine/messages/rate.hpp"
#include "engine/resources/resources.hpp"

namespace parley::engine {

using base::PersonNumber;

// Looked up by string_view, without a copy.
template <class Value>
using ByName = absl::btree_map<std::string, Value, std::less<>>;

struct AgentProperties {
  std::string profile;
  std::string agent_type = {};
  std::string instance_id = {};
  std::vector<std::string> capabilities = {};
  std::string specialty = {};
  std::optional<std::uint32_t> max_load = {};
  std::optional<std::int32_t> priority = {};

  friend bool operator==(const AgentProperties&, const AgentProperties&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(profile, agent_type, instance_id, capabilities, specialty, max_load, priority);
  }
};

// One text for all that was settled with it in one call; none is nullptr.
using SharedText = std::shared_ptr<const std::string>;

// One failed attempt of a message at this agent, for its dead letter (HND-09).
struct Attempt {
  Instant at;
  std::uint32_t epoch = 0;
  std::string what;   // "nacked", "lease ended", "connection lost", "server stopped"
  SharedText reason;  // the agent's own, where it gave one

  template <class Archive>
  void archive(Archive& a) {
    a(at, epoch, what, reason);
  }
};

// The answer to a take, by the taker's own id, so that a repeated take gives the same deliveries.
struct Taken {
  std::string take_id;
  SessionId session;
  std::vector<Offset> offsets;

  template <class Archive>
  void archive(Archive& a) {
    a(take_id, session, offsets);
  }
};

struct DeadLetter {
  Instant at;
  std::string reason;
  std::vector<Attempt> history;

  template <class Archive>
  void archive(Archive& a) {
    a(at, reason, history);
  }
};

// R9: `sequence_number` orders the messages of one (agent_id, instance_id).
struct Sequence {
  std::string instance;
  std::int64_t newest = 0;

  template <class Archive>
  void archive(Archive& a) {
    a(instance, newest);
  }
};

struct Agent {
  std::string id;
  AgentProperties properties;
  Instant registered_at;
  bool removed = false;

  Mailbox mailbox;
  std::uint32_t open_messages = 0;  // queued, leased or waiting
  std::uint64_t open_bytes = 0;
  std::uint32_t held_messages = 0;  // for it, until humans have decided
  std::uint64_t held_bytes = 0;
  std::vector<Taken> takes;                                // the newest few
  absl::btree_map<Offset, std::vector<Attempt>> attempts;  // of open messages that failed at least once
  absl::btree_map<Offset, DeadLetter> dead_letters;
  SentLately sent_lately;            // where a rate holds for it
  std::uint64_t dead_bytes = 0;      // of their messages
  std::vector<Sequence> sequences;   // of its newest few instances (R9)
  std::vector<base::Digest> tokens;  // its credentials, oldest first
  base::Made<Health> health;         // none until there is something to know
  base::Made<Resources> resources;   // likewise
  std::vector<Offset> heard;         // the newest few messages of others that it was given
  Instant spoke_at;                  // its newest message; 0: it has sent none

  template <class Archive>
  void archive(Archive& a) {
    a(id, properties, registered_at, removed, mailbox, open_messages, open_bytes, takes, attempts, dead_letters);
    a(held_messages, held_bytes, sent_lately, dead_bytes, sequences, tokens, health, resources, heard, spoke_at);
  }
};

struct Person {
  std::string id;
  std::vector<std::string> roles;  // maintainer, moderator, approver, observer
  std::string public_key;
  Instant registered_at;
  bool removed = false;
  std::vector<base::Digest> tokens;  // his or her credentials, oldest first

  template <class Archive>
  void archive(Archive& a) {
    a(id, roles, public_key, registered_at, removed, tokens);
  }
};

struct Registry {
  std::vector<std::unique_ptr<Agent>> agents;  // agent number n is element n - 1: numbers are never used again
  std::deque<Person> people;
  ByName<AgentNumber> agents_by_id;  // those not removed
  ByName<PersonNumber> people_by_id;

  Agent& agent(AgentNumber number) { return *agents.at(number.value - 1); }
  const Agent& agent(AgentNumber number) const { return *agents.at(number.value - 1); }
  Person& person(PersonNumber number) { return people.at(number.value - 1); }
  const Person& person(PersonNumber number) const { return people.at(number.value - 1); }
  std::optional<AgentNumber> find_agent(std::string_view id) const;
  std::optional<PersonNumber> find_person(std::string_view id) const;

  template <class Archive>
  void archive(Archive& a) {
    a(agents, people, agents_by_id, people_by_id);
  }
};

}  // namespace parley::engine
