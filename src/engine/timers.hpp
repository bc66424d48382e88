// What is to be looked at, and when. Value types, part of the engine's state.
//
// Each kind has a set of its own: timers of one kind come behind those before them and leave in front of them as a
// rule, and are searched for only where they do not. All together they are in one order.
#pragma once
#include <absl/container/btree_set.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace parley::engine {

enum class TimerKind : std::uint8_t {
  lease_ends,
  backoff_ends,
  message_expires,
  request_times_out,
  task_due,
  approval_times_out,
  health_is_looked_at,
  review_times_out,
  help_due,
  request_asks_again,
};
inline constexpr std::size_t timer_kinds = 10;

struct Timer {
  base::Instant due;
  TimerKind kind{};
  base::WorkspaceNumber workspace;
  base::AgentNumber agent;  // 0 where it is the message's alone
  base::Offset message;     // or of the task's first assignment
  friend auto operator<=>(const Timer&, const Timer&) = default;

  template <class Archive>
  void archive(Archive& a) {
    a(due, kind, workspace, agent, message);
  }
};

class Timers {
 public:
  void insert(const Timer& timer);
  void erase(const Timer& timer);
  bool contains(const Timer& timer) const { return of(timer.kind).contains(timer); }
  std::size_t size() const;
  std::optional<base::Instant> first_due() const;

  // In their order, while `visit(timer)` says true. It may change none.
  template <class Visit>
  void visit(Visit visit) const {
    std::array<Set::const_iterator, timer_kinds> next;
    for (std::size_t kind = 0; kind < timer_kinds; ++kind) next[kind] = sets_[kind].begin();
    for (;;) {
      std::optional<std::size_t> first;
      for (std::size_t kind = 0; kind < timer_kinds; ++kind)
        if (next[kind] != sets_[kind].end() && (!first || *next[kind] < *next[*first])) first = kind;
      if (!first || !visit(*next[*first])) return;
      ++next[*first];
    }
  }

  template <class Archive>
  void archive(Archive& a) {
    std::uint64_t count = size();
    a(count);
    if constexpr (Archive::loads) {
      for (; count > 0 && a.good(); --count) {
        Timer timer;
        a(timer);
        if (a.good() && static_cast<std::size_t>(timer.kind) < timer_kinds) insert(timer);
      }
    } else {
      visit([&a](Timer timer) {
        a(timer);
        return a.good();
      });
    }
  }

 private:
  using Set = absl::btree_set<Timer>;
  Set& of(TimerKind kind) { return sets_.at(static_cast<std::size_t>(kind)); }
  const Set& of(TimerKind kind) const { return sets_.at(static_cast<std::size_t>(kind)); }

  std::array<Set, timer_kinds> sets_;
};

}  // namespace parley::engine
