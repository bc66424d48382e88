// Leases: a message to two agents, and one to the first of them in the same lane, which has an end of its own. The
// first takes over a connection and by single takes, the second by single takes; ack, nack and extension of the newest
// offer and of older ones, connections that break, dead letters and redrives, removals; a crash and time at any step.
// INV-9, INV-11, INV-12, INV-14 to INV-19 of docs/internals/invariants.md.
//
// Two states are one where their copies stand alike: times count by what is left until then, messages by the order in
// which they came. The history of attempts, notices to the sender and the fairness among priorities (there is one only)
// change nothing here.
#include <map>

#include "profile/rulesets.hpp"
#include "tables.hpp"
#include "world.hpp"

namespace parley::models::lease_model {
namespace {

using namespace std::chrono_literals;
using base::SessionId;
using engine::Message;
using engine::Receipt;
using engine::ReceiptState;
using engine::Settled;

constexpr AgentNumber sender{1}, first_taker{2}, second_taker{3};
constexpr std::uint32_t epochs_max = 2;  // a copy is offered so often
constexpr base::Duration lease = 2s, extension = 4s, backoff = 2s, life = 4s, downtime = 2s;

constexpr SessionId connection_of(AgentNumber agent) {
  return SessionId(1ull << 63 | agent.value);
}
constexpr SessionId single_take_of(AgentNumber agent) {
  return SessionId(100 + agent.value);
}

enum class Planted { none, two_owners, late_ack, lost_ack, skipped_epoch };

// A message at one agent.
struct Place {
  Offset offset;
  AgentNumber agent;
  friend auto operator<=>(const Place&, const Place&) = default;
};
using Copies = std::map<Place, Receipt>;

constexpr bool is_final(ReceiptState state) {
  return !engine::open(state) && state != ReceiptState::dead;
}

class LeaseModel {
 public:
  using Node = Saved;

  explicit LeaseModel(Planted planted) : planted_(planted), rules_(*profile::built_in().find("mesh")), world_(rules_) {
    rules_.retry = {.attempts = 2, .base_delay = backoff, .multiplier = 1, .max_delay = backoff, .full_jitter = false};
    rules_.requests.reset();
  }

  Node first() {
    world_.create_team({});
    for (const std::string name : {"sender", "first", "second"}) world_.enrol(name);
    return world_.save();
  }
  Arrival first_arrival() { return arrival("the first state", false); }
  const std::optional<Broken>& broken() const { return findings_.first(); }

  template <class Reached>
  void expand(const Node& node, bool time_only, Reached reached) {
    world_.load(node);
    findings_.at({});
    world_.check(node, findings_);
    before_ = copies();
    const auto arrive = [&](const std::string& step, bool by_time) {
      reached(arrival(step, by_time), [&] { return world_.save(); });
      world_.load(node);
    };
    let_time_go_on(arrive);
    if (time_only) return;
    for (const std::string id : {"both", "one"}) send(id, arrive);
    for (const AgentNumber agent : {first_taker, second_taker}) {
      if (!world_.present(agent)) continue;
      take(agent, single_take_of(agent), 2, arrive);
      if (agent == first_taker)
        for (const std::uint32_t most : {1u, 2u}) take(agent, connection_of(agent), most, arrive);
      break_off(agent, arrive);
      redrive(agent, arrive);
      remove(agent, arrive);
    }
    for (const auto& [place, receipt] : before_)
      for (std::uint32_t epoch = receipt.epoch + 1; epoch + 1 >= receipt.epoch && epoch > 0; --epoch)
        if (world_.present(place.agent)) settle(place, epoch, arrive);
    crash(arrive);
  }

  bool replays(const Node& node, const std::vector<std::string>& trails) { return world_.gives(trails, node); }

 private:
  // ---- What there is: the copies of the two messages.

  Copies copies() const {
    Copies all;
    world_.workspace().messages.visit_after(Offset{}, [&](Offset offset, const Message& message) {
      if (message.sender == sender)
        for (const Receipt& receipt : message.receipts) all[{offset, receipt.agent}] = receipt;
      return true;
    });
    return all;
  }
  bool known(const std::string& id) const { return world_.workspace().message_of(engine::id_key_of(id)).has_value(); }
  const Message& message(const Place& place) const { return world_.workspace().messages.at(place.offset); }

  Arrival arrival(const std::string& step, bool by_time) const {
    Arrival arrival{step, key(), by_time, !world_.waits(), true};
    for (const auto& [place, receipt] : copies())
      arrival.done = arrival.done && (!engine::open(receipt.state) || world_.agent(place.agent).removed);
    return arrival;
  }

  std::string key() const {
    Key key;
    const Instant now = world_.now;
    for (const AgentNumber agent : {first_taker, second_taker}) {
      key.add(world_.agent(agent).removed);
      key.add(world_.state().unfinished.leaving.contains({team, agent}));
    }
    for (const auto& [lost, by_server] : world_.state().unfinished.lost)
      key.add(-1).add(lost.agent.value).add(static_cast<std::int64_t>(lost.session.value & 0xff)).add(by_server);
    for (const auto& [place, receipt] : copies()) {
      const Message& of = message(place);
      key.add(of.receipts.size()).add(static_cast<int>(receipt.state)).add(receipt.attempts).add(receipt.uncounted);
      key.add(receipt.epoch);
      const bool leased = receipt.state == ReceiptState::leased;
      if (leased) key.add(receipt.session == connection_of(place.agent));
      if (leased || receipt.state == ReceiptState::waiting) key.left(receipt.until, now);
      if (!of.expires()) continue;
      key.left(of.expires_at, now);
      key.add(
          world_.state().timers.contains({of.expires_at, engine::TimerKind::message_expires, team, {}, place.offset}));
    }
    return key.take();
  }

  // ---- What may happen.

  template <class Arrive>
  void send(const std::string& id, Arrive arrive) {
    if (known(id)) return;
    envelope::Envelope envelope;
    envelope.message_id = id;
    envelope.recipients = {"first"};
    if (id == "both")
      envelope.recipients.push_back("second");
    else
      envelope.expires_at = world_.now + life;
    findings_.at("'" + id + "' is sent");
    const auto sent = world_.decide(engine::AcceptMessage{.workspace = team,
                                                          .sender = sender,
                                                          .envelope = envelope,
                                                          .ruleset = rules_,
                                                          .type = *rules_.type_named("request"),
                                                          .lane = base::LaneId(7),
                                                          .id_key = engine::id_key_of(id),
                                                          .length = 100,
                                                          .warnings = {},
                                                          .validation_errors = {}});
    if (!sent)
      return findings_.require(world_.decided_nothing(), 9, "a message that was refused left something behind");
    world_.apply();
    judge([](const Place&, const Receipt&, const Receipt&) { return false; });
    arrive("'" + id + "' is sent", false);
  }

  bool offered_out(AgentNumber agent) const {
    for (const auto& [place, receipt] : before_)
      if (place.agent == agent && engine::open(receipt.state) && receipt.epoch >= epochs_max) return true;
    return false;
  }

  template <class Arrive>
  void take(AgentNumber agent, SessionId session, std::uint32_t most, Arrive arrive) {
    if (offered_out(agent)) return;
    const std::string step = "agent " + std::to_string(agent.value) + " takes " + std::to_string(most) +
                             (session == connection_of(agent) ? ", connected" : "");
    findings_.at(step);
    if (planted_ == Planted::two_owners) {  // the lease is taken from who holds it, and it is not told
      world_.decide(engine::ReturnLeases{team, agent, connection_of(agent)});
      world_.apply();
    }
    auto offers = world_.decide(engine::TakeMessages{
        .workspace = team, .agent = agent, .session = session, .max = most, .lease = lease, .take_id = {}});
    if (offers.empty() && world_.decided_nothing()) return;
    std::map<Offset, engine::Offer> offered;
    for (const engine::Offer& offer : offers) {
      const Receipt& was = before_.at({offer.offset, agent});
      findings_.require(was.state != ReceiptState::leased, 14, "a second lease of one copy");
      findings_.require(was.state != ReceiptState::acked, 15, "what was acked is offered again");
      findings_.require(was.state == ReceiptState::queued, 14, "offered, though it was not waiting");
      findings_.require(offer.epoch == was.epoch + 1, 17, "an offer without the next epoch");
      offered[offer.offset] = offer;
    }
    world_.apply();
    if (planted_ == Planted::skipped_epoch && session == connection_of(agent)) {  // given back and offered once more
      world_.decide(engine::ReturnLeases{team, agent, session});
      world_.apply();
      (void)world_.decide(engine::TakeMessages{
          .workspace = team, .agent = agent, .session = session, .max = most, .lease = lease, .take_id = {}});
      world_.apply();
    }
    judge([&](const Place& place, const Receipt& was, const Receipt& is) {
      if (const auto at = offered.find(place.offset); place.agent == agent && at != offered.end())
        return is.state == ReceiptState::leased && is.session == session && is.epoch == was.epoch + 1 &&
               is.until == at->second.lease_until;
      return is.state == ReceiptState::expired && message(place).expires_at <= world_.now;
    });
    arrive(step, false);
  }
  enum class Word { ack, nack, extend };

  template <class Arrive>
  void settle(const Place& place, std::uint32_t epoch, Arrive arrive) {
    for (const Word word : {Word::ack, Word::nack, Word::extend}) {
      const Receipt& was = before_.at(place);
      const std::string step = std::string(word == Word::ack    ? "ack"
                                           : word == Word::nack ? "nack"
                                                                : "extension") +
                               " of offer " + std::to_string(epoch) + " of message " +
                               std::to_string(place.offset.value) + " by agent " + std::to_string(place.agent.value);
      findings_.at(step);
      const bool newest = planted_ == Planted::late_ack && epoch < was.epoch;
      const engine::DeliveryId delivery{place.offset, newest ? was.epoch : epoch};
      const Settled settled = say(word, place.agent, delivery);
      const bool holds = was.state == ReceiptState::leased && was.epoch == epoch && was.until > world_.now;
      findings_.require(
          (settled == Settled::done) == holds, 16,
          holds ? "a word on the lease that holds is not done" : "a word on a lease that is over is done");
      findings_.require(settled == Settled::done || world_.decided_nothing(), 16,
                        "a word that is not done left something behind");
      if (settled != Settled::done) continue;
      if (planted_ != Planted::lost_ack || word != Word::ack) world_.apply();
      if (word == Word::ack)
        findings_.require(copies().at(place).state == ReceiptState::acked, 15,
                          "an ack was answered and does not count");
      judge([&](const Place& at, const Receipt& old, const Receipt& is) {
        if (at != place) return word == Word::nack && given_back_behind(place, at, old, is);
        if (word == Word::ack) return is.state == ReceiptState::acked;
        if (word == Word::extend) return is.state == ReceiptState::leased && is.until == world_.now + extension;
        if (is.attempts != old.attempts + 1) return false;
        const bool goes_on = is.attempts < rules_.retry.attempts || expires(at);  // to its end, where its time is over
        return is.state == (goes_on ? ReceiptState::waiting : ReceiptState::dead);
      });
      arrive(step, false);
    }
  }
  Settled say(Word word, AgentNumber agent, const engine::DeliveryId& delivery) {
    if (word == Word::ack) return world_.decide(engine::AckMessages{team, agent, {&delivery, 1}}).front();
    if (word == Word::nack) return world_.decide(engine::NackMessages{team, agent, {&delivery, 1}, {}, "no"}).front();
    return world_.decide(engine::ExtendLeases{team, agent, {&delivery, 1}, extension}).front();
  }

  template <class Arrive>
  void break_off(AgentNumber agent, Arrive arrive) {
    const std::string step = "the connection of agent " + std::to_string(agent.value) + " is lost";
    findings_.at(step);
    world_.decide(engine::ReturnLeases{team, agent, connection_of(agent), 1});
    if (world_.decided_nothing()) return;
    world_.apply();
    judge([&](const Place& at, const Receipt& was, const Receipt& is) { return returned(at, was, is, agent); });
    arrive(step, false);
  }

  template <class Arrive>
  void redrive(AgentNumber agent, Arrive arrive) {
    for (const auto& [place, was] : before_) {
      if (place.agent != agent || was.state != ReceiptState::dead) continue;
      const std::string step = "message " + std::to_string(place.offset.value) + " is redriven";
      findings_.at(step);
      if (!world_.decide(engine::RedriveMessage{team, agent, place.offset})) continue;
      world_.apply();
      judge([&, at_place = place](const Place& at, const Receipt&, const Receipt& is) {
        return at == at_place && is.state == ReceiptState::queued && is.attempts == 0;
      });
      arrive(step, false);
    }
  }

  template <class Arrive>
  void remove(AgentNumber agent, Arrive arrive) {
    const std::string step = "agent " + std::to_string(agent.value) + " is removed";
    findings_.at(step);
    (void)world_.decide(engine::RemoveAgent{team, agent});
    world_.apply();
    judge([](const Place&, const Receipt&, const Receipt&) { return false; });
    arrive(step, false);
  }

  template <class Arrive>
  void crash(Arrive arrive) {
    findings_.at("a crash");
    world_.now += downtime;
    world_.decide(engine::StartServer{downtime});
    world_.apply();
    judge([](const Place&, const Receipt& was, const Receipt& is) {  // D2: it counts against nobody
      return is.state == was.state && is.epoch == was.epoch && is.until == was.until + downtime;
    });
    arrive("a crash", false);
  }

  template <class Arrive>
  void let_time_go_on(Arrive arrive) {
    if (!world_.comes_to_look(arrive)) return;
    findings_.at("the server looks");
    world_.decide_due();
    findings_.require(!world_.decided_nothing(), 4, "something is due and nothing is done");
    world_.apply();
    judge([&](const Place& at, const Receipt& was, const Receipt& is) { return brought_by_time(at, was, is); });
    arrive("the server looks", true);
  }

  // ---- Whether a change may be.

  static bool over(const Receipt& was, Instant now) { return was.until <= now; }

  bool expires(const Place& at) const { return message(at).expires() && message(at).expires_at <= world_.now; }

  bool brought_by_time(const Place& at, const Receipt& was, const Receipt& is) const {
    const Instant now = world_.now;
    const bool held = was.state == ReceiptState::leased && !over(was, now);
    switch (is.state) {
      case ReceiptState::expired:
        return expires(at) && !held;
      case ReceiptState::bounced:
        return world_.agent(at.agent).removed;
      case ReceiptState::dead:
        return is.attempts >= rules_.retry.attempts && was.state == ReceiptState::leased && over(was, now);
      case ReceiptState::queued:
        if (was.state == ReceiptState::waiting) return over(was, now);
        if (was.state != ReceiptState::leased) return false;
        if (over(was, now)) return is.attempts <= was.attempts + 1;
        if (returned(at, was, is, at.agent)) return true;
        for (const auto& [other, receipt] : before_)
          if (given_back_behind(other, at, was, is) && over(receipt, now)) return true;
        return false;
      default:
        return false;
    }
  }
  // R32: with one of its lane before it, uncounted.
  bool given_back_behind(const Place& before, const Place& at, const Receipt& was, const Receipt& is) const {
    return at.agent == before.agent && at.offset > before.offset && was.state == ReceiptState::leased &&
           is.state == ReceiptState::queued && is.attempts == was.attempts && is.epoch == was.epoch;
  }
  // R46: what a lost connection held, uncounted, and what stood behind it.
  static bool returned(const Place& at, const Receipt& was, const Receipt& is, AgentNumber agent) {
    return at.agent == agent && was.state == ReceiptState::leased && was.session == connection_of(agent) &&
           is.state == ReceiptState::queued && is.attempts == was.attempts && is.uncounted <= was.uncounted + 1;
  }

  // Every copy stands as it stood, or has changed as the step may change it.
  template <class May>
  void judge(May may) {
    const Copies after = copies();
    for (const auto& [place, was] : before_) {
      const auto at = after.find(place);
      if (at == after.end()) {
        findings_.require(is_final(was.state), 18, "a copy is gone without its end");
        continue;
      }
      const Receipt& is = at->second;
      findings_.require(was.state != ReceiptState::acked || is.state == ReceiptState::acked, 15, "an ack was undone");
      findings_.require(!is_final(was.state) || is.state == was.state, 18, "a copy that had its end has another");
      findings_.require(is.epoch == was.epoch || (is.epoch == was.epoch + 1 && is.state == ReceiptState::leased), 17,
                        "an epoch changed without an offer");
      findings_.require(is.attempts <= rules_.retry.attempts, 19, "more attempts than there may be");
      const bool same = is.state == was.state && is.attempts == was.attempts && is.uncounted == was.uncounted &&
                        is.epoch == was.epoch && is.until == was.until && is.session == was.session;
      findings_.require(
          same || may(place, was, is), 18,
          "a copy of message " + std::to_string(place.offset.value) + " changed as this step may not change it");
    }
  }

  const Planted planted_;
  profile::Ruleset rules_;
  World world_;
  Findings findings_;
  Copies before_;
};

const std::vector<std::pair<Fault, Planted>> faults{{{"two_owners", 14}, Planted::two_owners},
                                                    {{"late_ack", 16}, Planted::late_ack},
                                                    {{"lost_ack", 15}, Planted::lost_ack},
                                                    {{"skipped_epoch", 17}, Planted::skipped_epoch}};

std::optional<Broken> explore(std::string_view planted) {
  LeaseModel model(planted_of(faults, planted));
  return Explorer(model, {.never_ends = 18}).explore("lease");
}

const Registered lease_table({"lease", names_of(faults), explore});

}  // namespace
}  // namespace parley::models::lease_model
