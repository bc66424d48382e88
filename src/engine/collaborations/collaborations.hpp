// Collaborations (HND-04; spec/machines/collaboration.json), by the message that opened them: who takes part, what for,
// and what was said in them. Open ones, and the newest of those that are closed. Value types, part of the engine's
// state.
#pragma once
#include <absl/container/btree_map.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/messages/message.hpp"
#include "engine/newest.hpp"
#include "machine/collaboration.hpp"

namespace parley::engine {

using CollaborationState = machine::collaboration::State;

// A message between its participants about it.
struct SaidTogether {
  Offset message;
  Position position;  // of its record
  AgentNumber by;

  template <class Archive>
  void archive(Archive& a) {
    a(message, position, by);
  }
};

struct Collaboration {
  base::PackedText id;  // of the message that opened it
  CollaborationState state = CollaborationState::none;
  Offset purpose;               // the request for help that it is about
  base::PackedText purpose_id;  // which may be forgotten before it
  std::string task;
  std::vector<AgentNumber> participants;  // in the order they came
  std::vector<SaidTogether> said;         // the newest few
  std::uint64_t messages = 0;             // how many were said
  Instant opened_at, closed_at;           // 0: it is open
  Offset closed_by;                       // the event that ended it
  std::string why;                        // what its purpose came to by it

  bool is_open() const { return !machine::collaboration::is_over(state); }
  bool has(AgentNumber agent) const { return std::ranges::find(participants, agent) != participants.end(); }

  template <class Archive>
  void archive(Archive& a) {
    a(id, state, purpose, purpose_id, task, participants, said, messages, opened_at, closed_at, closed_by, why);
  }
};

class Collaborations {
 public:
  const absl::btree_map<Offset, Collaboration>& all() const { return all_; }
  const Collaboration& at(Offset offset) const;
  Collaboration& at(Offset offset);
  std::optional<Offset> find(std::string_view id) const;
  // The newest about this request for help.
  std::optional<Offset> about(Offset purpose) const;
  std::size_t open() const { return all_.size() - closed_.size(); }

  void add(Offset offset, Collaboration collaboration);
  // Of those that are closed the newest `kept` stay.
  void close(Offset offset, std::size_t kept);

  template <class Archive>
  void archive(Archive& a) {
    a(all_, closed_);
    if constexpr (Archive::loads)
      for (const auto& [offset, collaboration] : all_) index(offset, collaboration);
  }

 private:
  void index(Offset offset, const Collaboration& collaboration);
  void forget(Offset offset);

  absl::btree_map<Offset, Collaboration> all_;
  std::deque<Offset> closed_;  // in the order they were
  Newest<IdKey> by_id_;
  Newest<Offset> by_purpose_;
};

}  // namespace parley::engine
