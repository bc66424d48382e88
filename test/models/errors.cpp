// Errors that wait (spec/machines/error_case.json): two agents report one each, blocked or not; everybody decides on
// each, to who waits and past it, again and on what was taken back; they are passed on and taken back; removals and a
// crash at any step. INV-3, INV-9, INV-11 to INV-13, INV-25 and INV-26 of docs/internals/invariants.md.
//
// Two states are one where their agents and their errors stand alike; what was decided is gone from the state, and its
// message tells that it was reported. Nothing here hangs on time.
#include <map>

#include "machine/error_case.hpp"
#include "profile/rulesets.hpp"
#include "tables.hpp"
#include "world.hpp"

namespace parley::models::errors_model {
namespace {

using namespace std::chrono_literals;
using engine::ErrorState;
using envelope::Kind;

constexpr AgentNumber decider{1}, one{2}, other{3};
constexpr std::array<AgentNumber, 3> everybody{decider, one, other};
constexpr std::array<std::string_view, 3> decisions{"retry", "skip", "abort"};

struct Report {
  std::string id;
  AgentNumber agent;
  AgentNumber to;
  bool blocks = false;
};
const std::vector<Report> reports{
    {"one", one, decider, false}, {"two", one, other, true}, {"three", other, decider, false}};

enum class Planted { none, double_decision, by_another, lost_decision };
const std::vector<std::pair<Fault, Planted>> faults{{{"double_decision", 25}, Planted::double_decision},
                                                    {{"by_another", 25}, Planted::by_another},
                                                    {{"lost_decision", 3}, Planted::lost_decision}};

// Which wait, and whether they were ever reported.
struct View {
  bool waits = false, reported = false;
  bool operator==(const View&) const = default;
};
using Views = std::map<std::string, View>;

class ErrorModel {
 public:
  using Node = Saved;

  explicit ErrorModel(Planted planted)
      : planted_(planted), rules_(*profile::built_in().find("pipeline")), world_(rules_) {}

  Node first() {
    world_.create_team({});
    for (const auto& [id, type] :
         {std::pair("orchestrator", "orchestration"), {"dev-a", "development"}, {"dev-b", "development"}}) {
      engine::AgentProperties properties;
      properties.agent_type = type;
      world_.enrol(id, properties);
    }
    return world_.save();
  }
  Arrival first_arrival() { return arrival("the first state"); }
  const std::optional<Broken>& broken() const { return findings_.first(); }
  bool replays(const Node& node, const std::vector<std::string>& trails) { return world_.gives(trails, node); }

  template <class Reached>
  void expand(const Node& node, bool, Reached reached) {
    node_ = &node;
    world_.load(node);
    findings_.at({});
    world_.check(node, findings_);
    before_ = views();
    const auto arrive = [&](const std::string& step) {
      reached(arrival(step), [&] { return world_.save(); });
      world_.load(node);
    };
    for (const Report& report : reports) {
      this->report(report, arrive);
      take_back(report, arrive);
      for (const AgentNumber sender : everybody) {
        if (!world_.present(sender)) continue;
        pass_on(report, sender);
        for (const AgentNumber to : everybody)
          for (const std::string_view decision : decisions)
            if (world_.present(to)) decide(report, sender, to, decision, arrive);
      }
    }
    remove(arrive);
    crash(arrive);
    leave(arrive);
  }

 private:
  // A recipient is part of what makes an id one message (R7).
  std::optional<Offset> offset_of(const Report& report) const {
    std::optional<Offset> found;
    world_.workspace().messages.visit_after(Offset{}, [&](Offset offset, const engine::Message& message) {
      if (message.id.view() == report.id && message.sender == report.agent) found = offset;
      return !found;
    });
    return found;
  }
  Views views() const {
    Views all;
    for (const Report& report : reports) {
      const auto at = offset_of(report);
      all[report.id] = {at && world_.workspace().errors.find(*at), at.has_value()};
    }
    return all;
  }
  Arrival arrival(const std::string& step) const {
    const bool any = !world_.workspace().errors.all().empty();
    return {step, key(), false, true, !any};
  }
  std::string key() const {
    Key key;
    for (const AgentNumber agent : everybody) {
      const bool leaving = world_.state().unfinished.leaving.contains({team, agent});
      key.add(world_.agent(agent).removed)
          .add(leaving)
          .add(leaving ? std::min(world_.agent(agent).open_messages, 1u) : 0);
    }
    for (const auto& [id, view] : views()) key.add(view.waits).add(view.reported);
    return key.take();
  }
  const std::string& name_of(AgentNumber agent) const { return world_.agent(agent).id; }
  envelope::Envelope envelope_of(Kind kind, const std::string& id, AgentNumber to) const {
    envelope::Envelope envelope;
    envelope.kind = kind;
    envelope.message_id = id;
    envelope.recipients = {name_of(to)};
    envelope.delivery = envelope::DeliveryClass::at_most_once;
    return envelope;
  }
  std::string fresh_id() const { return "m" + std::to_string(world_.workspace().head.value); }

  template <class Arrive>
  void report(const Report& report, Arrive arrive) {
    if (before_.at(report.id).reported || !world_.present(report.agent) || !world_.present(report.to)) return;
    const std::string step = "'" + report.id + "' is reported";
    findings_.at(step);
    envelope::Envelope envelope = envelope_of(Kind::error_report, report.id, report.to);
    envelope.fields.push_back(field_of("agent", '"' + name_of(report.agent) + '"'));
    envelope.fields.push_back(field_of("blocks", report.blocks ? "true" : "false"));
    if (!world_.accept(report.agent, envelope)) return findings_.require(false, 25, "an error is refused");
    world_.apply();
    Views wanted = before_;
    wanted[report.id] = {true, true};
    findings_.require(views() == wanted, 3, "an error was reported and does not wait, or another moved");
    arrive(step);
  }

  // Whoever names it in an error of its own says nothing new.
  void pass_on(const Report& report, AgentNumber sender) {
    if (!before_.at(report.id).waits || sender == report.agent) return;
    const AgentNumber to = sender == decider ? one : decider;
    if (!world_.present(to)) return;
    findings_.at("'" + report.id + "' is passed on by agent " + std::to_string(sender.value));
    envelope::Envelope envelope = envelope_of(Kind::error_report, fresh_id(), to);
    envelope.reply_to = report.id;
    envelope.fields.push_back(field_of("agent", '"' + name_of(sender) + '"'));
    (void)world_.accept(sender, envelope);
    world_.apply();
    findings_.require(views() == before_ && world_.workspace().errors.of(sender).size() == own(sender), 26,
                      "who passes an error on waits for it");
    world_.load(*node_);
  }
  std::size_t own(AgentNumber agent) const {
    std::size_t count = 0;
    for (const Report& report : reports) count += report.agent == agent && before_.at(report.id).waits ? 1u : 0u;
    return count;
  }

  template <class Arrive>
  void decide(const Report& report, AgentNumber sender, AgentNumber to, std::string_view decision, Arrive arrive) {
    const std::string step = std::string(decision) + " of '" + report.id + "' by agent " +
                             std::to_string(sender.value) + " to agent " + std::to_string(to.value);
    findings_.at(step);
    envelope::Envelope envelope = envelope_of(Kind::request, fresh_id(), to);
    envelope.fields.push_back(field_of("decision", '"' + std::string(decision) + '"'));
    envelope.fields.push_back(field_of("error", '"' + report.id + '"'));
    envelope.fields.push_back(field_of("needs_response", "false"));
    const bool may = sender == decider && before_.at(report.id).waits && (to == report.agent || sender == report.agent);
    const AgentNumber speaks = planted_ == Planted::by_another ? decider : sender;
    const bool accepted = world_.accept(speaks, envelope).has_value();
    const bool smuggled = !accepted && planted_ == Planted::double_decision && sender == decider &&
                          to == report.agent && before_.at(report.id).reported;
    findings_.require(
        (accepted || smuggled) == may, 25,
        may ? "a decision was refused that was right" : "decided by who may not, past who waits, or twice");
    if (!accepted) return findings_.require(world_.decided_nothing(), 9, "what was refused left something behind");
    if (planted_ == Planted::lost_decision)
      world_.facts().front().event.mutable_message_accepted()->clear_error_moved();
    world_.apply();
    Views wanted = before_;
    wanted[report.id].waits = false;
    findings_.require(views() == wanted, 3, "a decision did not end its error, or moved another");
    arrive(step);
  }

  template <class Arrive>
  void take_back(const Report& report, Arrive arrive) {
    if (!before_.at(report.id).waits || !world_.present(report.agent)) return;
    const std::string step = "'" + report.id + "' is taken back";
    findings_.at(step);
    event::MessageAccepted was;
    was.set_kind(static_cast<std::uint32_t>(Kind::error_report));
    was.mutable_error_moved()->set_state(static_cast<std::uint32_t>(ErrorState::undecided));
    was.mutable_error_moved()->set_agent(report.agent.value);
    const bool done = world_.decide(engine::TakeBack{team, *offset_of(report), was, {}}).has_value();
    findings_.require(done, 26, "an error of one's own is not taken back");
    world_.apply();
    Views wanted = before_;
    wanted[report.id].waits = false;
    findings_.require(views() == wanted, 3, "an error that was taken back waits, or another moved");
    arrive(step);
  }

  template <class Arrive>
  void remove(Arrive arrive) {
    for (const AgentNumber agent : everybody) {
      if (!world_.present(agent)) continue;
      const std::string step = "agent " + std::to_string(agent.value) + " is removed";
      findings_.at(step);
      (void)world_.decide(engine::RemoveAgent{team, agent});
      world_.apply();
      Views wanted = before_;
      for (const Report& report : reports)
        if (report.agent == agent) wanted[report.id].waits = false;
      findings_.require(views() == wanted, 26, "an error waits for who is gone, or another moved with a removal");
      arrive(step);
    }
  }
  template <class Arrive>
  void crash(Arrive arrive) {
    findings_.at("a crash");
    world_.now += 4s;
    world_.decide(engine::StartServer{4s});
    world_.apply();
    findings_.require(views() == before_, 13, "an error moved that nobody moved");
    arrive("a crash");
  }
  // The mail of who was removed goes back.
  template <class Arrive>
  void leave(Arrive arrive) {
    if (world_.state().unfinished.empty()) return;
    findings_.at("the server goes on");
    world_.decide_due();
    world_.apply();
    findings_.require(views() == before_, 13, "an error moved that nobody moved");
    arrive("the server goes on");
  }

  const Planted planted_;
  profile::Ruleset rules_;
  World world_;
  Findings findings_;
  const Node* node_ = nullptr;  // that is expanded
  Views before_;
};

std::optional<Broken> explore(std::string_view planted) {
  ErrorModel model(planted_of(faults, planted));
  // It is kept as long as it takes; whoever decides may be gone, and then its agent takes it back.
  return Explorer(model, {.rests_by_time = false, .never_ends = 26}).explore("errors");
}

const Registered errors_table({"errors", names_of(faults), explore});

}  // namespace
}  // namespace parley::models::errors_model
