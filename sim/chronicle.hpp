// An independent model of what the journal says: every event is folded into a picture made without the engine, and
// held against the rules that an event of its kind must obey (reliability O2-O4, P3-P5). It shares with the engine the
// events' format and nothing else. Resource type, one thread.
//
// Which rule is broken where:
//   O2  a message was accepted that nobody sent, or twice       O3  offsets do not rise by one
//   O4  two live leases, an ack of another offer, a message that comes again after its end
//   P3  a message ends without the record of it                 P5  an offer out of order
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "event/events.pb.h"
#include "profile/ruleset.hpp"
#include "sim/approvals.hpp"
#include "sim/budgets.hpp"
#include "sim/collaborations.hpp"
#include "sim/errors.hpp"
#include "sim/findings.hpp"
#include "sim/health.hpp"
#include "sim/help.hpp"
#include "sim/ledger.hpp"
#include "sim/loops.hpp"
#include "sim/requests.hpp"
#include "sim/runners.hpp"
#include "sim/sightings.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {

class Chronicle {
 public:
  enum class State {
    queued,
    leased,
    waiting,
    acked,
    acted,
    handed_over,
    expired,
    dead,
    bounced,
    superseded,
    rescinded,
    held,
    rejected,
    discarded,
  };

  struct Receipt {
    State state = State::queued;
    std::uint32_t epoch = 0;
    std::uint32_t attempts = 0;
    std::uint32_t lost_readers = 0;
    std::uint64_t session = 0;
    base::Instant until{};

    void begin_anew() {
      state = State::queued;
      attempts = lost_readers = 0;
    }
  };
  struct Message {
    std::uint64_t lane = 0;
    std::uint32_t priority = 0;
    std::uint32_t sender = 0;
    std::uint32_t attempts_max = 0;  // its sender's; 0: it says none
    bool at_most_once = false;
    bool notice = false;
    bool taken_back = false;
    base::Digest hash{};
    base::Digest sent{};      // the same, before a person changed it
    base::Instant expires{};  // 0: never
    std::map<std::uint32_t, Receipt> receipts;
  };

  Chronicle(const Ledger& ledger, std::function<const profile::Ruleset*(std::string_view)> ruleset_of,
            Findings& findings, Sightings& sightings)
      : ledger_(ledger),
        ruleset_of_(std::move(ruleset_of)),
        findings_(findings),
        sightings_(sightings),
        requests_(findings, sightings),
        errors_(findings, sightings),
        runners_(findings, sightings),
        health_(findings, sightings, tasks_),
        budgets_(findings, tasks_),
        approvals_(findings, sightings),
        help_(findings, sightings),
        collaborations_(findings, sightings, help_),
        loops_(findings, sightings),
        tasks_(findings, sightings) {}

  // The next durable event, in order.
  void fold(const event::Event& event, base::Instant at, const base::Digest& body_hash);

  // The released answers since the last call must be what happened (P1): called when everything durable was folded.
  void compare(Ledger& ledger);

  // Every message has come to an end, and each end that its sender is owed a word about was announced (D7).
  void check_all_ended();

  // Offsets open in a mailbox, rising.
  std::vector<std::uint64_t> open_in(std::uint32_t workspace, std::uint32_t agent) const;
  std::size_t open_everywhere() const;  // but for agents that were removed
  std::size_t open_requests() const { return requests_.open(); }
  TaskChronicle& tasks() { return tasks_; }
  ErrorChronicle& errors() { return errors_; }
  RunnerChronicle& runners() { return runners_; }
  const CollaborationChronicle& collaborations() const { return collaborations_; }

 private:
  struct Agent {
    std::string id;
    std::string profile;
    bool removed = false;
    std::set<std::uint64_t> open;
    std::size_t dead = 0;       // letters, which keep their places (decision 4)
    std::size_t held = 0;       // messages, likewise (decision 10)
    std::size_t most_open = 0;  // with the dead, of any moment of the block at `counted_at`
    std::size_t notices = 0;    // of that block: each decision counts its own beside what was there before
    base::Instant counted_at{};
    std::deque<base::Instant> sent;  // within the rate's window
  };
  struct Workspace {
    std::uint64_t head = 0;
    std::uint64_t forgotten_through = 0;
    std::uint32_t mailbox_messages = 0;
    std::uint32_t rate_messages = 0;
    base::Duration rate_window{};
    base::Instant settings_changed_at{};
    std::map<std::uint32_t, Agent> agents;
    std::map<std::uint64_t, Message> messages;
    std::map<std::uint64_t, std::uint64_t> accepted_groups;  // group → offset
  };
  struct Offered {
    std::uint32_t attempt = 0;
    bool final = false;
  };
  struct Owed {  // a word to the sender
    std::uint32_t workspace = 0;
    std::uint32_t sender = 0;
    std::string code;
    std::uint64_t about = 0;
    friend auto operator<=>(const Owed&, const Owed&) = default;
  };
  // One message at one agent.
  struct Place {
    std::uint32_t workspace;
    std::uint32_t agent;
    std::uint64_t offset;
  };

  void fold_in_workspace(const event::Event& event, base::Instant at, const base::Digest& body_hash);
  void fold(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted&, const base::Digest& hash);
  void fold(std::uint32_t workspace, std::uint64_t offset, const event::NoticePosted&, const base::Digest& hash);
  void fold(std::uint32_t workspace, const event::Offered&, base::Instant at);
  void fold(std::uint32_t workspace, const event::Acked&, base::Instant at);
  void fold(std::uint32_t workspace, const event::Acted&, base::Instant at);
  void fold(std::uint32_t workspace, const event::Nacked&, base::Instant at);
  void fold(std::uint32_t workspace, const event::LeasesExtended&, base::Instant at);
  void fold(std::uint32_t workspace, const event::LeasesEnded&, base::Instant at);
  void fold(std::uint32_t workspace, const event::LeasesReturned&);
  void fold(std::uint32_t workspace, const event::BackoffsEnded&, base::Instant at);
  void fold(std::uint32_t workspace, const event::Expired&, base::Instant at);
  void fold(std::uint32_t workspace, const event::DeadLettered&, base::Instant at);
  void fold(std::uint32_t workspace, const event::Redriven&, base::Instant at);
  void fold(std::uint32_t workspace, const event::DeadLetterDiscarded&);
  void fold(std::uint32_t workspace, const event::AgentRemoved&);
  void let_go(std::uint32_t number, const event::TaskMoved&);
  void end_hold(const Place& place, Receipt& receipt, State to);
  void give_again(std::uint32_t workspace, std::uint32_t agent, std::uint64_t message);
  void give_order_again(std::uint32_t workspace, const event::TaskMoved& event);
  void ask_again(std::uint32_t workspace, const event::RequestAskedAgain& event);
  void begin_anew(const Place& place, Receipt& receipt);
  void fold(std::uint32_t workspace, const event::MessagesBounced&);
  void fold(std::uint32_t workspace, const event::MessagesSuperseded&);
  void fold(std::uint32_t workspace, const event::MessageTakenBack&);
  void fold(std::uint32_t workspace, const event::RequestTimedOut&);
  void fold(std::uint32_t workspace, const event::RequestGivenUp&);
  void fold(std::uint32_t workspace, const event::MessageReleased&, const base::Digest& hash);
  void fold(std::uint32_t workspace, const event::MessageWithheld&);
  void pass_on(std::uint32_t workspace, const event::HelpMoved&);
  void move_what_waits(base::Duration by);

  static bool open(State state) { return state <= State::waiting; }
  bool is_left_by_another(const Place& place, const event::MessageAccepted& event) const;
  void take_said(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted&);
  void check_turn(const Place& place, const Message& message, std::uint64_t session);
  void check_credit(const Place& place, std::uint64_t session);
  void check_content(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted&,
                     const base::Digest& hash);
  void give_back_lane(const Place& place, const Message& message);
  void end(const Place& place, Receipt& receipt, State state);
  void move(const Place& place, Receipt& receipt, State to);
  void count_open(Agent& agent) const;
  bool had_room(const Workspace& workspace, Agent& agent) const;
  void owe(std::uint32_t workspace, const Message& message, std::string code, std::uint64_t about);
  Receipt* receipt(const Place& place, std::string_view event);
  void require(bool holds, const Place& place, std::string_view what);
  std::uint32_t attempts_allowed(std::uint32_t workspace, const Message& message) const;

  const Ledger& ledger_;
  std::function<const profile::Ruleset*(std::string_view)> ruleset_of_;
  Findings& findings_;
  Sightings& sightings_;
  bool bounces_ = false;  // the request that times out awaited a reply until now
  base::Instant now_{};   // engine time of the event that is folded
  std::map<std::uint32_t, Workspace> workspaces_;
  std::map<OfferKey, Offered> offers_;
  std::set<OfferKey> acks_;
  std::set<OfferKey> handed_over_;  // at-most-once deliveries that a client has received
  std::multiset<Owed> owed_;
  RequestChronicle requests_;
  ErrorChronicle errors_;
  RunnerChronicle runners_;
  HealthChronicle health_;
  BudgetChronicle budgets_;
  ApprovalChronicle approvals_;
  HelpChronicle help_;
  CollaborationChronicle collaborations_;
  LoopChronicle loops_;
  TaskChronicle tasks_;
};

}  // namespace parley::sim
