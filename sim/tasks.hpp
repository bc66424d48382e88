// What tasks are by 000 §3, 003's task delegation and the rulings R11 to R13 and R34 to R38, folded from the journal's
// events by rules of its own and not by the table: which message about a task was legal, which was not, and when the
// server may say something itself. The engine's answers, accepted and refused, are held against it.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "envelope/kind.hpp"
#include "event/events.pb.h"
#include "json/value.hpp"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

// A message as far as tasks are concerned.
struct TaskWord {
  enum class Call { none, report_error, extend, abort };  // or a call that asks something of one
  envelope::Kind kind{};
  Call call{};
  std::uint32_t sender = 0;
  std::string task;
  std::string message;                  // an acknowledgment's, or the offer that a reply answers
  bool accepts = false;                 // likewise
  bool of_session = false;              // an abort's
  bool in_part = false;                 // a completion's
  bool held = false;                    // a person decides first
  std::vector<std::string> depends_on;  // of an assignment: tasks that it names itself
  std::uint64_t released = 0;           // its offset, once they have
  std::vector<std::string> to;          // names
  std::uint64_t supersedes = 0;         // offset of the message in whose place it stands
  bool was_refused = false;             // supersedes as its sender named it; else as the event names it
  std::string answers;                  // id of the message that an assignment replies to
  std::string review, verdict;
};

// None: the type is about no task.
std::optional<TaskWord> task_word(std::string_view profile, json::Value message);

class TaskChronicle {
 public:
  enum class State : std::uint32_t {  // as journaled
    assigned = 1,
    active,
    stalled,
    completed,
    failed,
    aborted,
    partial,
    held = 20,
    postponed = 24,
    waiting,
    blocked,
    in_parts,
    in_review,
    changes_requested,
    planning,
    escalated,
  };

  enum class Error : std::uint32_t { none, timeout, exception, scope_violation, resource_limit };  // likewise

  struct Offer {     // R21: until it is answered or over, the task stays with its owner
    std::string id;  // of its message
    std::uint64_t offset = 0;
    std::uint32_t target = 0;
    base::Instant due{};
    bool taken_back = false;
    bool target_removed = false;
  };
  struct Task {
    std::string id;
    State state = State::assigned;
    std::uint32_t epoch = 0;
    std::uint32_t assigner = 0, assignee = 0;
    std::string profile;  // of its assigner
    base::Instant assigned_at{}, began_at{}, heard_at{}, deadline{};
    base::Duration timeout{};
    bool told_late = false;
    base::Instant moved_at{};
    std::uint64_t order = 0;                                       // the message that gave it to its assignee
    std::uint64_t ordered = 0;                                     // its newest order, also where it was handed over
    std::uint64_t given = 0;                                       // or the acceptance that handed it over
    std::set<std::pair<std::uint64_t, std::uint64_t>> old_orders;  // and what replaced each
    base::Instant lost_at{};                                       // its order expired or died before it was taken
    std::optional<Offer> offer;
    std::set<std::uint64_t> questions;  // of its assignee to humans, which wait (SUP-05)
    base::Instant asked_since{};        // its times stand still; 0: they do not
    base::Instant answered_at{};        // the newest time
    bool given_up = false;              // aborted by its last error or review
    bool in_part = false;               // its newest completion is one in part
    base::Instant again_at{};           // while it is postponed
    int timeouts = 0;                   // attempts of this assignment whose time was over
    int exceptions = 0;                 // and that ended in one
    bool over() const {
      return state == State::completed || state == State::partial || state == State::failed ||
             state == State::aborted || state == State::changes_requested || state == State::planning;
    }
    // COL-20: also what its review has sent back, and what ended in part.
    bool can_be_aborted() const {
      return !over() || state == State::partial || state == State::changes_requested || state == State::planning;
    }
    // A person or a reviewer has the word, and nobody works on it.
    bool stands_still() const {
      return over() || state == State::held || state == State::in_review || state == State::escalated ||
             state == State::in_parts;
    }
    bool kept_back() const { return state == State::waiting || state == State::blocked; }
    std::string review;            // the newest
    std::uint32_t reviews = 0;     // asked for (R37)
    std::uint32_t iterations = 3;  // before a human decides
    double confidence = 0;         // asked for (SUP-04)
    bool needs_approval = false;
    std::uint64_t held_by = 0;           // offset of the message that ends it once a person has decided
    bool end_rejected = false;           // and has decided that it does not
    std::set<std::string> depends_on;    // COL-10: hard ones, by their ids
    std::set<std::string> named;         // of these, those that its order names
    base::Instant expires_at{};          // its order, while it is kept back
    base::Instant otherwise_at{};        // since then what it waits for says otherwise; 0: it does not
    bool taken_back = false;             // its order was
    Error error{};                       // the newest
    std::uint64_t split_by = 0;          // the message that asks for its parts (COL-16)
    std::set<std::string> parts;         // by their ids
    std::set<std::uint64_t> held_parts;  // messages that a human decides about first
    base::Instant none_since{};          // no part of it is there, nor held; 0: one is
    bool ended_by_call = false;          // its assigner has asked for its end
    base::Instant ends_since{};          // COL-20: since then what it belongs to is aborted; 0: it is not
    bool waits_for_tasks() const { return kept_back() || state == State::in_parts; }
  };

  TaskChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event, base::Instant at);
  // Decided when the workspace's newest event was the one at `head`, which may not be folded yet, or be lost.
  void refused(std::uint32_t workspace, std::uint64_t head, TaskWord word, base::ErrorCode code);
  // What a call asked for was done.
  void done(std::uint32_t workspace, std::uint64_t head, TaskWord call);
  // The message ended there unread: an order, or an offer.
  void lose(std::uint32_t number, std::uint64_t offset, std::uint32_t agent, base::Instant at);
  // Nothing waits for ever.
  void check_all_ended();

  // BEY-03: whether this order of a task was replaced by that message.
  bool replaced(std::uint32_t workspace, std::uint64_t order, std::uint64_t by) const;

  // BEY-03: whether the message gives an agent anew the order that it has.
  bool corrects_its_order(std::uint32_t workspace, const event::MessageAccepted& message, std::uint32_t agent) const;

  // COL-08, COL-20: whether the server ended a task with that event.
  // A human decides whether it is given again (SUP-09).
  bool is_order_of_escalated(std::uint32_t workspace, std::uint64_t order) const;
  bool ended(std::uint32_t workspace, std::uint64_t by) const { return ended_.contains({workspace, by}); }
  // The message that gave a task to its assignee.
  std::uint64_t order_of(std::uint32_t workspace, std::uint64_t task) const {
    const auto at = tasks_.find({workspace, task});
    return at == tasks_.end() ? 0 : at->second.order;
  }
  const std::map<Place, Task>& tasks() const { return tasks_; }
  // Held messages, and what each was to take the place of.
  const std::map<std::uint64_t, std::uint64_t>& corrections(std::uint32_t workspace) const {
    return workspaces_.at(workspace).corrections;
  }

 private:
  void move_what_waits(base::Duration by);
  enum class Verdict { no_task, legal, unknown, out_of_sequence, not_party, stale, unknown_review };
  struct Judged {
    Verdict verdict = Verdict::no_task;
    const Place* task = nullptr;  // none: a new one
    State to{};
    bool same = false;  // it stays as it is
  };
  struct Agent {
    std::string id, profile;
    bool removed = false;
    // HND-05: since when it is offline; of who has come back, when it last was.
    bool is_offline = false, by_silence = false;
    std::uint64_t offline = 0;
    base::Instant offline_at{};
    base::Instant spoke_at{}, spoke_before{};  // its newest message, and the newest of an earlier turn

    void speak(base::Instant at) {
      if (at != spoke_at) spoke_before = std::exchange(spoke_at, at);
    }
  };
  struct Review {
    Place task;
    std::uint32_t asker = 0, reviewer = 0;
    bool waits = true, escalated = false;
    base::Instant due{};
    std::uint64_t request = 0;  // the message that asks for it
    bool taken_back = false;    // that one, by its sender (BEY-03)
  };
  struct Said {  // by the server
    std::uint64_t offset = 0;
    std::string id;
    std::vector<std::uint32_t> to;
  };
  struct Split {
    Place whole;
    std::uint64_t request = 0;
  };
  enum class Answer { decided, lapsed, withdrawn };
  struct Question {  // of an agent to humans (SUP-05)
    std::uint32_t asker = 0;
    std::string task;
    bool vain = false;  // its task is over, or another's by now
    bool taken_back = false;
  };
  struct Workspace {
    std::uint32_t number = 0;
    std::string name;
    Said said;                                           // the newest
    std::map<std::string, Split, std::less<>> splits;    // by the ids of the messages that ask for parts
    std::map<std::string, Review, std::less<>> reviews;  // by their ids
    bool lenient = false, auto_revision = false;
    std::uint64_t head = 0, forgotten_through = 0;
    std::map<std::uint32_t, Agent> agents;
    std::map<std::string, Place, std::less<>> by_id;
    std::map<std::string, std::pair<Place, std::uint64_t>, std::less<>> assignments;  // by message id; its offset
    std::optional<base::Duration> progress_after, progress_every, silence;            // else the profile's
    std::map<std::uint64_t, Question> questions;                                      // that wait
    std::map<std::uint64_t, std::uint64_t> corrections;
  };
  struct Answered {
    std::uint64_t head = 0;
    TaskWord word;
    std::optional<base::ErrorCode> code;  // none: it was done
  };

  void note_question(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& message,
                     base::Instant at);
  void note_answer(std::uint32_t number, std::uint64_t question, Answer answer, base::Instant at);
  static bool undecided(const Workspace& workspace, const TaskWord& word);
  static bool takes_end_back(const Workspace& workspace, const Task& task, const TaskWord& word);
  void come_to(Workspace& workspace, Task& task, State to, base::Instant at);
  void drop_questions(Workspace& workspace, Task& task, base::Instant at);
  static std::string_view code_of(Verdict verdict);
  static TaskWord word_of(const Workspace& workspace, const event::MessageAccepted& message, std::uint64_t released);
  static const Agent& assignee_of(const Workspace& workspace, const Task& task);
  void set(Workspace& workspace, const event::Settings& settings);
  Judged judge(const Workspace& workspace, const TaskWord& word) const;
  Judged judge_call(const Workspace& workspace, const TaskWord& word) const;
  Judged judge_ack(const Workspace& workspace, const TaskWord& word) const;
  Judged judge_order(const Workspace& workspace, const TaskWord& word, const Place* place) const;
  static bool may_order(const Workspace& workspace, const TaskWord& word, const Task& task);
  Judged judge_result(const Workspace& workspace, const TaskWord& word) const;
  void follow_review(Workspace& workspace, Task& task, const TaskWord& word, const Place& place,
                     const event::MessageAccepted& message, base::Instant at);
  void end_review(const Workspace& workspace, const Place& place, State to, base::Instant at);
  Judged judge_reply(const Workspace& workspace, const TaskWord& word) const;
  Judged judge_offer(const Workspace& workspace, const TaskWord& word, const Place& place) const;
  bool reaches(const Workspace& workspace, const TaskWord& word, std::uint32_t agent) const;
  static bool is_here(const Workspace& workspace, std::uint32_t agent);
  void judge_answers(std::uint32_t number, Workspace& workspace);
  void judge_done(std::uint32_t number, const Workspace& workspace, const Answered& done);
  void judge_refusal(std::uint32_t number, const Workspace& workspace, const Answered& refused);
  static base::Duration progress_after(const Workspace& workspace, const Task& task);
  static base::Duration progress_every(const Workspace& workspace, const Task& task);
  static base::Duration silence(const Workspace& workspace, const Task& task);
  base::Instant stalls_at(const Workspace& workspace, const Task& task) const;
  base::Instant gives_up_at(const Workspace& workspace, const Task& task) const;
  static bool times_out(const Task& task, base::Instant at);
  static int attempts(const Task& task);
  void give_again(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at);
  base::Instant due_of(const Workspace& workspace, const Task& task) const;  // max: never
  bool is_of_forgotten(const Workspace& workspace, const TaskWord& word, const Judged& judged) const;
  static std::set<std::string> depends_on(const TaskWord& word, const Task& before);
  State readiness(const Workspace& workspace, const std::set<std::string>& on) const;
  bool stands_otherwise(const Workspace& workspace, const Task& task) const;
  void note_who_waits(std::uint32_t number, base::Instant at);
  void check_kept_back(const Place& place, const Task& task, State to, base::Instant at);
  void check_due(const Workspace& workspace, const Place& place, std::int64_t due);
  void check_nothing_overdue(base::Instant at);

  void take_back(std::uint32_t workspace, std::uint64_t message);
  void hear_and_fold(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted&, base::Instant at);
  void fold(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted&, base::Instant at,
            bool released = false);
  void move(std::uint32_t number, std::uint64_t offset, const TaskWord& word, const Judged& judged,
            const event::MessageAccepted&, base::Instant at);
  void assign(Workspace& workspace, Task& task, std::uint64_t offset, const TaskWord& word, const Place& place,
              const event::MessageAccepted& message, base::Instant at);
  void hand_over(Task& task, std::uint64_t offset, const TaskWord& word, const Place& place,
                 const event::MessageAccepted& message, base::Instant at);
  void fold(std::uint32_t number, std::uint64_t offset, const event::TaskMoved&, base::Instant at);
  void judge_move(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at);
  void end_offer(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at);
  static bool is_abandoned(const Task& task, const event::TaskMoved& moved);
  void give_up(const Place& place, const Task& task, const event::TaskMoved& moved, base::Instant at);
  void postpone(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at);
  void escalate(const Place& place, const Task& task, const event::TaskMoved& moved, base::Instant at);
  void cancel(const Place& place, const Task& task, base::Instant at);
  void note_error(const Place& place, Task& task, const event::TaskError& error);
  void extend(const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at);
  bool may_be_held_part_anew(const TaskWord& word, const Place& whole) const;
  void note_part(const Workspace& workspace, const TaskWord& word, const Place& place,
                 const event::MessageAccepted& message);
  const Place* whole_of(const Workspace& workspace, std::uint32_t sender, const std::string& task,
                        const std::string& answers) const;
  void hold_part(const Place& place, const event::MessageAccepted& message);
  void drop_held_part(std::uint32_t number, std::uint64_t message, base::Instant at);
  std::set<std::string> parts_of(const Workspace& workspace, const Task& whole) const;
  void split(Workspace& workspace, const Place& place, Task& task, const event::TaskMoved& moved, base::Instant at);
  void look_at_parts(const Workspace& workspace, const Place& place, const Task& task, State to, base::Instant at);
  void end_parts(const Workspace& workspace, const Task& whole, base::Instant at);
  bool parts_ended(const Workspace& workspace, const Task& task) const;
  void end_session(const Workspace& workspace, const Place& place, const event::MessageAccepted& message,
                   base::Instant at);
  void hear(Workspace& workspace, std::uint64_t offset, const event::MessageAccepted& message, base::Instant at);
  void remove(Workspace& workspace, std::uint32_t number);
  void go_offline(Workspace& workspace, std::uint32_t number, std::uint64_t offset, base::Instant at);
  bool goes_back(const Workspace& workspace, const Task& task) const;
  static void close(Task& task);
  static bool wants_a_person(const Task& task, const event::MessageAccepted& message);
  void revise(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& message, base::Instant at);
  void release(std::uint32_t number, const event::MessageReleased& released, base::Instant at);
  Task* held_by(std::uint32_t number, std::uint64_t message);

  Findings& findings_;
  Sightings& sightings_;
  std::map<std::uint32_t, Workspace> workspaces_;
  std::map<Place, Task> tasks_;
  std::set<Place> ended_;  // by events of the server's own
  struct HeldPart {
    Place whole;
    std::string task;
  };
  std::map<Place, HeldPart> held_as_part_;  // by the messages that a human decides about first
  std::map<std::uint32_t, std::vector<Answered>> answered_;
  base::Instant started_at_{}, now_{};  // the first: when time went on, after a start or a sleep
};

}  // namespace parley::sim
