// The task table (spec/machines/task.json): an assigner, two assignees, two tasks; every message of the table by every
// agent, in time, late, to the wrong one and of an older assignment; removals, and an assigner that comes back as
// another; a crash and time at any step. INV-1 to INV-13 of docs/internals/invariants.md.
//
// Two states are one where they differ only in what no later step can tell apart: absolute times (what is left counts;
// how long a task has been active, only up to when progress is due), offsets and ids of messages (assignments go by
// their number), mail (nothing of a task hangs on it but the steps in which a removed agent's goes), what is left of
// tasks that are over for good.
#include <algorithm>
#include <map>
#include <set>

#include "machine/task.hpp"
#include "profile/rulesets.hpp"
#include "tables.hpp"
#include "world.hpp"

namespace parley::models::task_model {
namespace {

using namespace std::chrono_literals;
using engine::Task;
using engine::TaskState;
using envelope::Kind;
using machine::task::Guard;
using machine::task::Move;
using machine::task::Party;

struct Cast {
  std::string id, type;
  std::vector<std::string> capabilities{};
};

struct Scope {
  std::string profile;
  std::vector<Cast> agents;   // the first assigns
  engine::TaskTimes times;    // short ones
  std::uint32_t epochs = 2;   // a task is assigned so often
  std::uint32_t tasks = 2;    // the workspace's setting: that may be open, and as many that are over are kept
  base::Duration deadline{};  // of the first task, from its assignment on; 0: none
  base::Duration downtime{};  // of a crash
  base::Duration step{};    // in place of the profile's own times: one for a task, one until its one retry; 0: its own
  bool comes_back = false;  // a removed assigner registers anew
  bool rests_by_time = true;  // the profile watches its tasks
  std::uint32_t reviews = 0;  // of a task; 0: nobody asks for one
  bool limited = false;       // to so many: the last is escalated to a human (R37); of one task
  bool offers = false;        // owners offer their tasks to others (HND-02): the first task's for a time, the other's
                              // to whoever has its capability
  base::Duration offer_time = 4s;
  std::vector<std::string> ids{"one", "two"};
};

enum class Planted {
  none,
  two_owners,
  double_decision,
  lost_completion,
  late_ack,
  skipped_epoch,
  early_owner,
  double_answer,
  lost_answer,
  late_answer,
  skipped_epoch_of_offer,
  taken_back_late
};

const std::vector<std::pair<Fault, Planted>> faults{{{"two_owners", 1}, Planted::two_owners},
                                                    {{"double_decision", 2}, Planted::double_decision},
                                                    {{"lost_completion", 3}, Planted::lost_completion},
                                                    {{"late_ack", 7}, Planted::late_ack},
                                                    {{"skipped_epoch", 6}, Planted::skipped_epoch}};
const std::vector<std::pair<Fault, Planted>> faults_of_offers{{{"two_owners", 20}, Planted::early_owner},
                                                              {{"double_decision", 20}, Planted::double_answer},
                                                              {{"lost_completion", 3}, Planted::lost_answer},
                                                              {{"late_ack", 7}, Planted::late_answer},
                                                              {{"skipped_epoch", 6}, Planted::skipped_epoch_of_offer},
                                                              {{"taken_back_late", 20}, Planted::taken_back_late}};

// A message that an agent might send.
struct Said {
  Kind kind{};
  AgentNumber sender;
  std::string task;
  std::string to;
  std::uint32_t answers = 0;                     // an acknowledgment's assignment, from 1
  std::optional<bool> accepts{};                 // an acknowledgment's answer, and an offer's
  std::optional<engine::ReviewState> verdict{};  // a result's
  Offset offer{};                                // that is answered
  bool looser = false;                           // with looser constraints than it was made with
};

// A task as it stood before a step.
struct View {
  TaskState state = TaskState::none;
  std::uint32_t epoch = 0;
  AgentNumber assigner, assignee;
  bool late = false;
  Instant heard_at, deadline;
  Offset assignment;
  AgentNumber reviewer;
  Offset offer;  // the open one
  AgentNumber target;

  bool open() const { return state != TaskState::none && !machine::task::is_over(state); }
  bool same_but_for_time(const View& other) const {
    return state == other.state && epoch == other.epoch && assigner == other.assigner && assignee == other.assignee &&
           late == other.late && deadline == other.deadline && assignment == other.assignment && offer == other.offer;
  }
};
using Views = std::map<std::string, View>;

class TaskModel {
 public:
  using Node = Saved;

  TaskModel(const Scope& scope, Planted planted)
      : scope_(scope), planted_(planted), rules_(*profile::built_in().find(scope.profile)), world_(rules_) {
    if (scope.step == base::Duration{}) return;
    rules_.tasks->timeout = scope.step;
    rules_.tasks->after_timeout.times = 1;
    rules_.tasks->after_timeout.waits = {scope.step};
  }

  Node first() {
    engine::Settings settings;
    settings.task_times = scope_.times;
    settings.tasks = scope_.tasks;
    world_.create_team(settings);
    for (const Cast& one : scope_.agents) enrol(one);
    if (scope_.limited) add_people();
    return world_.save();
  }
  Arrival first_arrival() { return arrival("the first state", false); }

  const std::optional<Broken>& broken() const { return findings_.first(); }

  template <class Reached>
  void expand(const Node& node, bool time_only, Reached reached) {
    node_ = &node;
    world_.load(node);
    findings_.at({});
    world_.check(node, findings_);
    check_owners();
    const Views before = views();
    const auto back = [&] { world_.load(node); };
    const auto arrive = [&](const std::string& step, bool by_time) {
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

  bool replays(const Node& node, const std::vector<std::string>& trails) { return world_.gives(trails, node); }

 private:
  // ---- What there is.

  void enrol(const Cast& one) {
    engine::AgentProperties properties;
    properties.agent_type = one.type;
    properties.capabilities = one.capabilities;
    world_.enrol(one.id, properties);
  }

  View view_of(const Task& task) const {
    return {.state = task.state,
            .epoch = task.epoch,
            .assigner = task.assigner,
            .assignee = task.assignee,
            .late = task.watch.late,
            .heard_at = task.watch.heard_at,
            .deadline = task.watch.deadline,
            .assignment = task.assignment(),
            .reviewer = task.reviewer,
            .offer = task.offer ? task.offer->request : Offset{},
            .target = task.offer ? task.offer->target : AgentNumber{}};
  }
  const Task* find(const std::string& id) const {
    const auto at = world_.workspace().tasks.find(id);
    return at ? &world_.workspace().tasks.at(*at) : nullptr;
  }
  Views views() const {
    Views all;
    for (const std::string& id : scope_.ids) {
      const Task* const task = find(id);
      all[id] = task ? view_of(*task) : View{};
    }
    return all;
  }

  Arrival arrival(const std::string& step, bool by_time) const {
    const bool any_open = world_.workspace().tasks.open() > 0;
    return {step, key(), by_time, !any_open && !world_.waits(), !any_open};
  }

  std::string key() const {
    Key key;
    key.add(world_.agents());
    for (std::uint32_t i = 1; i <= world_.agents(); ++i) {
      const engine::Agent& agent = world_.agent(AgentNumber(i));
      const bool leaving = world_.state().unfinished.leaving.contains({team, AgentNumber(i)});
      key.add(agent.removed).add(leaving).add(leaving ? std::min(agent.open_messages, 1u) : 0);
    }
    for (const auto& [offset, approval] : world_.workspace().approvals.all())
      if (approval.waits()) key.add(static_cast<int>(approval.state)).left(approval.due, world_.now);
    for (const std::string& id : scope_.ids) {
      const Task* const task = find(id);
      key.add(task ? static_cast<int>(task->state) : 0);
      if (!task) continue;
      key.add(task->epoch);
      if (scope_.reviews > 0) add_reviews(*task, key);
      if (task->state == TaskState::aborted || (task->state == TaskState::completed && scope_.reviews == 0)) continue;
      key.add(task->assigner.value).add(task->assignee.value);
      if (!machine::task::is_over(task->state)) add_watch(*task, key);
      if (task->offer) add_offer(*task, key);
    }
    return key.take();
  }
  // And whether its target was made another, which it may take for this one.
  void add_offer(const Task& task, Key& key) const {
    const engine::TaskOffer& offer = *task.offer;
    key.add(offer.target.value).left(offer.due, world_.now);
    const auto made = offers_of(std::string(task.id.view()));
    key.add(std::ranges::count_if(made, [&](Offset one) { return receiver_of(one) == offer.target; }) > 1);
  }
  // Who may not judge it, what a revision must carry, and how long the verdict may take.
  void add_reviews(const Task& task, Key& key) const {
    const engine::Reviews& reviews = world_.workspace().reviews;
    const Offset offset = offset_of(std::string(task.id.view()));
    const engine::ReviewedTask* const reviewed = reviews.of_task(offset);
    key.add(reviewed ? static_cast<std::int64_t>(reviewed->reviews.size()) : 0).add(task.reviewer.value);
    if (!reviewed) return;
    std::set<std::uint32_t> authors;
    for (const AgentNumber author : reviewed->authors) authors.insert(author.value);
    for (const std::uint32_t author : authors) key.add(author);
    key.add(0).add(reviewed->sent_back).add(static_cast<std::int64_t>(reviewed->changes.size()));
    for (const engine::Finding& finding : reviewed->findings) key.add(finding.fixed_in == 0);
    const auto waiting = reviews.waiting(offset);
    if (!waiting) return;
    const engine::Review& review = reviews.at(*waiting);
    key.add(static_cast<int>(review.state));
    if (review.state == engine::ReviewState::requested) key.left(review.due, world_.now);
  }
  void add_watch(const Task& task, Key& key) const {
    const Instant now = world_.now;
    const engine::TaskWatch& watch = task.watch;
    const auto past = [&](Instant at, base::Duration most) { return std::min(now - at, most).count(); };
    key.add(watch.late).add(watch.timeouts).add(watch.exceptions);
    const engine::Message* const order = world_.state().workspace(team).messages.find(task.assignment());
    const engine::Receipt* const receipt = order ? order->receipt_of(task.assignee) : nullptr;
    key.add(receipt ? static_cast<int>(receipt->state) : -1);  // whether it can be given again
    if (watch.timeout > 0us) key.left(watch.assigned_at + watch.timeout, now);
    const Instant spoke_at = world_.state().workspace(team).registry.agent(task.assignee).spoke_at;
    if (scope_.times.silence) key.left(std::max(watch.heard_at, spoke_at) + *scope_.times.silence, now);
    if (scope_.times.progress_after)
      key.add(watch.began_at == Instant{} ? -1 : past(watch.began_at, *scope_.times.progress_after));
    if (watch.deadline != Instant{}) key.left(watch.deadline, now);
    key.add(task.due == Instant{}).left(task.due, now);
  }

  // ---- What may happen.

  std::vector<AgentNumber> present() const {
    std::vector<AgentNumber> agents;
    for (std::uint32_t i = 1; i <= world_.agents(); ++i)
      if (world_.present(AgentNumber(i))) agents.emplace_back(i);
    return agents;
  }
  const std::string& first_other(AgentNumber agent) const {
    const auto agents = present();
    return name_of(agents.front() != agent || agents.size() == 1 ? agents.front() : agents[1]);
  }
  const std::string& name_of(AgentNumber agent) const { return world_.agent(agent).id; }

  // Open and over.
  std::vector<Offset> offers_of(const std::string& task) const {
    std::vector<Offset> offers;
    if (!scope_.offers) return offers;
    world_.workspace().messages.visit_after(Offset{}, [&](Offset offset, const engine::Message& message) {
      if (message.id.view().starts_with("offer of " + task)) offers.push_back(offset);
      return true;
    });
    return offers;
  }
  AgentNumber receiver_of(Offset message) const {
    return world_.workspace().messages.at(message).receipts.front().agent;
  }

  void add_offers(const std::string& id, AgentNumber sender, const Task* task, std::vector<Said>& all) const {
    if (!scope_.offers) return;
    for (const AgentNumber to : present())
      all.push_back({.kind = Kind::task_handoff, .sender = sender, .task = id, .to = name_of(to)});
    for (const std::string& to : who_hears(sender, task ? task->assignee : AgentNumber{}))
      for (const Offset offer : offers_of(id))
        for (const bool accepts : {true, false})
          for (const bool looser : {true, false})
            if (accepts || !looser)
              all.push_back({.kind = Kind::task_handoff_reply,
                             .sender = sender,
                             .task = id,
                             .to = to,
                             .accepts = accepts,
                             .offer = offer,
                             .looser = looser});
  }

  std::vector<Said> everything_to_say() const {
    std::vector<Said> all;
    for (const std::string& id : scope_.ids) {
      const Task* const task = find(id);
      for (const AgentNumber sender : present()) {
        for (const AgentNumber to : present())
          if (to != sender) all.push_back({Kind::task_assign, sender, id, name_of(to), 0, {}, {}});
        for (const std::string& to : who_hears(sender, task ? task->assigner : AgentNumber{})) {
          for (std::uint32_t n = 1; task && n <= task->epoch; ++n)
            for (const bool accepts : {true, false}) all.push_back({Kind::task_ack, sender, id, to, n, accepts, {}});
          for (const Kind kind : {Kind::task_progress, Kind::task_complete, Kind::task_fail})
            all.push_back({kind, sender, id, to, 0, {}, {}});
          if (scope_.reviews > 0 && task && world_.workspace().reviews.of_task(offset_of(id)))
            for (const auto verdict :
                 {engine::ReviewState::approved, engine::ReviewState::changes_requested, engine::ReviewState::rejected})
              all.push_back({Kind::review_result, sender, id, to, 0, {}, verdict});
        }
        for (const std::string& to : who_hears(sender, task ? task->assignee : AgentNumber{}))
          all.push_back({Kind::task_abort, sender, id, to, 0, {}, {}});
        for (const AgentNumber to : present())
          if (scope_.reviews > 0 && to != sender)
            all.push_back({Kind::review_request, sender, id, name_of(to), 0, {}, {}});
        add_offers(id, sender, task, all);
      }
    }
    std::erase_if(all, [&](const Said& said) { return !world_.type_of(said.kind); });
    return all;
  }
  // Whoever must hear of it, and one other; all others where that one is not here.
  std::vector<std::string> who_hears(AgentNumber sender, AgentNumber whom) const {
    std::vector<std::string> names;
    if (world_.present(whom)) names.push_back(name_of(whom));
    for (const AgentNumber other : present())
      if (other != whom && other != sender && (names.size() < 2 || !world_.present(whom)))
        names.push_back(name_of(other));
    if (names.empty()) names.push_back(name_of(sender));
    return names;
  }

  Offset offset_of(const std::string& id) const { return *world_.workspace().tasks.find(id); }
  std::size_t reviews_of(const std::string& id) const {
    const auto at = world_.workspace().tasks.find(id);
    const engine::ReviewedTask* const reviewed = at ? world_.workspace().reviews.of_task(*at) : nullptr;
    return reviewed ? reviewed->reviews.size() : 0;
  }

  static std::string text_of(const Said& said) {
    std::string text = std::string(envelope::name(said.kind)) + " of '" + said.task + "' by agent " +
                       std::to_string(said.sender.value) + " to '" + said.to + "'";
    if (said.verdict) text += ", " + std::string(machine::review::name(*said.verdict));
    if (said.answers > 0)
      text += std::string(*said.accepts ? ", takes" : ", declines") + " assignment " + std::to_string(said.answers);
    if (said.offer != Offset{})
      text += std::string(*said.accepts ? ", takes" : ", declines") + " offer " + std::to_string(said.offer.value) +
              (said.looser ? ", more loosely" : "");
    return text;
  }

  bool in_scope(const Said& said, const Views& before) const {
    if (said.kind == Kind::review_request) return reviews_of(said.task) < scope_.reviews;
    // Whom it is given to matters little where everybody may hand it on.
    if (scope_.offers && said.kind == Kind::task_assign && said.to != first_other(said.sender)) return false;
    const bool assigns = said.kind == Kind::task_assign || said.kind == Kind::task_handoff;
    return !assigns || before.at(said.task).epoch < scope_.epochs;
  }

  // ---- One message.

  base::Result<engine::Accepted> decide(const Said& said) {
    envelope::Envelope envelope;
    envelope.kind = said.kind;
    envelope.message_id = "m" + std::to_string(world_.workspace().head.value);
    envelope.recipients = {said.to};
    envelope.delivery = envelope::DeliveryClass::at_most_once;
    if (said.kind == Kind::task_ack) {
      const Task& task = *find(said.task);
      const bool late = planted_ == Planted::late_ack;
      const Offset named = late ? task.assignment() : task.assignments[said.answers - 1];
      envelope.fields.push_back(
          field_of("message", '"' + std::string(world_.workspace().messages.at(named).id.view()) + '"'));
      envelope.fields.push_back(field_of("accepted", *said.accepts ? "true" : "false"));
    } else {
      envelope.task = said.task;
    }
    if (said.kind == Kind::task_assign && scope_.reviews > 0) {  // also a revision's: it carries all it may have to
      envelope.fields.push_back(field_of("attempts", "[{},{},{}]"));
      envelope.fields.push_back(field_of("required_changes", R"([{"change_id":"c"}])"));
      if (scope_.limited) envelope.fields.push_back(field_of("max_iterations", std::to_string(scope_.reviews)));
    }
    if (said.kind == Kind::review_request)
      envelope.fields.push_back(
          field_of("review", '"' + said.task + std::to_string(world_.workspace().head.value) + '"'));
    if (said.kind == Kind::review_result) {
      const engine::Workspace& workspace = world_.workspace();
      const Offset newest = workspace.reviews.of_task(offset_of(said.task))->reviews.back();
      envelope.fields.push_back(field_of("review", '"' + std::string(workspace.reviews.at(newest).id.view()) + '"'));
      envelope.fields.push_back(field_of("verdict", '"' + std::string(machine::review::name(*said.verdict)) + '"'));
      if (*said.verdict != engine::ReviewState::approved) {
        envelope.fields.push_back(field_of("findings", R"([{"finding_id":"f","severity":"major"}])"));
        envelope.fields.push_back(field_of("required_changes", R"([{"change_id":"c","related_findings":["f"]}])"));
      }
    }
    if (said.kind == Kind::task_abort) envelope.fields.push_back(field_of("scope", "\"task\""));
    if (said.kind == Kind::task_handoff) write_offer(said, envelope);
    if (said.kind == Kind::task_handoff_reply) write_answer(said, envelope);
    if (said.kind == Kind::task_assign && said.task == scope_.ids[0] && scope_.deadline > 0us)
      envelope.fields.push_back(field_of("deadline", '"' + base::to_rfc3339(world_.now + scope_.deadline) + '"'));
    return world_.accept(said.sender, std::move(envelope));
  }

  // An offer and its answer are one type to the profile; and an offer that is over stands until the server looks.
  bool could_be_legal(const Said& said, const View& task) const {
    if (said.kind == Kind::task_handoff) return said.sender == task.assignee;
    if (said.kind != Kind::task_handoff_reply) return true;
    if (task.offer == Offset{}) return false;
    const Instant due = find(said.task)->offer->due;
    return said.sender == task.target && (due == Instant{} || due > world_.now);
  }
  void write_offer(const Said& said, envelope::Envelope& envelope) const {
    envelope.message_id = "offer of " + said.task + " " + envelope.message_id;
    envelope.fields.push_back(field_of("budget", "10"));
    if (said.task == scope_.ids[0])
      envelope.expires_at = world_.now + scope_.offer_time;
    else
      envelope.fields.push_back(field_of("capabilities", R"(["deep"])"));
  }
  void write_answer(const Said& said, envelope::Envelope& envelope) const {
    const bool late = planted_ == Planted::late_answer && find(said.task)->offer;
    const Offset named = late ? find(said.task)->offer->request : said.offer;
    envelope.correlation = world_.workspace().messages.at(named).id.view();
    envelope.fields.push_back(field_of("accepted", *said.accepts ? "true" : "false"));
    envelope.fields.push_back(field_of("budget", said.looser ? "11" : "10"));
  }

  // Whether it is accepted; what is refused leaves nothing behind. Remembers what may be said instead.
  bool ask(const Said& said, const Views& before) {
    findings_.at(text_of(said));
    const auto answer = decide(said);
    if (!answer && smuggled(said, before)) return true;
    Chances& chances = chances_[{said.sender, said.task}];
    const std::string& type = rules_.type(*world_.type_of(said.kind)).name;
    if (answer) {
      chances.accepted.insert(type);
      return true;
    }
    findings_.require(world_.decided_nothing(), 9, "a message that was refused left something behind");
    const base::Error& error = answer.error();
    using base::ErrorCode;
    const bool of_no_task = error.code == ErrorCode::STALE_ORDER && error.where == "correlation";
    const bool by_table = error.code == ErrorCode::TASK_UNKNOWN || error.code == ErrorCode::OUT_OF_SEQUENCE ||
                          error.code == ErrorCode::NOT_PARTY || (error.code == ErrorCode::STALE_ORDER && !of_no_task);
    if (by_table) chances.told.push_back({text_of(said), {error.legal_next.begin(), error.legal_next.end()}});
    const View& task = before.at(said.task);
    const bool nobody_to_hear = (error.where == "recipient" && error.code == ErrorCode::DIRECTION) ||
                                error.code == ErrorCode::CAPABILITY_MISSING || said.to == name_of(said.sender);
    const bool no_room = error.code == ErrorCode::TASKS_FULL;
    if (!nobody_to_hear && !no_room && could_be_legal(said, task)) chances.possible.insert(type);
    if (said.answers > 0 && !answers_newest(said, task) && error.where != "recipient")
      findings_.require(error.code == ErrorCode::STALE_ORDER, 7,
                        "what answers an older assignment is not called stale");
    if (said.offer != Offset{} && said.offer != task.offer)
      findings_.require(of_no_task, 7, "what answers an offer that is over is not called stale");
    return false;
  }

  // INV-10: what a refusal lists is accepted of this sender now, and nothing else is.
  void compare_legal_next() {
    for (const auto& [whose, chances] : chances_)
      for (const auto& [step, listed] : chances.told) {
        findings_.at(step);
        for (const std::string& type : listed)
          if (chances.possible.contains(type))  // else nobody is here to hear it, or there is no room
            findings_.require(chances.accepted.contains(type), 10, "'" + type + "' is called legal and is refused");
        for (const std::string& type : chances.accepted)
          findings_.require(listed.contains(type), 10, "'" + type + "' is accepted and is not called legal");
      }
    chances_.clear();
  }

  void make(const Said& said, const Views& before) {
    if (!decide(said)) smuggle(said);
    for (engine::Fact& fact : world_.facts()) alter(fact.event);
    world_.apply();
    judge(said, before);
  }

  // Given again, an assignment is the same message.
  bool answers_newest(const Said& said, const View& task) const {
    return find(said.task)->assignments[said.answers - 1] == task.assignment;
  }

  void judge(const Said& said, const Views& before) {
    check_owners();
    const Views after = views();
    for (const std::string& id : scope_.ids)
      if (id != said.task && (scope_.tasks > 1 || after.at(id).state != TaskState::none))
        findings_.require(after.at(id).same_but_for_time(before.at(id)), 8,
                          "a message moved another task than its own");
    const View& was = before.at(said.task);
    const View& is = after.at(said.task);
    const bool given_up =
        said.kind == Kind::task_abort && engine::can_be_aborted(was.state);  // sent back by its review
    const bool ended_twice =
        machine::task::is_over(was.state) && machine::task::is_over(is.state) && is.epoch == was.epoch;
    findings_.require(!ended_twice || given_up, 2, "an assignment that was over came to an end again");
    findings_.require(said.answers == 0 || answers_newest(said, was), 7,
                      "what answers an older assignment was accepted");
    findings_.require(was.offer != Offset{} || said.offer == Offset{}, 20, "an offer was answered that is over");
    findings_.require(said.offer == was.offer || said.offer == Offset{}, 7,
                      "what answers an offer that is over was accepted");
    const Move* const row = row_of(said, was);
    findings_.require(row != nullptr, 8, "accepted, though no row of the table allows it");
    if (!row) return;
    findings_.require(is.state == row->to.value_or(was.state), 3,
                      "what was accepted did not bring the task to '" +
                          std::string(machine::task::name(row->to.value_or(was.state))) + "'");
    const bool assigns = said.kind == Kind::task_assign;
    const bool takes_over = said.offer != Offset{} && *said.accepts;
    judge_offer(said, was, is);
    findings_.require(is.epoch == was.epoch + (assigns || takes_over ? 1 : 0), 6,
                      "an epoch that rose without, or not by one with an assignment");
    findings_.require(assigns || takes_over || (is.assigner == was.assigner && is.assignee == was.assignee), 1,
                      "the task went to another without an assignment");
    findings_.require(!assigns || (is.assigner == said.sender && name_of(is.assignee) == said.to), 3,
                      "assigned to another than was said");
  }
  // INV-20.
  void judge_offer(const Said& said, const View& was, const View& is) {
    if (said.kind == Kind::task_handoff) {
      const bool was_free = was.offer == Offset{} || !world_.present(was.target);
      findings_.require(was_free, 20, "a task is offered to two");
      findings_.require(is.offer == world_.workspace().head && name_of(is.target) == said.to, 20,
                        "offered to another than was said");
      findings_.require(is.assignee == was.assignee, 20, "who is offered a task has it before it takes it");
      return;
    }
    if (said.offer != Offset{}) {
      findings_.require(is.offer == Offset{}, 20, "an offer that was answered is open");
      const AgentNumber owner = *said.accepts ? said.sender : was.assignee;
      findings_.require(is.assignee == owner && is.assigner == was.assigner, 3,
                        "what was taken, or declined, went to another");
      findings_.require(is.assignment == (*said.accepts ? said.offer : was.assignment), 3,
                        "the offer that was taken is not the order");
      return;
    }
    const Offset stays = is.open() ? was.offer : Offset{};
    findings_.require(is.offer == stays, 20, "an offer ended, or outlived its task");
  }

  // The table read on its own.
  const Move* row_of(const Said& said, const View& was) const {
    for (const Move& move : machine::task::moves) {
      if (move.on != said.kind || (move.from & machine::task::of(was.state)) == 0) continue;
      if (move.when == Guard::takes && !said.accepts.value_or(false)) continue;
      if (move.when == Guard::declines && said.accepts.value_or(true)) continue;
      if (move.when == Guard::needs_no_ack && rules_.tasks->needs_ack) continue;
      if (move.when == Guard::is_free && was.offer != Offset{} && world_.present(was.target)) continue;
      if (move.when == Guard::passes && said.verdict != engine::ReviewState::approved) continue;
      const bool changes = said.verdict == engine::ReviewState::changes_requested;
      const bool last = scope_.limited && reviews_of(said.task) >= scope_.reviews;
      if (move.when == Guard::needs_changes && (!changes || last)) continue;
      if (move.when == Guard::needs_a_human && (!changes || !last)) continue;
      if (move.when == Guard::is_exhausted) continue;  // no workspace of ours has it so
      if (move.when == Guard::is_rejected && said.verdict != engine::ReviewState::rejected) continue;
      const bool of_a_hold =  // no message of this world asks for a human
          move.when == Guard::is_held || move.when == Guard::is_held_at_once || move.when == Guard::is_released;
      if (move.when == Guard::is_in_part || move.when == Guard::is_in_part_at_once) continue;  // nor is done in part
      if (of_a_hold || move.when == Guard::must_wait || move.when == Guard::cannot_begin)
        continue;  // nor depends on one
      if (move.by == Party::assignee && said.sender != was.assignee) continue;
      if (move.by == Party::reviewer && said.sender != was.reviewer) continue;
      if (move.by == Party::target && (said.sender != was.target || said.looser)) continue;
      if (move.by == Party::assigner && said.sender != was.assigner && world_.present(was.assigner)) continue;
      return &move;
    }
    return nullptr;
  }

  // ---- What people decide of a review that could not (R37).

  void add_people() {
    for (const auto& [id, role] : {std::pair{"max", "maintainer"}, {"eve", "observer"}, {"judge", "maintainer"}}) {
      (void)world_.decide(engine::RegisterPerson{team, id, {role}, {}, base::sha256("person " + std::string(id))});
      world_.apply();
    }
  }
  template <class Arrive>
  void decide_reviews(const Views& before, Arrive arrive) {
    constexpr base::PersonNumber max{1}, eve{2}, judge{3};
    using engine::Decision;
    std::vector<Offset> approvals;
    for (const auto& [offset, approval] : world_.workspace().approvals.all()) approvals.push_back(offset);
    for (const Offset offset : approvals)
      for (const base::PersonNumber person : {base::PersonNumber{}, max, eve, judge})
        for (const Decision decision : {Decision::approve, Decision::reject, Decision::modify})
          decide_review(offset, person, decision, person == max || (person == judge && !asked_by(offset, "judge")),
                        before, arrive);
  }
  bool asked_by(Offset approval, std::string_view id) const {
    return world_.agent(world_.workspace().approvals.find(approval)->asker).id == id;
  }
  template <class Arrive>
  void decide_review(Offset offset, base::PersonNumber person, engine::Decision decision, bool entitled,
                     const Views& before, Arrive arrive) {
    const std::string word(engine::decision_names[static_cast<std::size_t>(decision)]);
    const std::string step = "person " + std::to_string(person.value) + " decides a review: " + word;
    findings_.at(step);
    const engine::Approval& approval = *world_.workspace().approvals.find(offset);
    const bool escalated = approval.state == machine::approval::State::escalated;
    const bool in_time = approval.waits() && (!escalated || approval.due > world_.now);
    const auto answer = world_.decide(engine::DecideApproval{.workspace = team,
                                                             .approval = offset,
                                                             .agent = {},
                                                             .person = person,
                                                             .decision = decision,
                                                             .rationale = "so it is",
                                                             .shown = approval.shown,
                                                             .modified_action = {},
                                                             .changed = {}});
    const bool may = entitled && in_time && decision != engine::Decision::modify;
    findings_.require(answer.has_value() == may, 21, "a person decided a review, or did not, against the table");
    if (!answer) return;
    world_.apply();
    const TaskState to = decision == engine::Decision::approve ? TaskState::completed : TaskState::planning;
    for (const auto& [id, is] : views()) {
      const View& was = before.at(id);
      findings_.require(was.state == TaskState::in_review && is.state == to, 3,
                        "a decision did not bring its task where its row leads");
      findings_.require(is.epoch == was.epoch && is.assignee == was.assignee, 6, "a decision changed an assignment");
    }
    arrive(step, false);
  }

  // ---- Faults of ours.

  bool smuggled(const Said& said, const Views& before) const {
    const View& was = before.at(said.task);
    if (planted_ == Planted::two_owners)
      return said.kind == Kind::task_assign && was.open() && name_of(was.assignee) != said.to &&
             said.sender == was.assigner;
    if (planted_ == Planted::double_decision)
      return said.kind == Kind::task_complete && was.state == TaskState::completed && said.sender == was.assignee;
    if (planted_ == Planted::double_answer)
      return said.offer == was.assignment && said.sender == was.assignee && was.open() && *said.accepts;
    return false;
  }
  // As if the engine had not refused it.
  void smuggle(Said said) {
    const Task& task = *find(said.task);
    const auto offset = *world_.workspace().tasks.find(said.task);
    if (planted_ == Planted::two_owners) {
      said.task = "another";
      (void)decide(said);
      world_.facts().front().event.mutable_message_accepted()->set_task(std::string(task.id.view()));
    } else if (planted_ == Planted::double_answer) {
      said.kind = Kind::status_report;  // a message that concerns no task
      said.task = "";
      (void)decide(said);
      event::TaskMoved& moved = *world_.facts().front().event.mutable_message_accepted()->mutable_task_moved();
      moved.set_task(offset.value);
      moved.set_state(static_cast<std::uint32_t>(TaskState::active));
      moved.set_epoch(task.epoch + 1);
      moved.set_assignee(said.sender.value);
      moved.mutable_offer()->set_state(event::TaskOffer::ACCEPTED);
    } else {
      said.kind = Kind::task_abort;  // of a session: a message that concerns no task
      said.sender = task.assigner;
      said.to = name_of(task.assignee);
      said.task = "";
      (void)decide(said);
      event::TaskMoved& moved = *world_.facts().front().event.mutable_message_accepted()->mutable_task_moved();
      moved.set_task(offset.value);
      moved.set_state(static_cast<std::uint32_t>(TaskState::completed));
      moved.set_epoch(task.epoch);
    }
  }
  void alter(event::Event& event) const {
    if (!event.has_message_accepted() || !event.message_accepted().has_task_moved()) return;
    event::MessageAccepted& message = *event.mutable_message_accepted();
    if (message.task_moved().has_offer()) return alter_offer(message);
    if (planted_ == Planted::lost_completion && message.kind() == static_cast<std::uint32_t>(Kind::task_complete))
      message.clear_task_moved();
    else if (planted_ == Planted::skipped_epoch && message.task_moved().epoch() > 1)
      message.mutable_task_moved()->set_epoch(message.task_moved().epoch() + 1);
  }

  void alter_offer(event::MessageAccepted& message) const {
    using event::TaskOffer;
    event::TaskMoved& moved = *message.mutable_task_moved();
    if (planted_ == Planted::early_owner && moved.offer().state() == TaskOffer::OFFERED) {
      moved.set_assigner(message.sender());
      moved.set_assignee(message.recipients(0));
      moved.clear_offer();
    }
    if (moved.offer().state() != TaskOffer::ACCEPTED) return;
    if (planted_ == Planted::skipped_epoch_of_offer) moved.set_epoch(moved.epoch() + 1);
    if (planted_ == Planted::lost_answer) message.clear_task_moved();
  }

  // ---- Offers that are taken back (BEY-03).

  template <class Arrive>
  void take_offers_back(const Views& before, Arrive arrive) {
    for (const std::string& id : scope_.ids)
      for (const Offset offer : offers_of(id)) {
        const AgentNumber sender = world_.workspace().messages.at(offer).sender;
        if (!world_.present(sender)) continue;
        const std::string what = "offer " + std::to_string(offer.value) + " of '" + id + "'";
        rescind(id, offer, what, before, arrive);
        if (before.at(id).offer == offer || before.at(id).assignment == offer)
          supersede(id, offer, what, before, arrive);
      }
  }
  // As the journal has it.
  static event::MessageAccepted was_of(Offset task, const Task& of_task) {
    event::MessageAccepted was;
    was.set_kind(static_cast<std::uint32_t>(Kind::task_handoff));
    was.mutable_task_moved()->set_task(task.value);
    was.mutable_task_moved()->set_state(static_cast<std::uint32_t>(of_task.state));
    was.mutable_task_moved()->mutable_offer()->set_state(event::TaskOffer::OFFERED);
    return was;
  }
  template <class Arrive>
  void rescind(const std::string& id, Offset offer, const std::string& what, const Views& before, Arrive arrive) {
    findings_.at(what + " is rescinded");
    const event::MessageAccepted was = was_of(offset_of(id), *find(id));
    const bool stands = !world_.decide(engine::TakeBack{team, offer, was, "changed my mind"});
    if (stands && planted_ == Planted::taken_back_late && before.at(id).assignment == offer && before.at(id).open())
      (void)world_.decide(engine::CancelTask{team, offset_of(id), before.at(id).assigner, "changed my mind"});
    judge_taken_back(id, offer, before, arrive, what + " is rescinded");
  }
  // By a message that is about no task; one that offers it anew is refused.
  template <class Arrive>
  void supersede(const std::string& id, Offset offer, const std::string& what, const Views& before, Arrive arrive) {
    const AgentNumber sender = world_.workspace().messages.at(offer).sender;
    const event::MessageAccepted was = was_of(offset_of(id), *find(id));
    for (const bool anew : {true, false}) {
      const std::string step = what + " is superseded" + (anew ? " by another" : "");
      findings_.at(step);
      Said said{.kind = anew ? Kind::task_handoff : Kind::help_reply, .sender = sender, .task = id, .to = {}};
      said.to = first_other(sender);  // who has the offer may be gone
      if (said.to == name_of(sender)) continue;
      envelope::Envelope envelope;
      envelope.kind = said.kind;
      envelope.native_type = rules_.type(*world_.type_of(said.kind)).name;
      envelope.message_id = "m" + std::to_string(world_.workspace().head.value);
      envelope.recipients = {said.to};
      envelope.delivery = envelope::DeliveryClass::at_most_once;
      if (anew) {
        envelope.task = id;
        write_offer(said, envelope);
      }
      engine::AcceptMessage command = world_.command(sender, envelope);
      const engine::TakeBack superseded{team, offer, was, {}};
      command.supersedes = &superseded;
      const bool accepted = world_.decide(command).has_value();
      findings_.require(!accepted || !anew || before.at(id).offer != offer, 20,
                        "a task is offered in an offer's place");
      if (accepted && anew) {  // in the place of one that is over: an offer like others
        world_.load(*node_);
        continue;
      }
      judge_taken_back(id, offer, before, arrive, step);
    }
  }
  // INV-20: an open offer is over, and its target told; one that was taken stands, and with it whose the task is.
  template <class Arrive>
  void judge_taken_back(const std::string& id, Offset offer, const Views& before, Arrive arrive,
                        const std::string& step) {
    const View& was = before.at(id);
    if (world_.decided_nothing())
      return findings_.require(was.offer != offer || step.ends_with("by another"), 20,
                               "an open offer cannot be taken back");
    const AgentNumber sender = world_.workspace().messages.at(offer).sender;
    std::set<std::uint32_t> told;
    for (const engine::Fact& fact : world_.facts())
      if (fact.event.has_message_accepted() && fact.event.message_accepted().sender() == 0)
        told.insert(fact.event.message_accepted().recipients(0));
    world_.apply();
    check_owners();
    const Views after = views();
    for (const std::string& other : scope_.ids)
      findings_.require(other == id || after.at(other).same_but_for_time(before.at(other)), 8,
                        "another task moved with an offer that was taken back");
    View wanted = was;
    const bool ends = was.offer == offer && after.at(id).offer == Offset{};
    if (ends) wanted.offer = {};
    // Whose task it is may end it: it takes back an order of its own.
    const bool cancels =
        was.assignment == offer && after.at(id).state == TaskState::aborted && was.open() && sender == was.assigner;
    if (cancels) return arrive(step, false);
    findings_.require(after.at(id).same_but_for_time(wanted), 20, "a task moved with an offer that was taken back");
    findings_.require(!ends || !world_.present(was.target) || told.contains(was.target.value), 4,
                      "an offer was taken back and its target not told");
    findings_.require(ends || was.offer != offer, 20, "an open offer cannot be taken back");
    if (ends) return arrive(step, false);
    world_.load(*node_);
  }

  // ---- What nobody says.

  // INV-1, of whatever state.
  void check_owners() {
    std::map<std::string, int> open;
    for (const auto& [offset, task] : world_.workspace().tasks.all())
      if (!machine::task::is_over(task->state)) ++open[std::string(task->id.view())];
    for (const auto& [id, count] : open)
      findings_.require(count == 1, 1, "'" + id + "' is the task of two agents at once");
    for (std::uint32_t i = 1; i <= world_.agents(); ++i)
      for (const Offset offset : world_.workspace().tasks.of(AgentNumber(i)))
        findings_.require(world_.workspace().tasks.at(offset).assignee == AgentNumber(i), 1,
                          "a task stands with an agent that is not its assignee");
  }

  template <class Arrive>
  void let_time_go_on(const Views& before, Arrive arrive) {
    if (!world_.comes_to_look(arrive)) return;
    findings_.at("the server looks");
    world_.decide_due();
    findings_.require(!world_.decided_nothing(), 4, "something is due and nothing is done");
    std::set<std::pair<std::uint32_t, std::string>> told;  // agent, task
    const auto hears = [&](AgentNumber agent, const std::string& id) {
      return !world_.present(agent) || told.contains({agent.value, id});
    };
    for (const engine::Fact& fact : world_.facts())
      if (fact.event.has_message_accepted() && fact.event.message_accepted().sender() == 0)
        told.emplace(fact.event.message_accepted().recipients(0), fact.event.message_accepted().task());
    world_.apply();
    check_owners();
    for (const auto& [id, is] : views()) {
      const View& was = before.at(id);
      if (is.same_but_for_time(was) || (scope_.tasks == 1 && is.state == TaskState::none)) continue;
      check_server_move(was, is);
      findings_.require(is.state != TaskState::failed || hears(was.assigner, id), 4,
                        "a task was given up and its assigner not told");
      const bool taken_back = is.open() && is.offer != was.offer;
      findings_.require(!taken_back || is.offer == Offset{}, 20, "the server offered a task");
      findings_.require(!taken_back || (hears(was.assignee, id) && hears(was.target, id)), 4,
                        "an offer is over, and its owner or its target was not told");
      findings_.require(is.open() || is.offer == Offset{}, 20, "an offer outlived its task");
    }
    arrive("the server looks", true);
  }
  void check_server_move(const View& was, const View& is) {
    findings_.require(!machine::task::is_over(was.state), 5, "the server moved a task that was over");
    const bool waited = was.state == TaskState::postponed || was.state == TaskState::escalated;
    const bool again = waited && is.state == TaskState::assigned;  // COL-16
    findings_.require(is.epoch == was.epoch + (again ? 1 : 0) && is.assignee == was.assignee, 6,
                      "the server changed an assignment");
    bool row = false;
    for (const Move& move : machine::task::moves)
      row = row ||
            (move.by == Party::server && (move.from & machine::task::of(was.state)) != 0 &&
             is.state == move.to.value_or(was.state) && (move.to || (is.late && !was.late) || is.offer != was.offer));
    findings_.require(row, 8, "the server made a move that is in no row");
  }

  template <class Arrive>
  void come_and_go(const Views& before, Arrive arrive) {
    for (const AgentNumber agent : present()) {
      const std::string step = "'" + name_of(agent) + "' is removed";
      findings_.at(step);
      (void)world_.decide(engine::RemoveAgent{team, agent});
      world_.apply();
      check_unmoved(before);
      arrive(step, false);
    }
    if (!scope_.comes_back || world_.agents() > scope_.agents.size() || world_.present(AgentNumber(1))) return;
    findings_.at("the assigner registers anew");
    enrol(scope_.agents.front());
    check_unmoved(before);
    arrive("the assigner registers anew", false);
  }

  template <class Arrive>
  void crash(const Views& before, Arrive arrive) {
    // The state is one that was loaded from its snapshot already; now the server starts with it.
    findings_.at("a crash");
    world_.now += scope_.downtime;
    world_.decide(engine::StartServer{scope_.downtime});
    world_.apply();
    check_unmoved(before);
    for (const auto& [id, is] : views())
      if (is.open() && is.state != TaskState::in_review && is.state != TaskState::escalated)
        findings_.require(is.heard_at == before.at(id).heard_at + scope_.downtime, 13,
                          "the time that the server was down counts against an assignee");
    arrive("a crash", false);
  }
  // INV-13.
  void check_unmoved(const Views& before) {
    for (const auto& [id, is] : views())
      findings_.require(is.same_but_for_time(before.at(id)), 13, "a task moved that nobody moved");
  }

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

Scope collab() {
  return {.profile = "collab",
          .agents = {{"architect", "architect"}, {"dev-1", "developer"}, {"dev-2", "developer"}},
          .times = {.progress_after = 4s, .progress_every = 2s, .silence = 4s},
          .downtime = 2s};
}

std::optional<Broken> explore(const std::string& name, const Scope& scope, std::string_view planted) {
  TaskModel model(scope, planted_of(scope.offers ? faults_of_offers : faults, planted));
  return Explorer(model, {.rests_by_time = scope.rests_by_time}).explore(name);
}

// With deadlines, and an assigner that is removed and comes back as another.
Scope deadlines() {
  Scope scope = collab();
  scope.deadline = 4s;
  scope.comes_back = true;
  scope.epochs = 3;
  scope.ids = {"one"};
  return scope;
}
// Hand-offs, without acknowledgments and without times of tasks: an end is always within reach, but no timer brings it.
Scope handoff() {
  return {.profile = "handoff",
          .agents = {{"giver", ""}, {"first", "", {"deep"}}, {"second", "", {"deep"}}},
          .times = {},
          .downtime = 4s,
          .rests_by_time = false,
          .offers = true};
}
// One task on a longer way, and an assigner that comes back as another.
Scope far_handoff() {
  Scope scope = handoff();
  scope.epochs = 3;
  scope.comes_back = true;
  scope.ids = {"one"};
  return scope;
}
// Without acknowledgments, and each task with a time of its own; one attempt more where it is over.
Scope supervisor() {
  return {.profile = "supervisor",
          .agents = {{"orchestrator", ""}, {"triage", ""}, {"scribe", ""}},
          .times = {},
          .downtime = 60s,
          .step = 60s};
}
// With room for one task, open or over: what is over is forgotten with the next, and its id is free.
Scope little_room() {
  Scope scope = collab();
  scope.tasks = 1;
  return scope;
}

// Reviewed, by whom the roles let and by those that they do not: one task, and two who may judge it.
Scope reviews() {
  Scope scope = collab();
  scope.agents = {{"architect", "architect"}, {"dev-1", "developer"}, {"judge", "reviewer"}, {"other", "reviewer"}};
  scope.reviews = 2;
  scope.ids = {"one"};
  return scope;
}

// Up to the last iteration. A crash takes no time here: an approval's deadline stays where it is while the server is
// down, and each crash would be another state.
Scope last_review() {
  Scope scope = reviews();
  scope.limited = true;
  scope.downtime = {};
  return scope;
}

const Registered in_collab({"task", names_of(faults),
                            [](std::string_view planted) { return explore("task", collab(), planted); }});
const Registered with_deadlines({"task.deadlines", {}, [](std::string_view) {
                                   return explore("task.deadlines", deadlines(), {});
                                 }});
const Registered in_handoff({"handoff", names_of(faults_of_offers),
                             [](std::string_view planted) { return explore("handoff", handoff(), planted); }});
const Registered far_in_handoff({"handoff.far", {}, [](std::string_view) {
                                   return explore("handoff.far", far_handoff(), {});
                                 }});
const Registered in_supervisor({"task.supervisor", {}, [](std::string_view) {
                                  return explore("task.supervisor", supervisor(), {});
                                }});
const Registered with_reviews({"task.reviews", {}, [](std::string_view) {
                                 return explore("task.reviews", reviews(), {});
                               }});
const Registered to_the_last_review({"task.last_review", {}, [](std::string_view) {
                                       return explore("task.last_review", last_review(), {});
                                     }});
const Registered with_little_room({"task.little_room", {}, [](std::string_view) {
                                     return explore("task.little_room", little_room(), {});
                                   }});

}  // namespace
}  // namespace parley::models::task_model
