// What becomes of a copy in its mailbox: offered, acked, given back, tried again, expired, dead (O4, P3 to P5).

#include "engine/retry.hpp"
#include "sim/chronicle.hpp"

namespace parley::sim {
namespace {

constexpr std::string_view spent = "HND-09: tried again, though its attempts are spent";

}  // namespace

void Chronicle::check_turn(const Place& place, const Message& message, std::uint64_t session) {
  Workspace& workspace = workspaces_[place.workspace];
  for (const std::uint64_t other_offset : workspace.agents[place.agent].open) {
    if (other_offset == place.offset) continue;
    const Message& other = workspace.messages.at(other_offset);
    const Receipt& receipt = other.receipts.at(place.agent);
    const bool earlier = other_offset < place.offset;
    const std::string what = " (" + std::to_string(other_offset) + ")";
    if (message.lane == 0) {
      const bool passed_over =
          earlier && other.lane == 0 && other.priority == message.priority && receipt.state == State::queued;
      require(!passed_over, place, "P5: offered before an older one of its priority" + what);
    } else if (other.lane == message.lane) {  // R32
      const bool with_another = receipt.state == State::leased && receipt.session != session;
      require(!with_another, place, "P5: offered while its lane is leased to another session" + what);
      require(!earlier || receipt.state == State::leased, place, "P5: offered before an older one of its lane" + what);
    }
  }
}

void Chronicle::check_credit(const Place& place, std::uint64_t session) {
  const auto credit = ledger_.credit_max.find(session);
  if (credit == ledger_.credit_max.end()) return;
  Workspace& workspace = workspaces_[place.workspace];
  std::uint32_t leased = 0;
  for (const std::uint64_t offset : workspace.agents[place.agent].open) {
    const Receipt& receipt = workspace.messages.at(offset).receipts.at(place.agent);
    if (receipt.state == State::leased && receipt.session == session) ++leased;
  }
  require(leased <= credit->second, place, "O4: more leases than the session has credit");
}

void Chronicle::fold(std::uint32_t number, const event::Offered& event, base::Instant at) {
  Workspace& workspace = workspaces_[number];
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "an offer");
    if (!found) return;
    const Message& message = workspace.messages.at(offset);
    require(found->state == State::queued, place,
            found->state == State::leased ? "O4: a second live lease" : "O4: offered, though it was not waiting");
    require(!message.taken_back, place, "BEY-03: offered after its sender took it back");
    require(message.expires == base::Instant{} || message.expires > at, place, "HND-10: offered after its end");
    check_turn(place, message, event.session());
    ++found->epoch;
    const OfferKey key{number, event.agent(), offset, found->epoch};
    offers_[key] = {found->attempts + 1, message.at_most_once};
    if (message.at_most_once) {
      require(found->epoch == 1, place, "O4: an at-most-once message was offered twice");
      sightings_.saw(Sighting::at_most_once_offered);
      end(place, *found, State::handed_over);
      continue;
    }
    move(place, *found, State::leased);
    found->session = event.session();
    found->until = base::instant_of(event.lease_until());
  }
  if (event.offsets_size() > 0)
    check_credit({number, event.agent(), event.offsets(event.offsets_size() - 1)}, event.session());
}

void Chronicle::end(const Place& place, Receipt& found, State state) {
  move(place, found, state);
  Agent& agent = workspaces_[place.workspace].agents[place.agent];
  count_open(agent);
  agent.open.erase(place.offset);
  const bool waits_for_human =
      state == State::superseded && tasks_.is_order_of_escalated(place.workspace, place.offset);
  const bool lost = !waits_for_human && (state == State::expired || state == State::dead || state == State::bounced ||
                                         state == State::superseded);
  if (lost) requests_.lost({place.workspace, place.offset}, place.agent);
}

void Chronicle::fold(std::uint32_t number, const event::Acked& event, base::Instant at) {
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "an ack");
    if (!found) return;
    const OfferKey key{number, event.agent(), offset, found->epoch};
    require(found->state == State::leased && found->until > at, place, "P4: acked without a lease that holds");
    require(ledger_.acks_granted.contains(key), place,
            "P4: the ack of another offer counted for offer " + std::to_string(found->epoch));
    require(acks_.insert(key).second, place, "O4: acked twice");
    end(place, *found, State::acked);
  }
}

// BEY-01: by who has it, or had it acked.
void Chronicle::fold(std::uint32_t number, const event::Acted& event, base::Instant at) {
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "an act");
    if (!found) return;
    const OfferKey key{number, event.agent(), offset, found->epoch};
    const bool leased = found->state == State::leased && found->until > at;
    require(leased || found->state == State::acked || found->state == State::handed_over, place,
            "BEY-01: acted upon by who does not have it");
    require(ledger_.acks_granted.contains(key), place,
            "P4: the act upon another offer counted for offer " + std::to_string(found->epoch));
    acks_.insert(key);
    end(place, *found, State::acted);
    sightings_.saw(Sighting::acted);
  }
}

// R32: what was leased after it in its lane goes back with it, uncounted.
void Chronicle::give_back_lane(const Place& place, const Message& message) {
  if (message.lane == 0) return;
  Workspace& workspace = workspaces_[place.workspace];
  for (const std::uint64_t offset : workspace.agents[place.agent].open) {
    if (offset <= place.offset) continue;
    Message& later = workspace.messages.at(offset);
    Receipt& later_receipt = later.receipts.at(place.agent);
    if (later.lane != message.lane || later_receipt.state != State::leased) continue;
    later_receipt.state = State::queued;
    sightings_.saw(Sighting::lane_given_back);
  }
}

void Chronicle::fold(std::uint32_t number, const event::Nacked& event, base::Instant at) {
  for (int i = 0; i < event.offsets_size(); ++i) {
    const Place place{number, event.agent(), event.offsets(i)};
    Receipt* const found = receipt(place, "a nack");
    if (!found) return;
    const Message& message = workspaces_[number].messages.at(place.offset);
    require(found->state == State::leased && found->until > at, place, "P4: nacked without a lease that holds");
    const bool expires = message.expires != base::Instant{} && message.expires <= at;
    require(++found->attempts < attempts_allowed(number, message) || expires, place, spent);
    give_back_lane(place, message);
    move(place, *found, State::waiting);
    found->until = base::instant_of(event.retry_at(i));
  }
}

void Chronicle::fold(std::uint32_t number, const event::LeasesExtended& event, base::Instant at) {
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "an extension");
    if (!found) return;
    require(found->state == State::leased && found->until > at, place, "P4: extended without a lease that holds");
    found->until = base::instant_of(event.lease_until());
  }
}

void Chronicle::fold(std::uint32_t number, const event::LeasesEnded& event, base::Instant at) {
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "a lease's end");
    if (!found) return;
    if (found->state != State::leased) continue;  // given back with its lane by one before it
    require(found->until <= at, place, "O4: a lease ended before its time");
    const Message& message = workspaces_[number].messages.at(offset);
    require(++found->attempts < attempts_allowed(number, message), place, spent);
    sightings_.saw(Sighting::lease_ran_out);
    give_back_lane(place, message);
    found->state = State::queued;
  }
}

void Chronicle::fold(std::uint32_t number, const event::LeasesReturned& event) {
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "a lease given back");
    if (!found) return;
    if (found->state != State::leased || found->session != event.session()) continue;  // dead, or back with its lane
    found->state = State::queued;
    ++found->lost_readers;
  }
}

void Chronicle::fold(std::uint32_t number, const event::BackoffsEnded& event, base::Instant at) {
  for (const std::uint64_t offset : event.offsets()) {
    const Place place{number, event.agent(), offset};
    Receipt* const found = receipt(place, "a backoff's end");
    if (!found) return;
    if (found->state != State::waiting) continue;
    require(found->until <= at, place, "HND-09: a backoff ended before its time");
    found->state = State::queued;
  }
}

void Chronicle::fold(std::uint32_t number, const event::Expired& event, base::Instant at) {
  Workspace& workspace = workspaces_[number];
  bool ended = false;
  for (const std::uint32_t agent : event.agents()) {
    const Place place{number, agent, event.message()};
    Receipt* const found = receipt(place, "an expiry");
    if (!found) return;
    const Message& message = workspace.messages.at(event.message());
    require(message.expires != base::Instant{} && message.expires <= at, place, "HND-10: expired before its time");
    if (found->state == State::held) {  // kept back to its end (COL-10)
      end_hold(place, *found, State::expired);
      ended = true;
    }
    if (!open(found->state)) continue;
    require(found->state != State::leased || found->until <= at, place, "O4: expired under a lease that holds");
    if (found->state == State::leased) give_back_lane(place, message);
    end(place, *found, State::expired);
    ended = true;
    sightings_.saw(Sighting::expired);
  }
  if (ended) owe(number, workspace.messages.at(event.message()), "expired", event.message());
}

void Chronicle::fold(std::uint32_t number, const event::DeadLettered& event, base::Instant) {
  const Place place{number, event.agent(), event.message()};
  Receipt* const found = receipt(place, "a dead letter");
  if (!found) return;
  const Message& message = workspaces_[number].messages.at(event.message());
  require(open(found->state), place, "O4: dead after its end");
  const bool is_spent = found->attempts + 1 >= attempts_allowed(number, message);
  const bool kills_readers = found->lost_readers + 1 >= engine::uncounted_offers_max;
  require(is_spent || kills_readers, place, "P3: given up with attempts left");
  ++found->attempts;
  if (found->state == State::leased) give_back_lane(place, message);
  end(place, *found, State::dead);
  Agent& agent = workspaces_[number].agents[event.agent()];
  ++agent.dead;
  count_open(agent);
  sightings_.saw(Sighting::dead_letter);
  owe(number, message, "dead", event.message());
}

void Chronicle::fold(std::uint32_t number, const event::Redriven& event, base::Instant at) {
  const Place place{number, event.agent(), event.message()};
  Receipt* const found = receipt(place, "a redrive");
  if (!found) return;
  Workspace& workspace = workspaces_[number];
  const Message& message = workspace.messages.at(event.message());
  require(found->state == State::dead, place, "O4: redriven, though it is no dead letter");
  require(!workspace.agents[event.agent()].removed, place, "P3: redriven to an agent that was removed");
  require(message.expires == base::Instant{} || message.expires > at, place, "HND-10: redriven after its end");
  found->begin_anew();
  requests_.comes_again({number, event.message()}, event.agent());
  Agent& agent = workspace.agents[event.agent()];
  count_open(agent);
  --agent.dead;
  agent.open.insert(event.message());
  count_open(agent);
  sightings_.saw(Sighting::redriven);
}

void Chronicle::fold(std::uint32_t number, const event::DeadLetterDiscarded& event) {
  const Place place{number, event.agent(), event.message()};
  Receipt* const found = receipt(place, "a discard");
  if (!found) return;
  require(found->state == State::dead, place, "O4: discarded, though it is no dead letter");
  move(place, *found, State::discarded);
  Agent& agent = workspaces_[number].agents[event.agent()];
  count_open(agent);
  --agent.dead;
  sightings_.saw(Sighting::discarded);
}

}  // namespace parley::sim
