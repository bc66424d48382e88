#include "sim/approvals.hpp"

#include "envelope/kind.hpp"

namespace parley::sim {

using event::Event;

ApprovalChronicle::Approval* ApprovalChronicle::known(const Place& place) {
  const auto at = approvals_.find(place);
  findings_.require(at != approvals_.end(), place, "SUP-05: of an approval that nobody asked for");
  return at == approvals_.end() ? nullptr : &at->second;
}

void ApprovalChronicle::open(const Place& place, const event::MessageAccepted& message, base::Instant at) {
  const bool waits_for_others = static_cast<envelope::Kind>(message.kind()) == envelope::Kind::task_assign;  // COL-10
  findings_.require(!message.held() || waits_for_others || message.approval_timeout() > 0, place,
                    "SUP-04: held for no decision");
  if (message.approval_timeout() == 0) return;
  const base::Duration timeout(message.approval_timeout());
  findings_.require(base::instant_of(message.approval_due()) == at + timeout, place,
                    "SUP-05: the time does not begin now");
  approvals_[place] = {State::open, message.sender(), message.held(), false, timeout, at + timeout};
  if (message.held()) sightings_.saw(Sighting::message_held);
}

// SUP-09: by a task whose last attempt has failed.
void ApprovalChronicle::open(const Place& place, const event::TaskMoved& moved, base::Instant at) {
  if (moved.approval_id().empty()) return;
  const base::Duration timeout(moved.approval_timeout());
  findings_.require(base::instant_of(moved.approval_due()) == at + timeout, place,
                    "SUP-05: the time does not begin now");
  approvals_[place] = {State::open, 0, false, false, timeout, at + timeout};
}

void ApprovalChronicle::decide(const Place& place, const Event& event) {
  Approval* const approval = known(place);
  if (!approval) return;
  const auto to = static_cast<State>(event.approval_decided().state());
  findings_.require(approval->waits(), place, "SUP-05: decided a second time, or after its time");
  findings_.require(event.by().has_person() && event.approval_decided().person() == event.by().person(), place,
                    "R22: decided by who is no person");
  findings_.require(to == State::approved || to == State::rejected || to == State::modified, place,
                    "SUP-05: a decision that is none");
  approval->state = to;
  sightings_.saw(Sighting::approval_decided);
}

void ApprovalChronicle::time_out(const Place& place, State to, base::Instant due, base::Instant at) {
  Approval* const approval = known(place);
  if (!approval) return;
  findings_.require(approval->waits() && approval->due <= at, place, "SUP-05: over before its time");
  findings_.require(to != State::escalated || (approval->state == State::open && due == at + approval->timeout), place,
                    "SUP-05: escalated twice, or for another time");
  approval->state = to;
  approval->due = due;
}

void ApprovalChronicle::settle(const Place& place, bool released) {
  Approval* const approval = known(place);
  if (!approval) return;
  const bool yes = approval->state == State::approved || approval->state == State::modified;
  findings_.require(approval->holds && !approval->settled, place,
                    "SUP-04: released or withheld, though it was not held");
  findings_.require(!approval->waits() && yes == released, place, "SUP-04: released or withheld against the decision");
  approval->settled = true;
  sightings_.saw(released ? Sighting::message_released : Sighting::message_withheld);
}

void ApprovalChronicle::fold(const Event& event, base::Instant at) {
  now_ = at;
  const auto place = [&](std::uint64_t offset) { return Place{event.workspace(), offset}; };
  switch (event.fact_case()) {
    case Event::kMessageAccepted:
      return open(place(event.offset()), event.message_accepted(), at);
    case Event::kTaskMoved:
      return open(place(event.offset()), event.task_moved(), at);
    case Event::kApprovalDecided:
      return decide(place(event.approval_decided().approval()), event);
    case Event::kApprovalEscalated:
      return time_out(place(event.approval_escalated().approval()), State::escalated,
                      base::instant_of(event.approval_escalated().due()), at);
    case Event::kApprovalLapsed:
      return time_out(place(event.approval_lapsed().approval()), State::lapsed, {}, at);
    case Event::kMessageTakenBack: {
      const auto at_message = approvals_.find(place(event.message_taken_back().message()));
      if (at_message != approvals_.end()) at_message->second.settled = true;
      return;
    }
    case Event::kApprovalWithdrawn: {
      Approval* const approval = known(place(event.approval_withdrawn().approval()));
      if (!approval) return;
      findings_.require(approval->waits(), place(event.offset()), "SUP-04: withdrawn, though it was decided");
      approval->state = State::withdrawn;
      return;
    }
    case Event::kMessageReleased:
      return settle(place(event.message_released().message()), true);
    case Event::kMessageWithheld:
      return settle(place(event.message_withheld().message()), false);
    case Event::kApprovalRefused:
      return sightings_.saw(Sighting::decision_refused);
    default:
      return;
  }
}

void ApprovalChronicle::check_all_ended() {
  for (const auto& [place, approval] : approvals_) {
    findings_.require(!approval.waits() || approval.due > now_, place, "SUP-05: its time is over, and it waits");
    findings_.require(!approval.holds || approval.waits() || approval.settled, place,
                      "SUP-04: decided, and still held");
  }
}

}  // namespace parley::sim
