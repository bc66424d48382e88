// The task table (spec/machines/task.json): an assigner, two assignees, two tasks; every message of the table by every
// agent, in time, late, to the wrong one and of an older assignment; removals, and an assigner that comes back as
// another; a crash and time at any step. INV-1 to INV-13 of docs/internals/invariants.md.
//
// Two states are one where they differ only in what no later step can tell apart: absolute times (what is left counts;
// how long a task has been active, only up to when progress is due), offsets and ids of messages (assignments go by
// their number), mail (nothing of a task hangs on it but the steps in which a removed agent's goes), what is left of
// tasks that are over for good.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explorer.hpp"
#include "task/said.hpp"
#include "task/scope.hpp"
#include "world.hpp"

namespace parley::models::task_model {

using engine::Task;
using machine::task::Guard;
using machine::task::Move;
using machine::task::Party;

class TaskModel {
 public:
  using Node = Saved;

  TaskModel(const Scope& scope, Planted planted);

  Node first();
  Arrival first_arrival();
  const std::optional<Broken>& broken() const { return findings_.first(); }
  bool replays(const Node& node, const std::vector<std::string>& trails);

  template <class Reached>
  void expand(const Node& node, bool time_only, Reached reached) {
    node_ = &node;
    world_.load(node);
    findings_.at({});
    world_.check(node, findings_);
    check_owners();
    const Views before = views();
    const auto back = [&] { world_.load(node); };
    const Arrive arrive = [&](const std::string& step, bool by_time) {
      reached(arrival(step, by_time), [&] { return world_.save(); });
      back();
    };

    let_time_go_on(before, arrive);
    if (time_only) return;
    for (const Said& said : everything_to_say()) {
      if (!ask(said, before)) continue;
      if (!in_scope(said, before)) continue;
      make(said, before);
      arrive(text_of(said), false);
    }
    compare_legal_next();
    if (scope_.limited) decide_reviews(before, arrive);
    if (scope_.offers) take_offers_back(before, arrive);
    come_and_go(before, arrive);
    crash(before, arrive);
  }

 private:
  // A step was made: the search goes on from where the world stands now. `by_time`: nobody made it.
  using Arrive = std::function<void(const std::string& step, bool by_time)>;

  // What there is (model.cpp).
  void enrol(const Cast& one);
  View view_of(const Task& task) const;
  const Task* find(const std::string& id) const;
  Views views() const;
  std::vector<AgentNumber> present() const;
  const std::string& first_other(AgentNumber agent) const;
  const std::string& name_of(AgentNumber agent) const;
  Offset offset_of(const std::string& id) const;
  std::size_t reviews_of(const std::string& id) const;
  std::vector<Offset> offers_of(const std::string& task) const;
  AgentNumber receiver_of(Offset message) const;

  // What makes two states one (key.cpp).
  Arrival arrival(const std::string& step, bool by_time) const;
  std::string key() const;
  void add_offer(const Task& task, Key& key) const;
  void add_reviews(const Task& task, Key& key) const;
  void add_watch(const Task& task, Key& key) const;

  // What may be said (to_say.cpp).
  std::vector<Said> everything_to_say() const;
  void add_offers(const std::string& id, AgentNumber sender, const Task* task, std::vector<Said>& all) const;
  std::vector<std::string> who_hears(AgentNumber sender, AgentNumber whom) const;
  static std::string text_of(const Said& said);
  bool in_scope(const Said& said, const Views& before) const;

  // One message (message.cpp).
  base::Result<engine::Accepted> decide(const Said& said);
  void write_offer(const Said& said, envelope::Envelope& envelope) const;
  void write_answer(const Said& said, envelope::Envelope& envelope) const;
  bool could_be_legal(const Said& said, const View& task) const;
  bool ask(const Said& said, const Views& before);
  void compare_legal_next();
  void make(const Said& said, const Views& before);
  bool answers_newest(const Said& said, const View& task) const;

  // What must have come of it (judge.cpp).
  void judge(const Said& said, const Views& before);
  void judge_offer(const Said& said, const View& was, const View& is);
  const Move* row_of(const Said& said, const View& was) const;
  void check_owners();

  // What people decide (decisions.cpp).
  void add_people();
  void decide_reviews(const Views& before, const Arrive& arrive);
  bool asked_by(Offset approval, std::string_view id) const;
  void decide_review(Offset offset, base::PersonNumber person, engine::Decision decision, bool entitled,
                     const Views& before, const Arrive& arrive);

  // Faults of ours (faults.cpp).
  bool smuggled(const Said& said, const Views& before) const;
  void smuggle(Said said);
  void alter(event::Event& event) const;
  void alter_offer(event::MessageAccepted& message) const;

  // Offers that are taken back (taken_back.cpp).
  void take_offers_back(const Views& before, const Arrive& arrive);
  static event::MessageAccepted was_of(Offset task, const Task& of_task);
  void rescind(const std::string& id, Offset offer, const std::string& what, const Views& before, const Arrive& arrive);
  void supersede(const std::string& id, Offset offer, const std::string& what, const Views& before,
                 const Arrive& arrive);
  void judge_taken_back(const std::string& id, Offset offer, const Views& before, const Arrive& arrive,
                        const std::string& step);

  // What nobody says (unsaid.cpp).
  void let_time_go_on(const Views& before, const Arrive& arrive);
  void check_server_move(const View& was, const View& is);
  void come_and_go(const Views& before, const Arrive& arrive);
  void crash(const Views& before, const Arrive& arrive);
  void check_unmoved(const Views& before);

  // What an agent was told about a task in one state, and what is so.
  struct Chances {
    std::set<std::string> accepted, possible;
    std::vector<std::pair<std::string, std::set<std::string>>> told;
  };

  const Scope scope_;
  const Planted planted_;
  profile::Ruleset rules_;
  World world_;
  Findings findings_;
  const Node* node_ = nullptr;  // that is expanded
  std::map<std::pair<AgentNumber, std::string>, Chances> chances_;
};

}  // namespace parley::models::task_model
