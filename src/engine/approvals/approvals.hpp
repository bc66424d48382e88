// Approvals: what humans are asked to decide (SUP-05), by the message that asked. Those that wait, and the newest of
// those that ended, so that a second decision is told what the first was. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/by_agent.hpp"
#include "engine/messages/message.hpp"
#include "engine/newest.hpp"
#include "machine/approval.hpp"

namespace parley::engine {

using base::PersonNumber;

enum class Decision : std::uint8_t { approve, reject, modify };  // numbers are journaled
inline constexpr std::array<std::string_view, 3> decision_names{"approve", "reject", "modify"};
constexpr std::uint32_t set_of(Decision decision) {
  return std::uint32_t{1} << static_cast<unsigned>(decision);
}

// A decision that was refused, lately: the same is not recorded again at once (D11).
struct RefusedDecision {
  AgentNumber agent;  // who tried; both 0: the admin
  PersonNumber person;
  std::string code;
  Instant at;

  template <class Archive>
  void archive(Archive& a) {
    a(agent, person, code, at);
  }
};

struct Approval {
  using State = machine::approval::State;

  base::PackedText id;  // of the message that asked
  AgentNumber asker;    // its sender; 0: the server
  std::string task;
  std::string subject;
  std::string why;                     // a human must decide; empty: the message says it
  bool holds = false;                  // the message: it reaches nobody before (held.hpp),
  bool order = false;                  // and is an assignment: no task before
  Instant outlived_at{};               // what it is about is over: it is withdrawn with the next turn; 0: it is not
  std::vector<std::string> approvers;  // the people named
  std::uint32_t offered = 0;           // a set of decisions; 0: all
  base::Duration timeout{};
  Instant opened_at, due;
  State state = State::none;
  Position position;              // of the message's record: what is decided is its body,
  base::Digest shown{};           // and this its SHA-256
  std::vector<AgentNumber> told;  // to whom the message went, the first few
  Offset part_of;                 // the task that its message is to be a part of (COL-16); 0: of none
  Offset supersedes;              // the message that stands until this one is released, and is taken back then; 0: none
  PersonNumber decided_by;        // 0: time
  Instant ended_at;
  Position end;  // of the record of its end
  std::vector<RefusedDecision> refused;

  bool waits() const { return !machine::approval::is_over(state); }
  bool let_through() const { return state == State::approved || state == State::modified; }
  bool outlived() const { return outlived_at != Instant{}; }
  Instant look_at() const { return outlived() ? outlived_at : due; }

  template <class Archive>
  void archive(Archive& a) {
    a(id, asker, task, subject, why, holds, order, outlived_at, approvers, offered, timeout, opened_at, due, state,
      position, shown, told);
    a(part_of, supersedes, decided_by, ended_at, end, refused);
  }
};

class Approvals {
 public:
  std::size_t waiting() const { return all_.size() - ended_.size(); }
  std::size_t waiting(AgentNumber asker) const { return by_asker_.of(asker); }
  const absl::btree_map<Offset, Approval>& all() const { return all_; }
  const Approval* find(Offset offset) const;
  Approval& at(Offset offset);
  // The newest of this id; one that waits, where one does.
  std::optional<Offset> find(std::string_view id) const;

  // Those that wait, of messages that are to take the place of this one.
  std::vector<Offset> to_supersede(Offset message) const;

  void add(Offset offset, Approval approval);
  // It waits no longer. Of those that ended the newest `kept` stay.
  void end(Offset offset, std::size_t kept);

  template <class Archive>
  void archive(Archive& a) {
    a(all_, ended_);
    if constexpr (Archive::loads)
      for (const auto& [offset, approval] : all_) index(offset, approval);
  }

 private:
  void index(Offset offset, const Approval& approval);
  void forget(Offset offset);

  absl::btree_map<Offset, Approval> all_;
  std::deque<Offset> ended_;  // in the order they ended
  Newest<IdKey> by_id_;
  CountsByAgent by_asker_;  // how many wait
  absl::btree_set<std::pair<Offset, Offset>> by_superseded_;
};

}  // namespace parley::engine
