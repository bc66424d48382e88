#include "sim/tasks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/time.hpp"
#include "sim/fields.hpp"
#include "sim/time_missed.hpp"

namespace parley::sim {
namespace {

using envelope::Kind;
using namespace std::chrono_literals;

// What else a task asks for than the order of its messages, which is not judged here.
constexpr std::array<std::string_view, 13> terms{
    "AGENT_UNAVAILABLE",   "BUDGET_EXCEEDED",    "SCOPE_VIOLATION",   "EVIDENCE_MISSING", "CAPABILITY_MISSING",
    "CONSTRAINTS_LOOSER",  "REVIEWER_IS_AUTHOR", "VERDICT_UNFOUNDED", "FINDING_UNKNOWN",  "ID_CONFLICT",
    "REVISION_INCOMPLETE", "DEPENDENCY_CYCLE",   "QUALITY_MISSING"};

double number(std::string_view json) {
  return json.empty() ? 0 : std::stod(std::string(json));
}

bool is_about_tasks(Kind kind) {
  constexpr Kind kinds[] = {Kind::task_assign,    Kind::task_ack,     Kind::task_progress, Kind::task_complete,
                            Kind::task_fail,      Kind::task_abort,   Kind::task_handoff,  Kind::task_handoff_reply,
                            Kind::review_request, Kind::review_result};
  return std::ranges::find(kinds, kind) != std::end(kinds);
}

}  // namespace

// HND-02: what it was offered stays with its owner.
void TaskChronicle::go_offline(Workspace& workspace, std::uint32_t number, std::uint64_t offset, base::Instant at) {
  Agent& agent = workspace.agents[number];
  if (std::exchange(agent.is_offline, true)) return;
  agent.offline = offset;
  agent.offline_at = at;
  for (auto& [place, task] : tasks_)
    if (place.first == workspace.number && task.offer && task.offer->target == number) task.offer->due = at;
}

// HND-02: likewise.
void TaskChronicle::remove(Workspace& workspace, std::uint32_t number) {
  workspace.agents[number].removed = true;
  for (auto& [place, task] : tasks_)
    if (place.first == workspace.number && task.offer && task.offer->target == number) {
      task.offer->target_removed = true;
      sightings_.saw(Sighting::offer_target_removed);
    }
}

// HND-05: what 002's agents say of themselves.
void TaskChronicle::hear(Workspace& workspace, std::uint64_t offset, const event::MessageAccepted& message,
                         base::Instant at) {
  Agent& agent = workspace.agents[message.sender()];
  const auto kind = static_cast<Kind>(message.kind());
  if (agent.profile != "handoff" || (kind != Kind::heartbeat && kind != Kind::status_report)) return;
  const std::string_view word = unquoted(field(message, "status"));
  const bool known = word == "IDLE" || word == "BUSY" || word == "ERROR" || word == "MAINTENANCE" || word == "OFFLINE";
  if (word == "OFFLINE")
    go_offline(workspace, message.sender(), offset, at);
  else if (known || agent.by_silence)
    agent.is_offline = false;
  agent.by_silence = false;
}

void TaskChronicle::set(Workspace& workspace, const event::Settings& settings) {
  workspace.lenient = settings.lenient();
  workspace.auto_revision = settings.auto_revision();
  const auto read = [](bool set, std::int64_t us) { return set ? std::optional(base::Duration(us)) : std::nullopt; };
  workspace.progress_after = read(settings.has_task_progress_after(), settings.task_progress_after());
  workspace.progress_every = read(settings.has_task_progress_every(), settings.task_progress_every());
  workspace.silence = read(settings.has_task_silence(), settings.task_silence());
}

// D2; deadlines stay.
void TaskChronicle::move_what_waits(base::Duration by) {
  started_at_ = now_;
  for (auto& [place, task] : tasks_) {
    if (task.state == State::in_parts) task.again_at += by;
    if (task.stands_still() || task.asked_since != base::Instant{}) continue;
    task.assigned_at += by;
    task.heard_at += by;
    if (task.began_at != base::Instant{}) task.began_at += by;
  }
  for (auto& [number, workspace] : workspaces_) {
    for (auto& [id, review] : workspace.reviews) review.due += by;
    for (auto& [id, agent] : workspace.agents) agent.spoke_at += by, agent.spoke_before += by;
  }
}

void TaskChronicle::fold(const event::Event& event, base::Instant at) {
  using event::Event;
  now_ = at;
  if (event.fact_case() == Event::kServerStarted) {
    for (auto& [number, workspace] : workspaces_) judge_answers(number, workspace);
    answered_.clear();  // the rest was decided on what is lost
    return move_what_waits(time_missed(event));
  }
  if (event.fact_case() == Event::kTimeSkipped) return move_what_waits(time_missed(event));
  if (event.fact_case() == Event::kWorkspaceCreated) {
    const std::uint32_t created = event.workspace_created().number();
    workspaces_[created].number = created;
    workspaces_[created].name = event.workspace_created().name();
    return set(workspaces_[created], event.workspace_created().settings());
  }
  const std::uint32_t number = event.workspace();
  Workspace& workspace = workspaces_[number];
  judge_answers(number, workspace);
  workspace.head = event.offset();
  check_nothing_overdue(at);
  switch (event.fact_case()) {
    case Event::kWorkspaceChanged:
      return set(workspace, event.workspace_changed().settings());
    case Event::kAgentRegistered: {
      const auto& agent = event.agent_registered();
      Agent& here = workspace.agents[agent.number()];
      here = {};
      here.id = agent.agent_id();
      here.profile = agent.properties().profile();
      return;
    }
    case Event::kAgentRemoved:
      return remove(workspace, event.agent_removed().number());
    case Event::kMessagesForgotten:
      workspace.forgotten_through = event.messages_forgotten().through();
      return;
    case Event::kAgentHealthChanged: {
      const std::uint32_t whose = event.agent_health_changed().agent();
      Agent& agent = workspace.agents[whose];
      agent.by_silence = agent.profile == "handoff" && event.agent_health_changed().look_at() == 0;
      if (agent.by_silence) go_offline(workspace, whose, event.offset(), at);
      return;
    }
    case Event::kMessageAccepted:
      if (const std::uint32_t sender = event.message_accepted().sender(); sender != 0)
        workspace.agents[sender].speak(at);
      return hear_and_fold(number, event.offset(), event.message_accepted(), at);
    case Event::kExpired:
      for (const std::uint32_t agent : event.expired().agents()) lose(number, event.expired().message(), agent, at);
      return;
    case Event::kDeadLettered:
      return lose(number, event.dead_lettered().message(), event.dead_lettered().agent(), at);
    case Event::kMessageReleased:
      release(number, event.message_released(), at);
      return drop_held_part(number, event.message_released().message(), at);
    case Event::kApprovalDecided:
      return note_answer(number, event.approval_decided().approval(), Answer::decided, at);
    case Event::kApprovalLapsed:
      return note_answer(number, event.approval_lapsed().approval(), Answer::lapsed, at);
    case Event::kApprovalWithdrawn:
      note_answer(number, event.approval_withdrawn().approval(), Answer::withdrawn, at);
      return drop_held_part(number, event.approval_withdrawn().approval(), at);
    case Event::kMessageWithheld:
      drop_held_part(number, event.message_withheld().message(), at);
      if (Task* const task = held_by(number, event.message_withheld().message())) task->end_rejected = true;
      return;
    case Event::kMessageTakenBack:
      if (const auto at_question = workspace.questions.find(event.message_taken_back().message());
          at_question != workspace.questions.end())
        at_question->second.taken_back = true;
      return take_back(number, event.message_taken_back().message());
    case Event::kTaskMoved:
      return fold(number, event.offset(), event.task_moved(), at);
    default:
      return;
  }
}

void TaskChronicle::hear_and_fold(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& message,
                                  base::Instant at) {
  Workspace& workspace = workspaces_[number];
  if (message.sender() == 0) {
    workspace.said = {offset, message.message_id(), {message.recipients().begin(), message.recipients().end()}};
    if (message.has_task_moved()) revise(number, offset, message, at);
    return;
  }
  hear(workspace, offset, message, at);
  fold(number, offset, message, at);
  note_question(number, offset, message, at);
}

// `released`: where it stands, of a held message that goes out now; else 0.
TaskWord TaskChronicle::word_of(const Workspace& workspace, const event::MessageAccepted& message,
                                std::uint64_t released) {
  TaskWord word;
  word.kind = static_cast<Kind>(message.kind());
  word.sender = message.sender();
  word.task = message.task();
  word.message =
      word.kind == Kind::task_handoff_reply ? message.correlation() : std::string(unquoted(field(message, "message")));
  word.accepts = field(message, "accepted") == "true";
  word.held = message.held() && word.kind != Kind::task_assign;
  const auto& named = message.task_moved().depends_on();
  word.depends_on.assign(named.begin(), named.end());
  word.supersedes = message.supersedes();
  word.answers = message.reply_to();
  word.in_part =
      workspace.agents.at(word.sender).profile == "collab" && unquoted(field(message, "status")) == "partial";
  word.review = unquoted(field(message, "review"));
  word.verdict = unquoted(field(message, "verdict"));
  word.released = released;
  word.of_session = word.kind == Kind::task_abort && unquoted(field(message, "scope")) != "task";
  for (const std::uint32_t agent : message.recipients()) word.to.push_back(workspace.agents.at(agent).id);
  return word;
}

void TaskChronicle::fold(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& message,
                         base::Instant at, bool released) {
  Workspace& workspace = workspaces_[number];
  const auto kind = static_cast<Kind>(message.kind());
  const bool for_a_human = message.held() && message.approval_timeout() > 0;
  end_session(workspace, {number, offset}, message, at);
  if (for_a_human) hold_part({number, offset}, message);
  if (message.supersedes_later()) workspace.corrections[offset] = message.supersedes();
  if (for_a_human && kind != Kind::task_complete && kind != Kind::task_fail)  // decision 10
    return findings_.require(!message.has_task_moved(), {number, offset},
                             "BEY-04: its message is held, and the task moved");
  if (!is_about_tasks(kind))
    return findings_.require(!message.has_task_moved(), {number, offset},
                             "COL-04: a task was moved by what is about none");
  const TaskWord word = word_of(workspace, message, released ? offset : 0);
  Judged judged = judge(workspace, word);
  const auto part = held_as_part_.find({number, word.released});
  if (judged.verdict == Verdict::legal && part != held_as_part_.end() &&
      tasks_.at(part->second.whole).state != State::in_parts)
    judged.verdict = Verdict::out_of_sequence;  // what it was to be a part of is over
  if (is_of_forgotten(workspace, word, judged) && !message.has_task_moved()) return;
  const Place place{number, offset};
  const std::string_view code = code_of(judged.verdict);
  const auto remarked = [&](std::string_view what) {  // R5: a lenient workspace takes it, and says what is wrong
    const auto& problems = message.validation_errors();
    return workspace.lenient &&
           std::any_of(problems.begin(), problems.end(), [&](const auto& p) { return p.schema() == what; });
  };
  // What an order would wait for does not stand in a fact that moved no task.
  const bool may_wait = word.kind == Kind::task_assign && word.supersedes != 0 && remarked("OUT_OF_SEQUENCE");
  if (may_wait && !message.has_task_moved()) return;
  const bool of_its_terms = std::any_of(terms.begin(), terms.end(), remarked);
  if (of_its_terms && !message.has_task_moved()) return;
  if (!code.empty()) {
    findings_.require(remarked(code), place,
                      "COL-04: " + std::string(envelope::name(word.kind)) + " of '" + word.task + word.message +
                          "' was accepted, and is " + std::string(code));
  }
  findings_.require(
      message.has_task_moved() == (judged.verdict == Verdict::legal), place,
      "COL-04: accepted, and the task " + std::string(message.has_task_moved() ? "moved" : "did not move"));
  if (findings_.clean() && judged.verdict == Verdict::legal) move(number, offset, word, judged, message, at);
}

// R8: an id that nobody knows any more names nothing. An order is remembered for as long as its task needs it.
bool TaskChronicle::is_of_forgotten(const Workspace& workspace, const TaskWord& word, const Judged& judged) const {
  const auto answered = workspace.assignments.find(word.message);
  if (word.kind != Kind::task_ack || answered == workspace.assignments.end()) return false;
  const Task& task = tasks_.at(answered->second.first);
  const bool needed = judged.verdict != Verdict::stale && !task.over() && task.state != State::in_review;
  return !needed && answered->second.second <= workspace.forgotten_through;
}

void TaskChronicle::move(std::uint32_t number, std::uint64_t offset, const TaskWord& word, const Judged& judged,
                         const event::MessageAccepted& message, base::Instant at) {
  Workspace& workspace = workspaces_[number];
  const event::TaskMoved& moved = message.task_moved();
  const Place place = judged.task ? *judged.task : Place{number, offset};
  findings_.require(moved.task() == (judged.task ? place.second : 0), place,
                    "COL-04: another task moved than the message names");
  Task& task = tasks_[place];
  if (word.kind == Kind::task_assign) {
    assign(workspace, task, offset, word, place, message, at);
    note_part(workspace, word, place, message);
  } else if (word.kind == Kind::task_handoff || word.kind == Kind::task_handoff_reply) {
    hand_over(task, offset, word, place, message, at);
  } else {
    findings_.require(moved.assignee() == 0, place, "COL-04: assigned without an assignment");
  }
  if (word.released == 0 && (word.kind == Kind::task_complete || word.kind == Kind::task_fail))
    findings_.require(word.held || !wants_a_person(task, message), place, "SUP-04: not held, against its task's terms");
  const bool of_a_review = word.kind == Kind::review_request || word.kind == Kind::review_result;
  findings_.require(message.has_review_moved() == of_a_review, place,
                    "COL-11: a review was moved, or not, by a message of none");
  if (of_a_review || word.kind == Kind::task_abort) follow_review(workspace, task, word, place, message, at);
  if (word.kind == Kind::review_request) workspace.reviews.at(word.review).request = offset;
  if (judged.to == State::aborted) {
    task.given_up = word.kind == Kind::review_result;
    end_parts(workspace, task, at);
  }
  task.held_by = judged.to == State::held ? offset : 0;
  task.end_rejected = false;
  if (word.sender == task.assignee) task.heard_at = at;
  if (judged.to == State::active && task.began_at == base::Instant{}) task.began_at = at;
  if (task.state != State::held || judged.to != State::held) task.moved_at = at;  // a held end in the place of another
  come_to(workspace, task, judged.to, at);
  note_who_waits(number, at);
  if (word.kind == Kind::task_assign && word.released == 0)
    findings_.require(message.held() == task.kept_back(), place,
                      "COL-10: an order goes out, or does not, against its task");
  findings_.require(moved.state() == static_cast<std::uint32_t>(judged.to), place,
                    "COL-04: the task came to another state");
  findings_.require(moved.epoch() == task.epoch, place, "BEY-03: the epoch is not the number of assignments");
  if (task.over()) close(task);
  check_due(workspace, place, moved.due());
  if (task.state == State::completed) sightings_.saw(Sighting::task_completed);
  if (task.state == State::aborted) sightings_.saw(Sighting::task_aborted);
}

// What was asked for it, or would end it, is of no account any more.
void TaskChronicle::close(Task& task) {
  task.offer.reset();
  if (!task.can_be_aborted()) task.ends_since = {};
  task.ended_by_call = false;
}

void TaskChronicle::assign(Workspace& workspace, Task& task, std::uint64_t offset, const TaskWord& word,
                           const Place& place, const event::MessageAccepted& message, base::Instant at) {
  if (task.epoch > 0) sightings_.saw(Sighting::task_assigned_again);
  const std::string& profile = workspace.agents[word.sender].profile;
  const auto deadline = base::parse_rfc3339(unquoted(field(message, "deadline")));
  const std::string seconds(field(message, "timeout_seconds"));
  base::Duration timeout = profile == "supervisor" ? base::Duration(300s) : base::Duration{};  // 003
  if (!seconds.empty())
    timeout = std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(std::stod(seconds)));
  const std::string most(field(message, "max_iterations"));
  drop_questions(workspace, task, at);
  const Task before = std::exchange(task, {});
  task.id = word.task;
  task.epoch = before.epoch + 1;
  task.assigner = word.sender;
  task.assignee = message.recipients(0);
  task.profile = profile;
  task.assigned_at = task.heard_at = task.moved_at = at;
  task.deadline = deadline ? *deadline : base::Instant{};
  task.timeout = timeout;
  task.order = task.ordered = task.given = offset;
  task.old_orders = before.old_orders;
  if (before.epoch > 0) task.old_orders.insert({before.order, offset});
  task.confidence = number(field(message, "confidence_threshold"));
  task.needs_approval = field(message, "needs_approval") == "true";
  task.depends_on = depends_on(word, before);
  task.named = {word.depends_on.begin(), word.depends_on.end()};
  task.expires_at = message.has_expires_at() ? base::instant_of(message.expires_at()) : base::Instant{};
  task.review = before.review;
  task.reviews = before.reviews;
  task.iterations = most.empty() ? before.iterations : static_cast<std::uint32_t>(std::stoul(most));
  workspace.by_id.emplace(word.task, place);
  workspace.assignments[message.message_id()] = {place, offset};
  const event::TaskMoved& moved = message.task_moved();
  findings_.require(moved.assigner() == task.assigner && moved.assignee() == task.assignee, place,
                    "COL-04: assigned to another than it was sent to");
}

// R21, R34: the acceptance itself is the change of owner, and the offer the new owner's order.
void TaskChronicle::hand_over(Task& task, std::uint64_t offset, const TaskWord& word, const Place& place,
                              const event::MessageAccepted& message, base::Instant at) {
  const event::TaskMoved& moved = message.task_moved();
  if (word.kind == Kind::task_handoff) {
    findings_.require(moved.offer().state() == event::TaskOffer::OFFERED, place,
                      "HND-02: an offer that offers nothing");
    findings_.require(moved.offer().target() == message.recipients(0), place,
                      "HND-02: offered to another than it was sent to");
    const auto due = moved.offer().due();
    task.offer = {message.message_id(), offset, message.recipients(0),
                  due != 0 ? base::instant_of(due) : base::Instant{}};
    sightings_.saw(Sighting::task_offered);
    return;
  }
  if (word.accepts) {
    findings_.require(moved.assignee() == word.sender, place, "HND-02: handed over to another than accepted");
    workspaces_[place.first].assignments[task.offer->id] = {place, task.offer->offset};
    drop_questions(workspaces_[place.first], task, at);
    task.assignee = word.sender;
    task.old_orders.insert({task.order, offset});
    task.order = task.offer->offset;
    task.given = offset;
    ++task.epoch;
    task.heard_at = at;
    sightings_.saw(Sighting::task_handed_over);
  }
  task.offer.reset();
}

// SUP-04. Only 003 has people who look at completions; a failure asks for them itself or not at all.
bool TaskChronicle::wants_a_person(const Task& task, const event::MessageAccepted& message) {
  if (task.profile != "supervisor") return false;
  if (unquoted(field(message, "status")) == "requires_approval" || field(message, "needs_approval") == "true")
    return true;
  if (static_cast<Kind>(message.kind()) != Kind::task_complete) return false;
  return task.needs_approval || number(field(message, "confidence")) < task.confidence;
}

TaskChronicle::Task* TaskChronicle::held_by(std::uint32_t number, std::uint64_t message) {
  for (auto& [place, task] : tasks_)
    if (place.first == number && task.held_by == message) return &task;
  return nullptr;
}

// It ends the task as if it had come now, and as what a person made of it.
void TaskChronicle::release(std::uint32_t number, const event::MessageReleased& released, base::Instant at) {
  Task* const task = held_by(number, released.message());
  const Place place{number, released.message()};
  if (!task)  // R5: it made no move when it came, or was about none; it may make one now
    return fold(number, released.message(), released.as(), at, true);
  findings_.require(released.as().has_task_moved(), place, "SUP-04: released, and its task did not move");
  if (!released.as().has_task_moved()) return;
  const bool completes = static_cast<Kind>(released.as().kind()) == Kind::task_complete;
  come_to(workspaces_[number], *task, completes ? State::completed : State::failed, at);
  task->held_by = 0;
  task->moved_at = at;
  close(*task);
  findings_.require(released.as().task_moved().state() == static_cast<std::uint32_t>(task->state), place,
                    "SUP-04: released, and the task came to another state");
}

// BEY-03: with an order goes its task, with a held end what held the task.
void TaskChronicle::take_back(std::uint32_t number, std::uint64_t message) {
  for (auto& [place, task] : tasks_)
    if (place.first == number) {
      if (task.order == message || task.ordered == message) task.taken_back = true;
      if (task.offer && task.offer->offset == message) task.offer->taken_back = true;
    }
  for (auto& [id, review] : workspaces_[number].reviews)
    if (review.request == message) review.taken_back = true;
  if (Task* const task = held_by(number, message)) task->end_rejected = true;
}

bool TaskChronicle::replaced(std::uint32_t number, std::uint64_t order, std::uint64_t by) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& one) {
    return one.first.first == number && one.second.old_orders.contains({order, by});
  });
}

bool TaskChronicle::is_order_of_escalated(std::uint32_t number, std::uint64_t order) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& one) {
    return one.first.first == number && one.second.order == order && one.second.state == State::escalated;
  });
}

// HND-05: who is offline has none, its work went back.
bool TaskChronicle::corrects_its_order(std::uint32_t number, const event::MessageAccepted& message,
                                       std::uint32_t agent) const {
  if (static_cast<Kind>(message.kind()) != Kind::task_assign || message.supersedes() == 0) return false;
  if (workspaces_.at(number).agents.at(agent).is_offline) return false;
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& one) {
    const Task& task = one.second;
    const bool has_it = task.state == State::assigned || task.state == State::active || task.state == State::stalled;
    const bool same = task.id == message.task() || message.task() == message.message_id();  // R38
    const bool in_place = task.order == message.supersedes() || task.ordered == message.supersedes();
    return one.first.first == number && in_place && same && task.assignee == agent && has_it;
  });
}

}  // namespace parley::sim
