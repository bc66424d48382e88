// Reviews: who was asked to judge which task, and what came of it (COL-11, COL-13, COL-17; spec/machines/review.json).
// They stay as long as their task is remembered. Value types, part of the engine's state.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed_text.hpp"
#include "engine/by_agent.hpp"
#include "engine/messages/message.hpp"
#include "machine/review.hpp"

namespace parley::engine {

using ReviewState = machine::review::State;

// Bounds of one task (D11).
inline constexpr std::size_t reviews_max = 100;
inline constexpr std::size_t findings_max = 200;
inline constexpr std::size_t finding_bytes_max = 16'384;  // of their ids, all together

// Which runner signed a result's checks, and over what (BEY-05).
struct SignedBy {
  base::PackedText runner;
  Instant at;
  base::Digest tree{};   // of the work tree
  bool changed = false;  // by the checks

  template <class Archive>
  void archive(Archive& a) {
    a(runner, at, tree, changed);
  }
};

struct Review {
  base::PackedText id;
  Offset task;  // of the message that first assigned it
  AgentNumber asker, reviewer;
  ReviewState state = ReviewState::none;
  std::uint32_t iteration = 0;        // the n-th of its task (R37)
  std::vector<std::string> required;  // verifications that must have passed, until it is over (COL-23)
  std::vector<std::string> checks;    // custom ones
  std::vector<std::string> asked;     // beside them: asked_as()
  Instant asked_at, due, ended_at;
  Position request;                   // of the record of the message that asked
  std::optional<Position> result;     // likewise
  std::optional<SignedBy> signed_by;  // of the result
  Offset ended_by;                    // the event; of one that is escalated the result

  bool waits() const { return !machine::review::is_over(state); }

  template <class Archive>
  void archive(Archive& a) {
    a(id, task, asker, reviewer, state, iteration, required, checks, asked_at, due, ended_at, request, result, ended_by,
      asked, signed_by);
  }
};

// What was found in a task's reviews: where it stands, not what it says, which is in the results (COL-13).
struct Finding {
  std::string id;
  bool blocks = false;  // as long as it stands nothing is approved
  std::uint32_t found_in = 0;
  std::uint32_t fixed_in = 0;  // 0: it stands

  template <class Archive>
  void archive(Archive& a) {
    a(id, blocks, found_in, fixed_in);
  }
};

struct ReviewedTask {
  std::vector<Offset> reviews;  // the messages that asked, rising; none: another worked on it before, and nobody asked
  std::vector<Finding> findings;
  std::vector<AgentNumber> authors;  // who worked on it before, or when a review was asked for, each once (BEY-05)
  std::vector<std::string> changes;  // ids that the newest verdict requires
  std::uint32_t sent_back = 0;       // how often changes were requested

  const Finding* find(std::string_view id) const {
    const auto at = std::find_if(findings.begin(), findings.end(), [id](const Finding& f) { return f.id == id; });
    return at == findings.end() ? nullptr : &*at;
  }
  template <class Archive>
  void archive(Archive& a) {
    a(reviews, findings, authors, changes, sent_back);
  }
};

// By the offset of the message that asked for them.
class Reviews {
 public:
  const absl::btree_map<Offset, Review>& all() const { return all_; }
  const Review& at(Offset offset) const;
  Review& at(Offset offset);
  std::optional<Offset> find(std::string_view id) const;
  // Of a task; null: nobody reviewed it, nor worked on it before its assignee.
  const ReviewedTask* of_task(Offset task) const;
  ReviewedTask& task(Offset task);
  // The one that waits; none: none does.
  std::optional<Offset> waiting(Offset task) const;
  // The one that waits for the decision of this approval.
  std::optional<Offset> of_approval(Offset approval) const;
  // Those that wait for this agent.
  const absl::btree_set<Offset>& of(AgentNumber reviewer) const { return by_reviewer_.of(reviewer); }

  void add(Offset offset, Review review);
  // It goes on without its reviewer, and without whom it was escalated to.
  void leave(Offset offset);
  // A human decides, by the approval that the result at `ended_by` opened.
  void escalate(Offset offset);
  // The task is remembered no longer.
  void forget(Offset task);

  template <class Archive>
  void archive(Archive& a) {
    a(all_, of_tasks_);
    if constexpr (Archive::loads)
      for (const auto& [offset, review] : all_) index(offset, review);
  }

 private:
  void index(Offset offset, const Review& review);

  absl::btree_map<Offset, Review> all_;
  absl::btree_map<Offset, ReviewedTask> of_tasks_;
  IdIndex by_id_;
  absl::btree_map<Offset, Offset> escalated_;  // by the approval
  OffsetsByAgent by_reviewer_;
};

}  // namespace parley::engine
