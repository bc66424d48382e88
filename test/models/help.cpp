// Help (spec/machines/help.json): a request that is routed and has a deadline, and one of another agent that names its
// helper and expires in the mailbox; every answer by everybody, to the asker and past it; helpers that read their mail
// or do not, removals, a crash and time at any step. INV-3, INV-4, INV-11 to INV-13, INV-23 and INV-24 of
// docs/internals/invariants.md.
//
// Two states are one where their agents and their requests stand alike: who was asked, who is, and who has read it;
// what is left of their times. What was answered, and other mail, changes nothing here.
#include <algorithm>
#include <map>
#include <set>

#include "machine/help.hpp"
#include "profile/rulesets.hpp"
#include "tables.hpp"
#include "world.hpp"

namespace parley::models::help_model {
namespace {

using namespace std::chrono_literals;
using engine::Help;
using engine::HelpState;
using envelope::Kind;

constexpr AgentNumber stuck{1}, able{2}, also_able{3}, unable{4};
constexpr base::Duration life = 4s, downtime = 4s;
const std::string skill = "skill";

struct Request {
  std::string name;  // its message's id
  AgentNumber asker;
  std::string to;  // empty: whoever is found
  bool expires = false;
};
const std::vector<Request> requests{{"routed", stuck, "", false}, {"named", able, "unable", true}};

enum class Word { answers, passes, meets, goes_on };
constexpr std::array<std::string_view, 4> words{"SOLUTION", "UNABLE_TO_HELP", "COLLABORATIVE_SESSION", "GUIDANCE"};

enum class Planted { none, two_owners, double_decision, lost_completion, late_ack };
const std::vector<std::pair<Fault, Planted>> faults{{{"two_owners", 23}, Planted::two_owners},
                                                    {{"double_decision", 24}, Planted::double_decision},
                                                    {{"lost_completion", 3}, Planted::lost_completion},
                                                    {{"late_ack", 24}, Planted::late_ack}};

struct View {
  Offset offset;
  HelpState state = HelpState::none;
  std::vector<AgentNumber> helpers;
  Instant deadline;
  bool operator==(const View&) const = default;

  bool waits() const { return state != HelpState::none && !machine::help::is_over(state); }
};
using Views = std::map<std::string, View>;

class HelpModel {
 public:
  using Node = Saved;

  explicit HelpModel(Planted planted)
      : planted_(planted), rules_(*profile::built_in().find("handoff")), world_(rules_) {}

  Node first() {
    world_.create_team({});
    world_.enrol("stuck");
    engine::AgentProperties properties;
    properties.capabilities = {skill};
    for (const std::string name : {"able", "also_able"}) world_.enrol(name, properties);
    world_.enrol("unable");
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
    before_ = views();
    const auto arrive = [&](const std::string& step, bool by_time) {
      check_helpers();
      reached(arrival(step, by_time), [&] { return world_.save(); });
      world_.load(node);
    };
    let_time_go_on(arrive);
    if (time_only) return;
    for (const Request& request : requests) {
      ask(request, arrive);
      answer_all(request, arrive);
    }
    read_mail(arrive);
    remove(arrive);
    crash(arrive);
  }

 private:
  // ---- What there is.

  const Help* find(const Request& request) const {
    const auto at = world_.workspace().help.find(request.name);
    return at ? &world_.workspace().help.at(*at) : nullptr;
  }
  Views views() const {
    Views all;
    for (const Request& request : requests) {
      const Help* const help = find(request);
      all[request.name] =
          help ? View{*world_.workspace().help.find(request.name), help->state, help->helpers, help->deadline} : View{};
    }
    return all;
  }
  const engine::Message* message(const View& view) const { return world_.workspace().messages.find(view.offset); }

  Arrival arrival(const std::string& step, bool by_time) const {
    const bool any = world_.workspace().help.open() > 0;
    return {step, key(), by_time, !any && !world_.waits(), !any};
  }
  std::string key() const {
    Key key;
    for (std::uint32_t i = 1; i <= world_.agents(); ++i) {
      const engine::Agent& agent = world_.agent(AgentNumber(i));
      const bool leaving = world_.state().unfinished.leaving.contains({team, AgentNumber(i)});
      key.add(agent.removed).add(leaving).add(leaving ? std::min(agent.open_messages, 1u) : 0);
    }
    for (const Request& request : requests) add(request, key);
    return key.take();
  }
  void add(const Request& request, Key& key) const {
    const Help* const help = find(request);
    key.add(help ? static_cast<int>(help->state) : -1);
    if (!help) return;
    const View view{*world_.workspace().help.find(request.name), help->state, help->helpers, help->deadline};
    const engine::Message* const asks = message(view);
    bool unread = false;
    for (const AgentNumber helper : help->helpers) {
      const engine::Receipt* const receipt = asks ? asks->receipt_of(helper) : nullptr;
      unread = unread || (receipt && engine::open(receipt->state));
      if (view.waits()) key.add(helper.value).add(receipt ? static_cast<int>(receipt->state) : -1);
    }
    key.add(unread);
    if (asks && asks->expires() && (unread || view.waits())) key.left(asks->expires_at, world_.now);
    if (view.waits()) key.left(view.deadline, world_.now).add(help->due == Instant{}).left(help->due, world_.now);
  }

  // Who could be asked next, read apart from the engine's routing.
  std::vector<AgentNumber> candidates(const Request& request, const View& view) const {
    std::vector<AgentNumber> all;
    const engine::Message* const asks = message(view);
    if (asks && asks->expires() && asks->expires_at <= world_.now) return all;
    for (const AgentNumber agent : {able, also_able})
      if (world_.present(agent) && agent != request.asker && !std::ranges::count(view.helpers, agent))
        all.push_back(agent);
    return all;
  }

  // ---- What is said.

  template <class Arrive>
  void ask(const Request& request, Arrive arrive) {
    if (before_.at(request.name).state != HelpState::none || !world_.present(request.asker)) return;
    const std::string step = "'" + request.name + "' asks for help";
    findings_.at(step);
    envelope::Envelope envelope;
    envelope.kind = Kind::help_request;
    envelope.message_id = request.name;
    envelope.automatic = request.to.empty();
    envelope.recipients = {envelope.automatic ? "auto" : request.to};
    envelope.delivery = envelope::DeliveryClass::at_most_once;
    envelope.fields.push_back(field_of("subject", '"' + skill + '"'));
    if (request.expires)
      envelope.expires_at = world_.now + life;
    else
      envelope.fields.push_back(field_of("deadline", '"' + base::to_rfc3339(world_.now + life) + '"'));
    const auto possible = candidates(request, {});
    const bool reaches = envelope.automatic ? !possible.empty() : world_.present(unable);
    const auto answer = world_.accept(request.asker, envelope);
    findings_.require(answer.has_value() == reaches, 23, "help was asked of nobody, or of nobody though there was one");
    if (!answer) return findings_.require(world_.decided_nothing(), 9, "what was refused left something behind");
    world_.apply();
    const Views after = views();
    check_others(after, request.name);
    const View& is = after.at(request.name);
    findings_.require(is.state == HelpState::asked && is.helpers.size() == 1, 3, "who asks for help asks nobody");
    arrive(step, false);
  }

  template <class Arrive>
  void answer_all(const Request& request, Arrive arrive) {
    if (before_.at(request.name).state == HelpState::none) return;
    for (const AgentNumber sender : {stuck, able, also_able, unable})
      for (const AgentNumber to : {request.asker, request.asker == stuck ? unable : stuck})
        for (const Word word : {Word::answers, Word::passes, Word::meets, Word::goes_on})
          if (world_.present(sender) && world_.present(to)) answer(request, sender, to, word, arrive);
  }

  template <class Arrive>
  void answer(const Request& request, AgentNumber sender, AgentNumber to, Word word, Arrive arrive) {
    const std::string step = std::string(words[static_cast<std::size_t>(word)]) + " to '" + request.name +
                             "' by agent " + std::to_string(sender.value) + " to agent " + std::to_string(to.value);
    findings_.at(step);
    const View& was = before_.at(request.name);
    const bool counts = was.waits() && was.helpers.back() == sender && to == request.asker;
    (void)world_.accept(spoken_by(sender, was), reply(request, to, word));
    plant(was, sender);
    const auto& accepted = world_.facts().front().event.message_accepted();
    findings_.require(!accepted.has_help_moved() || was.waits(), 24, "what was over was answered again");
    findings_.require(!accepted.has_help_moved() || counts, 24,
                      "an answer counts of who was not asked, or past its asker");
    if (!counts) return;  // it is delivered, and moves nothing
    const bool hears = told(request.asker);
    world_.apply();
    judge(request, word, hears);
    arrive(step, false);
  }
  envelope::Envelope reply(const Request& request, AgentNumber to, Word word) const {
    envelope::Envelope envelope;
    envelope.kind = Kind::help_reply;
    envelope.message_id = "m" + std::to_string(world_.workspace().head.value);
    envelope.recipients = {world_.agent(to).id};
    envelope.delivery = envelope::DeliveryClass::at_most_once;
    envelope.fields.push_back(field_of("request", '"' + request.name + '"'));
    envelope.fields.push_back(field_of("subject", '"' + std::string(words[static_cast<std::size_t>(word)]) + '"'));
    envelope.fields.push_back(field_of("follow_up", word == Word::goes_on ? "true" : "false"));
    return envelope;
  }

  void judge(const Request& request, Word word, bool hears) {
    const Views after = views();
    const View& was = before_.at(request.name);
    const View& is = after.at(request.name);
    check_others(after, request.name);
    const auto next = candidates(request, was);
    const auto wanted = [&] {
      switch (word) {
        case Word::answers:
          return HelpState::answered;
        case Word::passes:
          return next.empty() ? HelpState::unhelped : HelpState::asked;
        case Word::meets:
          return HelpState::together;
        case Word::goes_on:
          break;
      }
      return HelpState::open;
    }();
    findings_.require(is.state == wanted, 3, "an answer did not bring its request where its row leads");
    check_next(was, is, next, word == Word::passes && !next.empty());
    findings_.require(is.state != HelpState::unhelped || hears, 4, "nobody is left, and who asked was not told");
  }
  // INV-23.
  void check_next(const View& was, const View& is, const std::vector<AgentNumber>& next, bool goes_on) {
    if (!goes_on) return findings_.require(is.helpers == was.helpers, 23, "somebody was asked without need");
    std::vector<AgentNumber> before = is.helpers;
    if (!before.empty()) before.pop_back();
    findings_.require(before == was.helpers && std::ranges::count(next, is.helpers.back()) == 1, 23,
                      "help was not passed on to one who can and was not asked");
    if (before != was.helpers) return;
    const engine::Receipt* const receipt = message(is) ? message(is)->receipt_of(is.helpers.back()) : nullptr;
    findings_.require(receipt && engine::open(receipt->state), 23, "who is asked next does not get the request");
  }
  void check_others(const Views& after, const std::string& name) {
    for (const auto& [other, is] : after)
      findings_.require(other == name || is == before_.at(other), 24, "another request moved");
  }
  // Of every state: each helper once, never who asks.
  void check_helpers() {
    for (const Request& request : requests)
      if (const Help* const help = find(request)) {
        const std::set<AgentNumber> each(help->helpers.begin(), help->helpers.end());
        findings_.require(each.size() == help->helpers.size(), 23, "an agent was asked twice");
        findings_.require(!each.contains(request.asker), 23, "who asks for help was asked for it");
      }
  }

  bool told(AgentNumber agent) {
    for (const engine::Fact& fact : world_.facts())
      if (fact.event.has_message_accepted() && fact.event.message_accepted().sender() == 0 &&
          fact.event.message_accepted().recipients(0) == agent.value)
        return true;
    return false;
  }

  // ---- Faults of ours.

  // The fault: whoever was asked before speaks as if it were asked now.
  AgentNumber spoken_by(AgentNumber sender, const View& was) const {
    const bool was_asked = was.waits() && std::ranges::count(was.helpers, sender) > 0;
    return planted_ == Planted::late_ack && was_asked ? was.helpers.back() : sender;
  }
  void plant(const View& was, AgentNumber sender) {
    event::MessageAccepted& accepted = *world_.facts().front().event.mutable_message_accepted();
    if (planted_ == Planted::double_decision && !was.waits() && was.helpers.back() == sender) {
      accepted.mutable_help_moved()->set_help(was.offset.value);
      accepted.mutable_help_moved()->set_state(static_cast<std::uint32_t>(HelpState::open));
    }
    if (!accepted.has_help_moved()) return;
    if (planted_ == Planted::lost_completion) accepted.clear_help_moved();
    if (planted_ == Planted::two_owners && accepted.help_moved().helper() != 0)
      accepted.mutable_help_moved()->set_helper(accepted.help_moved().asker());
  }

  // ---- What nobody says.

  template <class Arrive>
  void read_mail(Arrive arrive) {
    for (const AgentNumber agent : {able, also_able, unable}) {
      if (!world_.present(agent)) continue;
      const std::string step = "agent " + std::to_string(agent.value) + " reads its mail";
      findings_.at(step);
      engine::TakeMessages take;
      take.workspace = team;
      take.agent = agent;
      take.session = base::SessionId(1);
      take.max = 100;
      take.lease = 1h;
      if (world_.decide(take).empty()) continue;
      world_.apply();
      check_unmoved();
      arrive(step, false);
    }
  }
  template <class Arrive>
  void remove(Arrive arrive) {
    for (const AgentNumber agent : {stuck, able, also_able, unable}) {
      if (!world_.present(agent)) continue;
      const std::string step = "agent " + std::to_string(agent.value) + " is removed";
      findings_.at(step);
      (void)world_.decide(engine::RemoveAgent{team, agent});
      world_.apply();
      for (const Request& request : requests) {
        const View& was = before_.at(request.name);
        View wanted = was;
        if (request.asker == agent && was.waits()) wanted.state = HelpState::withdrawn;
        findings_.require(views().at(request.name) == wanted, 13, "a removal moved a request for help by itself");
      }
      arrive(step, false);
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
  void check_unmoved() { findings_.require(views() == before_, 13, "a request for help moved that nobody moved"); }

  template <class Arrive>
  void let_time_go_on(Arrive arrive) {
    if (!world_.comes_to_look(arrive)) return;
    findings_.at("the server looks");
    const bool leaves = !world_.state().unfinished.empty();  // which comes first
    world_.decide_due();
    findings_.require(!world_.decided_nothing(), 4, "something is due and nothing is done");
    std::map<std::string, bool> hears;
    std::map<std::string, std::vector<AgentNumber>> next;
    for (const Request& request : requests) {
      hears[request.name] = told(request.asker);
      next[request.name] = candidates(request, before_.at(request.name));
    }
    world_.apply();
    const Views after = views();
    for (const Request& request : requests) {
      const View& was = before_.at(request.name);
      const View& is = after.at(request.name);
      const bool late = was.waits() && was.deadline != Instant{} && was.deadline <= world_.now;
      findings_.require(leaves || !late || !is.waits(), 4, "a deadline is over and the request waits as before");
      if (is != was) check_server_move(was, is, next.at(request.name), late, hears.at(request.name));
    }
    arrive("the server looks", true);
  }
  void check_server_move(const View& was, const View& is, const std::vector<AgentNumber>& next, bool late, bool hears) {
    findings_.require(was.waits(), 5, "the server moved a request that was over");
    const bool passed = is.state == HelpState::asked && is.helpers != was.helpers;
    check_next(was, is, next, passed);
    const engine::Receipt* const receipt = message(was) ? message(was)->receipt_of(was.helpers.back()) : nullptr;
    const bool unreached = !receipt || receipt->state == engine::ReceiptState::expired;
    const bool lost = !world_.present(was.helpers.back()) || unreached;
    if (passed) return findings_.require(lost, 24, "help was passed on though its helper is here");
    const bool ends = is.state == HelpState::unhelped || is.state == HelpState::expired;
    findings_.require(ends && (late || (lost && next.empty())), 24, "the server ended a request without a reason");
    findings_.require(hears, 4, "a request for help is over and its asker was not told");
  }

  const Planted planted_;
  profile::Ruleset rules_;
  World world_;
  Findings findings_;
  Views before_;
};

std::optional<Broken> explore(std::string_view planted) {
  HelpModel model(planted_of(faults, planted));
  // Without a deadline a helper that has read the request may keep it for good.
  return Explorer(model, {.rests_by_time = false}).explore("help");
}

const Registered help_table({"help", names_of(faults), explore});

}  // namespace
}  // namespace parley::models::help_model
