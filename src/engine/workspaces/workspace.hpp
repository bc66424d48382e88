// One team's world: its settings, its registry, its messages and the ids they are known by (COR-03). Value types.
#pragma once
#include <array>
#include <deque>

#include "engine/approvals/approvals.hpp"
#include "engine/collaborations/collaborations.hpp"
#include "engine/currentness/replacements.hpp"
#include "engine/errors/errors.hpp"
#include "engine/health/settings.hpp"
#include "engine/help/help.hpp"
#include "engine/loops/loops.hpp"
#include "engine/messages/forgotten.hpp"
#include "engine/messages/messages.hpp"
#include "engine/messages/records.hpp"
#include "engine/policy/settings.hpp"
#include "engine/registry/registry.hpp"
#include "engine/requests/requests.hpp"
#include "engine/reviews/reviews.hpp"
#include "engine/runners/runners.hpp"
#include "engine/tasks/dependencies.hpp"
#include "engine/tasks/tasks.hpp"

namespace parley::engine {

// What a workspace may set in place of its profiles' (COL-07, COL-08); 0 watches nothing.
struct TaskTimes {
  std::optional<base::Duration> progress_after, progress_every, silence;

  friend bool operator==(const TaskTimes&, const TaskTimes&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(progress_after, progress_every, silence);
  }
};

// What becomes of a task whose last iteration asks for changes (000 §4.3, R14, R37); numbers are journaled.
enum class Escalation : std::uint8_t { human_review, force_approve, abort };
inline constexpr std::array<std::string_view, 3> escalation_names{"human_review", "force_approve", "abort"};

// What results count as that no runner has signed (BEY-05); numbers are journaled.
enum class UnsignedChecks : std::uint8_t { warn, missing };
inline constexpr std::array<std::string_view, 2> unsigned_checks_names{"warn", "missing"};

struct ReviewSettings {
  std::optional<base::Duration> timeout;  // for a verdict; none: the profile's
  Escalation escalation = Escalation::human_review;
  UnsignedChecks unsigned_checks = UnsignedChecks::warn;  // of custom checks
  bool auto_revision = false;  // the server writes the revision that changes_requested asks for (R12)

  friend bool operator==(const ReviewSettings&, const ReviewSettings&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(timeout, escalation, unsigned_checks, auto_revision);
  }
};

struct Settings {
  bool lenient = false;                      // R5
  std::vector<std::string> profiles;         // allowed here; empty: all
  std::uint32_t mailbox_messages = 100'000;  // D11
  std::uint64_t mailbox_bytes = 256ull << 20;
  std::uint32_t recipients = 10'000;
  std::uint64_t remembered_ids = 10'000'000;  // R8
  base::Duration remembered_for = std::chrono::hours(24);
  base::Duration lease = std::chrono::seconds(30);
  bool refuse_sequence_back = false;           // R9; else a warning
  std::optional<std::uint32_t> rate_messages;  // MSH-15: of one agent; 0: no limit; none: its profile's
  base::Duration rate_window = std::chrono::seconds(60);
  std::uint32_t kept_records = 100'000;   // PIP-03
  std::uint32_t open_requests = 100'000;  // that await their answers (D11)
  std::uint32_t tasks = 100'000;          // that are not over; and as many that are (D11)
  TaskTimes task_times;                   // none: the profile's
  std::uint32_t approvals = 10'000;       // that wait for decisions; and as many more that ended are remembered
  HealthSettings health;
  ReviewSettings reviews;
  LoopSettings loops;
  PolicySettings policy;

  friend bool operator==(const Settings&, const Settings&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(lenient, profiles, mailbox_messages, mailbox_bytes, recipients, remembered_ids, remembered_for, lease);
    a(rate_messages, rate_window, kept_records, open_requests, tasks, task_times, approvals);
    a(health, reviews, loops, policy, refuse_sequence_back);
  }
};

struct Load {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// D11: what a mailbox's bounds hold for. A dead letter keeps its place until it is redriven and done, a held message
// until it is decided: neither is lost, and there is always room for it to come.
inline Load load_of(const Agent& agent) {
  return {agent.open_messages + agent.dead_letters.size() + agent.held_messages,
          agent.open_bytes + agent.dead_bytes + agent.held_bytes};
}
// Whether another message of so many bytes fits into an agent's mailbox, behind what is about to go there, and once
// what is about to leave it has.
inline bool has_room(const Settings& settings, const Agent& agent, std::uint64_t bytes, const Load& before = {},
                     const Load& leaving = {}) {
  const Load load = load_of(agent);
  return load.messages + before.messages < settings.mailbox_messages + leaving.messages &&
         load.bytes + before.bytes + bytes <= settings.mailbox_bytes + leaving.bytes;
}

// Where in the journal a workspace's offset lies: of every so many, and of each that lies far behind the one before, so
// that a reader finds any offset within a few events, however much of other workspaces lies between (D11).
struct Mark {
  Offset offset;
  Position position;

  template <class Archive>
  void archive(Archive& a) {
    a(offset, position);
  }
};
inline constexpr std::uint64_t offsets_per_mark = 256;
inline constexpr std::uint64_t positions_per_mark = 1'024;

constexpr bool wants_mark(const Mark& newest, const Mark& next) {
  return next.offset.value - newest.offset.value >= offsets_per_mark ||
         next.position.value - newest.position.value >= positions_per_mark;
}

struct Workspace {
  std::string name;
  Settings settings;
  Instant created_at;
  Offset head;  // the newest event's

  Registry registry;
  Messages messages;              // open, or still remembered (R8)
  IdIndex ids;                    // of those remembered
  Offset forgotten_through;       // closed messages up to here are gone
  ByName<Forgotten> forgotten;    // by their senders' ids: who registers anew may repeat what was sent before
  std::uint64_t window_size = 0;  // messages after forgotten_through
  std::deque<Mark> marks;
  Records records;
  Requests requests;
  Tasks tasks;
  Dependencies dependencies;
  Approvals approvals;
  Reviews reviews;
  HelpRequests help;
  Collaborations collaborations;
  BudgetTotal budget;
  Links links;
  Replacements replacements;
  ErrorCases errors;
  Runners runners;  // by their ids

  std::optional<Offset> message_of(const IdKey& key) const {
    return ids.find(key, [&](Offset offset) { return messages.at(offset).id_key == key; });
  }

  template <class Archive>
  void archive(Archive& a) {
    a(name, settings, created_at, head, registry, messages, forgotten_through, forgotten, window_size, marks);
    a(records, requests, tasks, dependencies, approvals, reviews, help, collaborations, links, replacements, errors,
      budget, runners);
    if constexpr (Archive::loads) {
      ids.reserve(messages.size());
      messages.visit_after(Offset{}, [&](Offset offset, const Message& message) {
        if (message.remembered) ids.insert(message.id_key, offset);
        return true;
      });
    }
  }
};

}  // namespace parley::engine
