// Errors whose agents wait until it is decided what becomes of them (PIP-11; spec/machines/error_case.json). The
// undecided ones only; what became of the others is in the log. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <string>
#include <vector>

#include "base/packed_text.hpp"
#include "engine/by_agent.hpp"
#include "engine/messages/message.hpp"
#include "machine/error_case.hpp"

namespace parley::engine {

using ErrorState = machine::error_case::State;

// What an error makes of its agent and of its workspace meanwhile, in its profile's words.
struct ErrorWords {
  std::string status;   // of the agent
  std::string blocked;  // of the workspace; empty: it blocks nothing

  template <class Archive>
  void archive(Archive& a) {
    a(status, blocked);
  }
};

struct PassedOn {
  Offset message;  // by this one
  ErrorWords words;

  template <class Archive>
  void archive(Archive& a) {
    a(message, words);
  }
};

struct ErrorCase {
  AgentNumber agent;    // whose it is
  base::PackedText id;  // of the message that reported it
  std::string task, code, severity, text;
  ErrorWords reported;                   // by its agent
  std::vector<PassedOn> passed_on = {};  // by others, a few, and what blocks before others
  Instant at;

  // Whoever passes it on may know that nothing goes on before it is decided.
  const ErrorWords& words() const;
  bool blocks() const { return !words().blocked.empty(); }

  template <class Archive>
  void archive(Archive& a) {
    a(agent, id, task, code, severity, text, reported, passed_on, at);
  }
};

class ErrorCases {
 public:
  static constexpr std::size_t most = 10'000, most_of_one = 100;  // D11

  const absl::btree_map<Offset, ErrorCase>& all() const { return all_; }
  const absl::btree_set<Offset>& blocking() const { return blocking_; }
  const ErrorCase* find(Offset offset) const;
  const absl::btree_set<Offset>& of(AgentNumber agent) const { return by_agent_.of(agent); }
  // One id may be of several: the same error told to several agents, each in a message of its own (R7), and errors of
  // other agents that took the same id.
  std::vector<Offset> find(std::string_view id) const;
  // Those of them that are this agent's.
  std::vector<Offset> find(std::string_view id, AgentNumber agent) const;

  void add(Offset offset, ErrorCase error);
  void pass_on(Offset offset, PassedOn by);
  // What the message says of errors that it passes on: nothing any more.
  void take_back(Offset message);
  // The messages that pass nothing on any more.
  std::vector<Offset> close(Offset offset);

  template <class Archive>
  void archive(Archive& a) {
    a(all_);
    if constexpr (Archive::loads)
      for (const auto& [offset, error] : all_) index(offset, error);
  }

 private:
  struct Named {
    IdKey id;
    AgentNumber agent;
    Offset offset;
    auto operator<=>(const Named&) const = default;
  };

  void index(Offset offset, const ErrorCase& error);
  bool has_room(Offset offset, ErrorCase& error, const PassedOn& by);
  void note_blocking(Offset offset, const ErrorCase& error);

  absl::btree_map<Offset, ErrorCase> all_;
  OffsetsByAgent by_agent_;
  absl::btree_set<Named> by_id_;
  absl::btree_set<Offset> blocking_;
  absl::btree_set<std::pair<Offset, Offset>> passed_on_;  // a message, and an error that it passes on
};

// That decides which status an agent has: the first that blocks, else the first.
inline const ErrorCase& foremost(const ErrorCases& errors, const absl::btree_set<Offset>& of_agent) {
  for (const Offset offset : of_agent)
    if (errors.blocking().contains(offset)) return *errors.find(offset);
  return *errors.find(*of_agent.begin());
}

}  // namespace parley::engine
