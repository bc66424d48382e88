// What tasks may cost and what agents say they cost (HND-12, HND-13), folded from the journal's events by sums of its
// own: nothing is given that is not there, nobody who has spent what it has is given anything, and what is reported is
// counted once.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {

class BudgetChronicle {
 public:
  BudgetChronicle(Findings& findings, const TaskChronicle& tasks) : findings_(findings), tasks_before_(tasks) {}

  // Before the tasks'.
  void fold(const event::Event& event);

 private:
  using Who = std::pair<std::uint32_t, std::uint32_t>;
  struct Limits {
    std::int64_t per_task = 0, per_agent = 0, total = 0;  // millionths, as everything here
  };
  struct Agent {
    std::string profile;
    std::int64_t consumed = 0, reported = 0;
  };
  struct Task {
    std::optional<std::int64_t> allocated;
    std::int64_t consumed = 0;
    std::uint32_t assignee = 0;
    bool open = false;

    std::int64_t left() const { return open && allocated ? std::max<std::int64_t>(*allocated - consumed, 0) : 0; }
    bool overdrawn() const { return open && allocated && consumed > *allocated; }
  };

  void set(std::uint32_t workspace, const event::Settings& settings);
  void fold(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted& message);
  void follow(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted& message);
  void give(const Place& place, const event::TaskMoved& moved, bool counts);
  void count(std::uint32_t workspace, std::uint64_t offset, std::uint32_t sender, const event::ResourceUsed& used);
  std::int64_t given_to(std::uint32_t workspace, std::uint32_t agent) const;  // 0: to all

  Findings& findings_;
  const TaskChronicle& tasks_before_;
  std::map<std::uint32_t, std::optional<Limits>> limits_;
  std::map<Who, Agent> agents_;
  std::map<Place, Task> tasks_;
};

}  // namespace parley::sim
