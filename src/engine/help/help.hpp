// Requests for help (HND-04; spec/machines/help.json), by the message that asks: who asks, who is asked now and who was
// before, what was answered. Open ones, and the newest of those that are over. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/by_agent.hpp"
#include "engine/messages/message.hpp"
#include "engine/newest.hpp"
#include "engine/requests/about.hpp"
#include "machine/help.hpp"

namespace parley::engine {

using HelpState = machine::help::State;

struct HelpAnswer {
  Offset message;
  Position position;  // of its record: its words, and the resources it names
  AgentNumber helper;

  template <class Archive>
  void archive(Archive& a) {
    a(message, position, helper);
  }
};

struct Help {
  base::PackedText id;  // of the message that asks
  std::string task;
  AgentNumber asker;
  std::string subject;  // what is asked for, and the capability that it takes
  HelpState state = HelpState::none;
  std::vector<AgentNumber> helpers;  // each once; the last is asked now
  std::vector<HelpAnswer> answers;   // the newest few
  Instant asked_at, moved_at;
  Instant deadline;  // 0: none
  Instant due;       // when the server looks at it; 0: never
  About about;

  AgentNumber helper() const { return helpers.back(); }
  bool over() const { return machine::help::is_over(state); }

  template <class Archive>
  void archive(Archive& a) {
    a(id, task, asker, subject, state, helpers, answers, asked_at, moved_at, deadline, due, about);
  }
};

class HelpRequests {
 public:
  using Offsets = OffsetsByAgent::Offsets;

  const absl::btree_map<Offset, Help>& all() const { return all_; }
  const Help* find(Offset offset) const;
  Help& at(Offset offset);
  const Help& at(Offset offset) const;
  std::optional<Offset> find(std::string_view id) const;
  // Those that are not over.
  std::size_t open() const { return all_.size() - over_.size(); }
  const Offsets& of(AgentNumber asker) const { return by_asker_.of(asker); }
  const Offsets& at_helper(AgentNumber helper) const { return by_helper_.of(helper); }

  Help& add(Offset offset, Help help);
  void ask(Offset offset, AgentNumber helper);
  // Of those that are over the newest `kept` stay.
  void end(Offset offset, std::size_t kept);

  template <class Archive>
  void archive(Archive& a) {
    a(all_, over_);
    if constexpr (Archive::loads)
      for (const auto& [offset, help] : all_) {
        by_id_.put(id_key_of(help.id.view()), offset);
        if (help.over()) continue;
        by_asker_.add(help.asker, offset);
        by_helper_.add(help.helper(), offset);
      }
  }

 private:
  void forget(Offset offset);

  absl::btree_map<Offset, Help> all_;
  std::deque<Offset> over_;  // in the order they ended
  Newest<IdKey> by_id_;
  OffsetsByAgent by_asker_, by_helper_;
};

}  // namespace parley::engine
