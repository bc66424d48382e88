// Approvals (spec/machines/approval.json): requests for a decision, and completions that are held until a human has
// decided. Decisions by everybody there is (those entitled, other people, the asker under its own name, agents, the
// admin), of what was shown and of something else, in time and late; approvers that are removed; a task that is
// cancelled or loses its assignee meanwhile; a crash and time at any step. INV-2 to INV-4, INV-9, INV-11 to INV-13,
// INV-21 and INV-22 of docs/internals/invariants.md.
//
// Two states are one where their people, their agents, their task and the newest approval of each name stand alike;
// what is left until an approval is due counts, not when that is. Mail, and the record of refusals, change nothing
// here.
#include <algorithm>
#include <map>
#include <set>

#include "engine/approvals/decide.hpp"
#include "machine/approval.hpp"
#include "profile/rulesets.hpp"
#include "tables.hpp"
#include "world.hpp"

namespace parley::models::approval_model {
namespace {

using namespace std::chrono_literals;
using base::PersonNumber;
using engine::Approval;
using engine::Decision;
using engine::ReceiptState;
using engine::TaskState;
using envelope::Kind;
using State = Approval::State;

constexpr AgentNumber orchestrator{1}, triage{2};
constexpr PersonNumber ada{1}, max{2}, eve{3}, same_as_asker{4};
constexpr base::Duration wait = 4s, downtime = 2s;
constexpr std::string_view changed_bytes = R"({"changed":true})";
const std::string work = "work";

// A name under which approvals are opened: ids of messages begin with it.
struct Slot {
  std::string name;
  Kind kind{};
  std::vector<std::string> approvers{}, options{};

  bool holds() const { return kind != Kind::approval_request; }
};

struct Scope {
  std::vector<Slot> slots;
  bool escalates = true;
};

enum class Planted { none, double_decision, by_the_asker, unseen, late_decision, lost_completion, early_word };

const std::vector<std::pair<Fault, Planted>> faults{{{"double_decision", 21}, Planted::double_decision},
                                                    {{"by_the_asker", 21}, Planted::by_the_asker},
                                                    {{"unseen", 21}, Planted::unseen},
                                                    {{"late_decision", 21}, Planted::late_decision}};
const std::vector<std::pair<Fault, Planted>> faults_of_holds{{{"lost_completion", 3}, Planted::lost_completion},
                                                             {{"early_word", 22}, Planted::early_word}};

// An approval, and its task, as they stood before a step.
struct View {
  Offset offset;
  State state = State::none;
  PersonNumber decided_by;
  Instant due;
  bool operator==(const View&) const = default;

  bool waits() const { return state != State::none && !machine::approval::is_over(state); }
};
struct TaskView {
  TaskState state = TaskState::none;
  std::uint32_t epoch = 0;
  AgentNumber assignee;
  Offset held;
  bool operator==(const TaskView&) const = default;
};
struct Views {
  std::map<std::string, View> approvals;  // by slot
  TaskView task;
};

// A decision that somebody might take.
struct Deciding {
  const Slot* slot = nullptr;
  AgentNumber agent;
  PersonNumber person;
  Decision decision{};
  bool saw_it = true;   // what is shown
  bool accepts = true;  // the profile, the changed action
};

class ApprovalModel {
 public:
  using Node = Saved;

  ApprovalModel(const Scope& scope, Planted planted)
      : scope_(scope), planted_(planted), rules_(*profile::built_in().find("supervisor")), world_(rules_) {
    rules_.approvals->timeout = wait;
    rules_.approvals->escalates = scope.escalates;
    rules_.tasks->timeout = {};
  }

  Node first() {
    world_.create_team({});
    for (const std::string name : {"orchestrator", "triage"}) world_.enrol(name);
    add_person("ada", "approver");
    add_person("max", "maintainer");
    add_person("eve", "observer");
    add_person("triage", "maintainer");  // the asker's own
    return world_.save();
  }
  Arrival first_arrival() { return arrival("the first state", false); }
  const std::optional<Broken>& broken() const { return findings_.first(); }
  bool replays(const Node& node, const std::vector<std::string>& trails) { return world_.gives(trails, node); }

  template <class Reached>
  void expand(const Node& node, bool time_only, Reached reached) {
    world_.load(node);
    findings_.at({});
    world_.check(node, findings_);
    check_nothing_early();
    before_ = views();
    recorded_ = false;
    const auto arrive = [&](const std::string& step, bool by_time) {
      check_nothing_early();
      reached(arrival(step, by_time), [&] { return world_.save(); });
      world_.load(node);
    };
    let_time_go_on(arrive);
    if (time_only) return;
    for (const Slot& slot : scope_.slots) {
      open(slot, arrive);
      decide_everything(slot, node, arrive);
    }
    work_on(arrive);
    come_and_go(arrive);
    crash(arrive);
  }

 private:
  // ---- What there is.

  void add_person(const std::string& id, const std::string& role) {
    (void)world_.decide(engine::RegisterPerson{team, id, {role}, {}, base::sha256("person " + id)});
    world_.apply();
  }
  const engine::Person& person(PersonNumber number) const { return world_.registry().person(number); }
  bool here(PersonNumber number) const { return !person(number).removed; }

  const engine::Task* task() const {
    const auto at = world_.workspace().tasks.find(work);
    return at ? &world_.workspace().tasks.at(*at) : nullptr;
  }
  Views views() const {
    Views all;
    for (const Slot& slot : scope_.slots) all.approvals[slot.name] = {};
    for (const auto& [offset, approval] : world_.workspace().approvals.all())  // rising: the newest stays
      for (const Slot& slot : scope_.slots)
        if (approval.id.view().starts_with(slot.name))
          all.approvals[slot.name] = {offset, approval.state, approval.decided_by, approval.due};
    if (const engine::Task* const known = task()) all.task = {known->state, known->epoch, known->assignee, known->held};
    return all;
  }
  const Approval& approval(const View& view) const { return *world_.workspace().approvals.find(view.offset); }

  Arrival arrival(const std::string& step, bool by_time) const {
    const bool any = world_.workspace().approvals.waiting() > 0;
    return {step, key(), by_time, !any && !world_.waits(), !any};
  }
  std::string key() const {
    Key key;
    for (std::uint32_t i = 1; i <= world_.agents(); ++i)
      key.add(world_.agent(AgentNumber(i)).removed)
          .add(world_.state().unfinished.leaving.contains({team, AgentNumber(i)}))
          .add(world_.state().unfinished.leaving.contains({team, AgentNumber(i)})
                   ? std::min(world_.agent(AgentNumber(i)).open_messages, 1u)
                   : 0);
    for (const PersonNumber one : {ada, max}) key.add(here(one));
    const Views now = views();
    for (const auto& [name, view] : now.approvals) {
      key.add(static_cast<int>(view.state));
      if (view.waits()) key.left(view.due, world_.now);
    }
    key.add(static_cast<int>(now.task.state));
    return key.take();
  }

  // ---- Messages and calls.

  envelope::Envelope envelope_of(const Slot& slot, std::string id) const {
    envelope::Envelope envelope;
    envelope.kind = slot.kind;
    envelope.message_id = std::move(id);
    envelope.recipients = {"orchestrator"};
    envelope.task = slot.holds() ? work : "";
    for (const auto& [name, list] : {std::pair{"approvers", &slot.approvers}, std::pair{"options", &slot.options}}) {
      std::string json;
      for (const std::string& one : *list) json += (json.empty() ? "[\"" : ",\"") + one + '"';
      if (!json.empty()) envelope.fields.push_back(field_of(name, json + "]"));
    }
    if (slot.holds()) envelope.fields.push_back(field_of("needs_approval", "true"));
    return envelope;
  }

  // A request is made once; a completion as often as its task goes on.
  template <class Arrive>
  void open(const Slot& slot, Arrive arrive) {
    const View& was = before_.approvals.at(slot.name);
    for (const AgentNumber sender : {orchestrator, triage}) {
      if (!world_.present(sender) || (!slot.holds() && was.state != State::none)) continue;
      const std::string step =
          std::string(envelope::name(slot.kind)) + " '" + slot.name + "' by agent " + std::to_string(sender.value);
      findings_.at(step);
      const auto id = slot.name + "-" + std::to_string(world_.workspace().head.value);
      if (!world_.accept(sender, envelope_of(slot, id))) {
        findings_.require(world_.decided_nothing(), 9, "a message that was refused left something behind");
        continue;
      }
      alter();
      world_.apply();
      const Views after = views();
      check_others(after, slot.name, slot.holds());
      const View& is = after.approvals.at(slot.name);
      findings_.require(is.state == State::open && is.offset != was.offset, 3, "what asks opened no approval");
      findings_.require(is.due == world_.now + wait, 3, "an approval is due at another time than its profile says");
      if (slot.holds()) check_held(after, is);
      arrive(step, false);
    }
  }
  // INV-22.
  void check_held(const Views& after, const View& is) {
    const auto works = [](TaskState state) { return state == TaskState::assigned || state == TaskState::active; };
    findings_.require(works(before_.task.state), 8, "a task was held that nobody worked on");
    findings_.require(after.task.state == TaskState::held && after.task.held == is.offset, 22,
                      "a completion that is held is not its task's end until a human has decided");
    findings_.require(after.task.epoch == before_.task.epoch && after.task.assignee == before_.task.assignee, 6,
                      "a completion changed an assignment");
  }
  // Its assignment, progress and cancelling.
  template <class Arrive>
  void work_on(Arrive arrive) {
    if (!std::ranges::any_of(scope_.slots, &Slot::holds)) return;
    if (!task() && world_.present(orchestrator) && world_.present(triage)) {
      say(Kind::task_assign, orchestrator, "triage");
      arrive("the task is assigned", false);
    }
    if (!task()) return;
    if (world_.present(triage) && world_.present(orchestrator) && before_.task.state == TaskState::held) {
      findings_.at("the held task is assigned");
      findings_.require(!say(Kind::task_assign, orchestrator, "triage"), 1, "a held task was assigned to another");
    }
    for (const AgentNumber by : {AgentNumber{}, orchestrator, triage}) cancel(by, arrive);
  }
  bool say(Kind kind, AgentNumber sender, const std::string& to) {
    envelope::Envelope envelope;
    envelope.kind = kind;
    envelope.message_id = "m" + std::to_string(world_.workspace().head.value);
    envelope.recipients = {to};
    envelope.task = work;
    if (!world_.accept(sender, envelope)) return false;
    world_.apply();
    return true;
  }
  template <class Arrive>
  void cancel(AgentNumber by, Arrive arrive) {
    if (by != AgentNumber{} && !world_.present(by)) return;
    const std::string step = "the task is cancelled by " + std::to_string(by.value);
    findings_.at(step);
    const auto offset = *world_.workspace().tasks.find(work);
    const bool may = by != triage && !machine::task::is_over(before_.task.state);
    const auto answer = world_.decide(engine::CancelTask{team, offset, by, "enough", false});
    findings_.require(answer.has_value() == may, 8, "a task was cancelled, or not, against the table");
    if (!answer) return;
    world_.apply();
    const Views after = views();
    findings_.require(after.task.state == TaskState::aborted, 3, "a task that was cancelled goes on");
    check_withdrawn(after);
    arrive(step, false);
  }
  // What waited for the task's end waits no more; nothing else changed.
  void check_withdrawn(const Views& after) {
    for (const auto& [name, is] : after.approvals) {
      const View& was = before_.approvals.at(name);
      const bool held = was.offset != Offset{} && was.offset == before_.task.held;
      const bool over = machine::task::is_over(after.task.state);
      findings_.require(held && over ? is.state == State::withdrawn : is == was, 21,
                        "an approval was withdrawn, or was not, against its task");
    }
  }

  // ---- Decisions.

  template <class Arrive>
  void decide_everything(const Slot& slot, const Node& node, Arrive arrive) {
    const View& view = before_.approvals.at(slot.name);
    if (view.state == State::none) return;
    std::vector<std::pair<AgentNumber, PersonNumber>> everybody{{{}, {}}};
    for (const AgentNumber agent : {orchestrator, triage})
      if (world_.present(agent)) everybody.push_back({agent, {}});
    for (const PersonNumber one : {ada, max, eve, same_as_asker})
      if (here(one)) everybody.push_back({{}, one});
    for (const auto& [agent, one] : everybody)
      for (const Decision decision : {Decision::approve, Decision::reject, Decision::modify})
        for (const bool saw_it : {true, false})
          for (const bool accepts : {true, false})
            if (accepts || decision == Decision::modify)
              decide({&slot, agent, one, decision, saw_it, accepts}, node, arrive);
  }

  static std::string text_of(const Deciding& one) {
    return "'" + one.slot->name + "': " + std::string(engine::decision_names[static_cast<std::size_t>(one.decision)]) +
           " by agent " + std::to_string(one.agent.value) + ", person " + std::to_string(one.person.value) +
           (one.saw_it ? "" : ", of something else") + (one.accepts ? "" : ", to what the profile refuses");
  }

  // The table, and who is entitled, read on their own.
  bool may_decide(const Deciding& one, const View& view) const {
    if (one.person == PersonNumber{} || one.person == eve || one.person == same_as_asker) return false;
    const auto& approvers = one.slot->approvers;
    const bool named = std::ranges::find(approvers, person(one.person).id) != approvers.end();
    const bool any_named = std::ranges::find(approvers, "ada") != approvers.end() && here(ada);
    const bool maintains = one.person == max && (!any_named || view.state == State::escalated);
    if (!named && !maintains) return false;
    const bool last = view.state == State::escalated || !scope_.escalates;
    if (!view.waits() || (last && view.due <= world_.now) || !one.saw_it || !one.accepts) return false;
    const auto& options = one.slot->options;
    const std::string word(engine::decision_names[static_cast<std::size_t>(one.decision)]);
    return options.empty() || one.decision == Decision::reject || std::ranges::find(options, word) != options.end();
  }

  template <class Arrive>
  void decide(const Deciding& one, const Node& node, Arrive arrive) {
    findings_.at(text_of(one));
    const View& was = before_.approvals.at(one.slot->name);
    const bool may = may_decide(one, was);
    const auto answer = ask(one, was);
    if (!answer && !smuggled(one, was)) return check_refusal(answer.error(), may, was, node);
    if (!answer) smuggle(one, was);
    findings_.require(was.waits(), 21, "what was decided, or is over, was decided again");
    findings_.require(may, 21, "decided by who may not, too late, or of what was not seen");
    alter();
    const auto told = told_now();
    world_.apply();
    judge(one, was);
    for (const AgentNumber agent : {triage, orchestrator})  // the asker, and whom it told
      findings_.require(!world_.present(agent) || told.contains(agent.value), 4,
                        "a decision was not told to those whom it concerns");
    arrive(text_of(one), false);
  }

  base::Result<> ask(const Deciding& one, const View& was) {
    const base::Error no = {};
    const bool holds = approval(was).holds && was.waits() && one.decision != Decision::reject;
    envelope_ = envelope_of(*one.slot, std::string(approval(was).id.view()));
    envelope_.native_type = rules_.type(*world_.type_of(one.slot->kind)).name;
    std::optional<engine::AcceptMessage> release;
    if (holds) release.emplace(world_.command(triage, envelope_));
    const bool modifies = one.decision == Decision::modify;
    const Instant now = world_.now;
    if (planted_ == Planted::late_decision && was.due <= now) world_.now = was.due - 1us;
    const bool steals = planted_ == Planted::by_the_asker && one.person == same_as_asker;
    auto answer = world_.decide(engine::DecideApproval{
        .workspace = team,
        .approval = was.offset,
        .agent = one.agent,
        .person = steals ? max : one.person,
        .decision = one.decision,
        .rationale = "so it is",
        .shown = one.saw_it || planted_ == Planted::unseen ? approval(was).shown : base::sha256("something else"),
        .modified_action = modifies ? changed_bytes : std::string_view(),
        .action_refused = one.accepts ? nullptr : &no,
        .release = holds && one.accepts ? &*release : nullptr,
        .changed = holds && modifies ? changed_bytes : std::string_view()});
    world_.now = now;
    return answer;
  }

  // It is on record, once, and changes nothing else.
  void check_refusal(const base::Error& error, bool may, const View& was, const Node& node) {
    using base::ErrorCode;
    findings_.require(!may, 21, "who may decide was refused");
    const bool over = error.code == ErrorCode::APPROVAL_DECIDED || error.code == ErrorCode::APPROVAL_WITHDRAWN ||
                      error.code == ErrorCode::APPROVAL_LAPSED;
    findings_.require(!over || !was.waits() || was.due <= world_.now, 21, "what waits is called over");
    const auto facts = world_.facts();
    findings_.require(facts.size() <= 1 && (facts.empty() || facts.front().event.has_approval_refused()), 9,
                      "a decision that was refused left more than its record");
    if (recorded_ || facts.empty()) return;
    recorded_ = true;
    world_.apply();
    const Views after = views();
    findings_.require(after.approvals == before_.approvals && after.task == before_.task, 9,
                      "a decision that was refused changed something");
    world_.load(node);
  }

  void judge(const Deciding& one, const View& was) {
    const Views after = views();
    const View& is = after.approvals.at(one.slot->name);
    check_others(after, one.slot->name, one.slot->holds());
    const State to = one.decision == Decision::approve  ? State::approved
                     : one.decision == Decision::reject ? State::rejected
                                                        : State::modified;
    findings_.require(is.offset == was.offset && is.state == to && is.decided_by == one.person, 21,
                      "it was decided otherwise than the person said");
    if (!one.slot->holds()) return;
    const bool counts = one.decision != Decision::reject;
    const TaskState end = one.slot->kind == Kind::task_complete ? TaskState::completed : TaskState::failed;
    findings_.require(after.task.state == (counts ? end : TaskState::active), 3,
                      counts ? "a completion that was released did not end its task"
                             : "a completion was not accepted, and its task does not go on");
    findings_.require(after.task.epoch == before_.task.epoch && after.task.assignee == before_.task.assignee, 6,
                      "a decision changed an assignment");
    const engine::Receipt* const receipt = receipt_of(was.offset);
    const bool out = receipt && (receipt->state == ReceiptState::queued ||
                                 (!world_.present(orchestrator) && receipt->state == ReceiptState::bounced));
    findings_.require(!receipt || (counts ? out : receipt->state == ReceiptState::rejected), 22,
                      "a held message went out, or did not, against the decision");
  }
  // Of the held message at its recipient; null: forgotten.
  const engine::Receipt* receipt_of(Offset offset) const {
    const engine::Message* const message = world_.workspace().messages.find(offset);
    return message ? message->receipt_of(orchestrator) : nullptr;
  }
  // Whoever hears of it from the server in the same decision.
  std::set<std::uint32_t> told_now() {
    std::set<std::uint32_t> told;
    for (const engine::Fact& fact : world_.facts())
      if (fact.event.has_message_accepted() && fact.event.message_accepted().sender() == 0)
        told.insert(fact.event.message_accepted().recipients(0));
      else if (fact.event.has_notice_posted())
        told.insert(fact.event.notice_posted().agent());
    return told;
  }

  // A step about one approval leaves the others as they are; the task, unless it holds it.
  void check_others(const Views& after, const std::string& name, bool may_move_task) {
    for (const auto& [other, is] : after.approvals)
      findings_.require(other == name || is == before_.approvals.at(other), 21, "another approval changed");
    findings_.require(may_move_task || after.task == before_.task, 8, "a task moved that nobody moved");
  }

  // INV-22: nobody is given what is held, and nothing of a held completion stands anywhere.
  void check_nothing_early() {
    const engine::Workspace& workspace = world_.workspace();
    for (const auto& [offset, approval] : workspace.approvals.all()) {
      const engine::Message* const message = workspace.messages.find(offset);
      if (!message || !approval.waits() || approval.task.empty()) continue;
      for (const engine::Receipt& receipt : message->receipts)
        findings_.require(receipt.state == ReceiptState::held, 22, "what is held was delivered before it was decided");
    }
  }

  // ---- Faults of ours.

  // The second decision, where another approval of the same asker keeps the counts from going below nothing.
  bool smuggled(const Deciding& one, const View& was) const {
    return planted_ == Planted::double_decision && was.decided_by != PersonNumber{} && one.person == max &&
           one.decision == Decision::reject && world_.workspace().approvals.waiting(triage) > 0;
  }
  void smuggle(const Deciding& one, const View& was) {
    event::ApprovalDecided& event = *world_.facts().front().event.mutable_approval_decided();
    event.set_approval(was.offset.value);
    event.set_state(static_cast<std::uint32_t>(State::rejected));
    event.set_asker(triage.value);
    event.set_person(one.person.value);
  }
  void alter() {
    for (engine::Fact& fact : world_.facts())
      if (planted_ == Planted::lost_completion && fact.event.has_message_released())
        fact.event.mutable_message_released()->mutable_as()->clear_task_moved();
      else if (planted_ == Planted::early_word && fact.event.has_message_accepted())
        fact.event.mutable_message_accepted()->set_held(false);
  }

  // ---- What nobody says.

  template <class Arrive>
  void let_time_go_on(Arrive arrive) {
    if (!world_.comes_to_look(arrive)) return;
    findings_.at("the server looks");
    const bool leaves = !world_.state().unfinished.empty();  // which comes first
    world_.decide_due();
    findings_.require(!world_.decided_nothing(), 4, "something is due and nothing is done");
    const auto told = told_now();
    world_.apply();
    const Views after = views();
    for (const auto& [name, is] : after.approvals) {
      const View& was = before_.approvals.at(name);
      findings_.require(leaves || !was.waits() || was.due > world_.now || is.state != was.state, 4,
                        "an approval's time is over and it waits as before");
      check_server_move(was, is, after, told);
    }
    check_task_by_time(after);
    arrive("the server looks", true);
  }
  void check_server_move(const View& was, const View& is, const Views& after, const std::set<std::uint32_t>& told) {
    if (is.state == was.state) return findings_.require(is == was, 21, "an approval changed by itself");
    const bool held_is_over = was.offset == before_.task.held && machine::task::is_over(after.task.state);
    const bool overdue = was.due <= world_.now;
    const bool escalated = is.state == State::escalated && was.state == State::open && overdue && scope_.escalates &&
                           is.due == world_.now + wait;
    const bool lapsed =
        is.state == State::lapsed && overdue && was.state == (scope_.escalates ? State::escalated : State::open);
    const bool withdrawn = is.state == State::withdrawn && was.waits() && held_is_over;
    findings_.require(escalated || lapsed || withdrawn, 21, "the server made a move that is in no row");
    findings_.require(is.decided_by == PersonNumber{}, 21, "the server decided for a person");
    findings_.require(withdrawn || !world_.present(triage) || told.contains(triage.value), 4,
                      "an approval's time was over and its asker was not told");
  }
  // Given up with its assignee, or going on because nobody decided.
  void check_task_by_time(const Views& after) {
    if (after.task == before_.task) return;
    const bool left = after.task.state == TaskState::failed && !world_.present(before_.task.assignee);
    const bool resumed = before_.task.state == TaskState::held && after.task.state == TaskState::active;
    findings_.require(left || resumed, 8, "the server moved a task without a reason");
    findings_.require(after.task.epoch == before_.task.epoch, 6, "the server changed an assignment");
    findings_.require(after.task.held == Offset{}, 22, "a task that goes on, or is over, is held");
  }

  template <class Arrive>
  void come_and_go(Arrive arrive) {
    for (const AgentNumber agent : {orchestrator, triage}) {
      if (!world_.present(agent)) continue;
      findings_.at("agent " + std::to_string(agent.value) + " is removed");
      (void)world_.decide(engine::RemoveAgent{team, agent});
      world_.apply();
      check_unmoved();
      arrive("agent " + std::to_string(agent.value) + " is removed", false);
    }
    for (const PersonNumber one : {ada, max}) {
      if (!here(one)) continue;
      findings_.at("'" + person(one).id + "' is removed");
      (void)world_.decide(engine::RemovePerson{team, one});
      world_.apply();
      check_unmoved();
      arrive("person " + std::to_string(one.value) + " is removed", false);
    }
  }
  template <class Arrive>
  void crash(Arrive arrive) {
    findings_.at("a crash");
    world_.now += downtime;
    world_.decide(engine::StartServer{downtime});
    world_.apply();
    check_unmoved();
    arrive("a crash", false);
  }
  // INV-13.
  void check_unmoved() {
    const Views after = views();
    findings_.require(after.approvals == before_.approvals && after.task == before_.task, 13,
                      "an approval moved that nobody moved");
  }

  const Scope scope_;
  const Planted planted_;
  profile::Ruleset rules_;
  World world_;
  Findings findings_;
  Views before_;
  bool recorded_ = false;        // a refusal, of this state
  envelope::Envelope envelope_;  // of what is released
};

// Two requests of one asker: one names who decides, one what may be decided.
Scope requests() {
  return {.slots = {{"named", Kind::approval_request, {"ada", "eve"}, {}},
                    {"narrow", Kind::approval_request, {}, {"approve"}}}};
}
// A task whose ends are held, beside a request.
Scope held(bool escalates) {
  return {.slots = {{"done", Kind::task_complete, {}, {}},
                    {"failed", Kind::task_fail, {}, {}},
                    {"named", Kind::approval_request, {"ada"}, {}}},
          .escalates = escalates};
}

std::optional<Broken> explore(const std::string& name, const Scope& scope, std::string_view planted) {
  const bool holds = scope.slots.front().holds();
  ApprovalModel model(scope, planted_of(holds ? faults_of_holds : faults, planted));
  return Explorer(model, {}).explore(name);
}

const Registered of_requests({"approval", names_of(faults),
                              [](std::string_view planted) { return explore("approval", requests(), planted); }});
const Registered of_held({"approval.held", names_of(faults_of_holds),
                          [](std::string_view planted) { return explore("approval.held", held(true), planted); }});
const Registered unescalated({"approval.unescalated", {}, [](std::string_view) {
                                return explore("approval.unescalated", held(false), {});
                              }});

}  // namespace
}  // namespace parley::models::approval_model
