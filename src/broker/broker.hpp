// The one loop's heart: what gateways call is decided at once, applied, gathered into a block; turn() commits the block
// and opens the output gate. Resource type, one thread (D8); knows no socket. Stops for good when the journal fails
// (D3).
//
//   call ─► ingress ─► engine.decide ─► engine.apply ─► block      turn(): timers, offers, append + sync, release
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <deque>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "broker/batch.hpp"
#include "broker/block.hpp"
#include "broker/held_messages.hpp"
#include "broker/history.hpp"
#include "broker/port.hpp"
#include "broker/receipt_watch.hpp"
#include "broker/refusals.hpp"
#include "broker/time_source.hpp"
#include "broker/waits.hpp"
#include "engine/engine.hpp"
#include "journal/journal.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/ruleset.hpp"

namespace parley::broker {

struct Options {
  base::Digest admin_token_hash{};
  std::size_t cache_bytes = 64u << 20;    // of committed blocks, for deliveries
  std::size_t block_bytes = 16u << 20;    // a block that grows over it is committed at once
  std::size_t deliveries_a_turn = 1'000;  // to all sessions together (D11), and receipts in one frame
  std::size_t step_messages = 1'000;      // that one turn bounces or takes back (D11)
};

// What the broker works with; all outlive it.
struct Parts {
  base::Clock& clock;
  base::Random& random;
  journal::Journal& journal;
  engine::RulesetOf ruleset_of;
};

struct Recovery {
  std::uint64_t events = 0;  // replayed
  bool from_snapshot = false;
  base::Duration downtime{};
  base::Duration ahead{};                      // how far the journal's time is ahead of the wall's
  std::vector<base::Error> refused_snapshots;  // the one before, or replay, stood in
};

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<base::Result<T>> = true;

class Broker final : public Port, private journal::Outcomes {
 public:
  Broker(const Parts& parts, const Options& options);
  ~Broker() override;

  // Reads the newest snapshot and what came after it, then journals the start. Before anything else.
  base::Result<Recovery> start();

  // Timers, offers, commit, releases. Called after each round of input, and when next_due() has come.
  // An error is the journal's failure: stop the process, answer nobody.
  base::Result<> turn();
  // Whether there is nothing for a turn to do before input, until_next_due() or an outcome of the journal.
  bool idle() const {
    return touched_.empty() && serving_.empty() && (syncing() || (block_->empty() && held_.empty()));
  }
  // Whether moreover everything is durable, and told.
  bool settled() const { return idle() && !syncing(); }
  std::optional<base::Duration> until_next_due();  // from now

  const engine::Engine& engine() const { return engine_; }
  const journal::Journal& journal() const { return parts_.journal; }
  struct Counts {
    absl::btree_map<std::string, std::uint64_t> accepted;           // by the sender's profile
    std::array<std::uint64_t, base::error_infos.size()> refused{};  // by ErrorCode
    std::uint64_t duplicates = 0, offered = 0, acked = 0, nacked = 0, expired = 0, dead_letters = 0, blocks = 0,
                  events = 0;
    base::Duration suspended{};  // how long the machine was, since the start
  };
  const Counts& counts() const { return counts_; }

  void after_sync(std::move_only_function<void()> release) override;
  std::optional<Caller> caller_of(std::string_view token) override;

  base::Result<Answer> create_workspace(const Caller&, json::Value body) override;
  base::Result<Answer> change_workspace(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> workspace(const Caller&, std::string_view workspace) override;
  base::Result<Answer> workspaces(const Caller&, const Page&) override;
  base::Result<Answer> register_agent(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> change_agent(const Caller&, std::string_view workspace, std::string_view id,
                                    json::Value body) override;
  base::Result<Answer> allocate(const Caller&, std::string_view workspace, std::string_view id,
                                std::string_view resource, json::Value body) override;
  base::Result<Answer> remove_agent(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> agent(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> agents(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> register_person(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> change_person(const Caller&, std::string_view workspace, std::string_view id,
                                     json::Value body) override;
  base::Result<Answer> remove_person(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> people(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> rotate_token(const Caller&, std::string_view workspace, std::string_view whose,
                                    std::string_view id, base::Duration grace) override;

  base::Result<Answer> register_runner(const Caller&, std::string_view workspace, json::Value body) override;
  base::Result<Answer> runners(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> revoke_runner(const Caller&, std::string_view workspace, std::string_view id) override;

  void begin(Batch&, const Caller&, std::string_view idempotency_key) override;
  base::Result<Sent> send(const Caller&, std::string_view workspace, Batch&, std::size_t index,
                          const SendOptions* = nullptr) override;
  base::Result<Sent> send(const Caller&, std::string_view workspace, const Native&, std::string_view idempotency_key,
                          const SendOptions* = nullptr) override;
  base::Result<Answer> message(const Caller&, std::string_view workspace, std::string_view message_id,
                               std::string_view to) override;
  base::Result<Answer> rescind(const Caller&, std::string_view workspace, std::string_view message_id,
                               std::string_view to, std::string_view reason) override;

  base::Result<Answer> records(const Caller&, std::string_view workspace, std::string_view task, std::string_view agent,
                               const Page&) override;

  base::Result<Answer> tasks(const Caller&, std::string_view workspace, std::string_view state, std::string_view agent,
                             const Page&) override;
  base::Result<Answer> task(const Caller&, std::string_view workspace, std::string_view task_id) override;
  base::Result<Answer> check_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                  std::uint64_t epoch) override;
  base::Result<Answer> dependencies(const Caller&, std::string_view workspace, std::string_view task_id) override;
  base::Result<Answer> set_dependencies(const Caller&, std::string_view workspace, std::string_view task_id,
                                        json::Value body) override;
  base::Result<Answer> extend_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                   json::Value body) override;
  base::Result<Answer> report_task_error(const Caller&, std::string_view workspace, std::string_view task_id,
                                         json::Value body) override;
  base::Result<Answer> abort_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                  json::Value body) override;
  base::Result<TasksAwaited> await_tasks(const Caller&, std::string_view workspace, const TaskWait&,
                                         bool as_it_stands) override;
  base::Result<Answer> reviews(const Caller&, std::string_view workspace, std::string_view state, std::string_view task,
                               const Page&) override;
  base::Result<Answer> review(const Caller&, std::string_view workspace, std::string_view review_id) override;
  base::Result<Answer> findings(const Caller&, std::string_view workspace, std::string_view task_id) override;
  base::Result<Answer> approvals(const Caller&, std::string_view workspace, std::string_view state,
                                 const Page&) override;
  base::Result<Answer> approval(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> decide_approval(const Caller&, std::string_view workspace, std::string_view id,
                                       json::Value body) override;

  base::Result<Answer> help_requests(const Caller&, std::string_view workspace, std::string_view state,
                                     std::string_view agent, const Page&) override;
  base::Result<Answer> help_request(const Caller&, std::string_view workspace, std::string_view id) override;
  base::Result<Answer> collaborations(const Caller&, std::string_view workspace, std::string_view state,
                                      std::string_view agent, const Page&) override;
  base::Result<Answer> collaboration(const Caller&, std::string_view workspace, std::string_view id) override;

  base::Result<Answer> inbox(const Caller&, std::string_view workspace, std::string_view agent, const Page&) override;
  base::Result<std::vector<Delivery>> take(const Caller&, std::string_view workspace, std::string_view agent,
                                           const TakeRequest&) override;
  base::Result<std::vector<Settled>> settle(const Caller&, std::string_view workspace, std::string_view agent,
                                            const SettleRequest&) override;
  base::Result<Answer> check(const Caller&, std::string_view workspace, std::string_view agent,
                             const CheckRequest&) override;
  void count_refused(const Caller&, const base::Error&) override;
  base::Result<Answer> dead_letters(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> redrive(const Caller&, std::string_view workspace, std::string_view delivery_id) override;
  base::Result<Answer> discard(const Caller&, std::string_view workspace, std::string_view delivery_id) override;
  base::Result<LogPage> log(const Caller&, std::string_view workspace, std::uint64_t from, std::uint32_t max) override;

  WaitId wait_for_mail(const Caller&, std::string_view workspace, std::string_view agent, base::Duration at_most,
                       WaitDone done) override;
  WaitId wait_for_log(const Caller&, std::string_view workspace, std::uint64_t from, base::Duration at_most,
                      WaitDone done) override;
  WaitId wait_for_tasks(const Caller&, std::string_view workspace, base::Duration at_most, WaitDone done) override;
  void cancel(WaitId wait) override;

  base::Result<base::SessionId> open_session(const Caller&, Outbox& outbox, const SessionOptions&) override;
  void set_credit(base::SessionId session, std::uint32_t credit) override;
  void outbox_has_room(base::SessionId session) override;
  void close_session(base::SessionId session) override;
  base::Offset head(const Caller&) override;

  Answer limits() const override;
  std::string not_ready() const override;

 private:
  using Mailbox = WaitFor;  // of an agent

  struct Session {
    Mailbox mailbox;
    Outbox* outbox = nullptr;
    std::uint32_t credit = 0;
    base::Duration lease{};
  };
  struct Held {
    base::Position until;
    std::move_only_function<void()> release;
  };

  // journal::Outcomes
  void durable_up_to(base::Position position) override;
  void ended(journal::Outcome outcome, const base::Error& why) override;

  // Deciding (decide.cpp).
  engine::Context context();
  void record(engine::Decided& decided, std::string_view native, const base::Digest& native_hash);
  void record(engine::Decided& decided) { record(decided, {}, {}); }
  void note_touched(const event::Event& event);
  void count(const event::Event& event);
  // Decides, and records what it comes to where the journal has room for it; else refuses, and nothing has happened.
  // The facts say who asked, where somebody did.
  template <class Command>
  auto decide(const Command& command, journal::Need need, const Caller* caller = nullptr) {
    using Given = decltype(engine_.decide(command, context(), decided_));
    using Outcome = std::conditional_t<is_result<Given>, Given, base::Result<Given>>;
    if (auto begun = begin_decision(); !begun) return Outcome(std::unexpected(std::move(begun).error()));
    if constexpr (std::is_void_v<Given>) {
      engine_.decide(command, context(), decided_);
      return record_if_room(need);
    } else {
      Outcome outcome = engine_.decide(command, context(), decided_);
      if (caller) name_actor(*caller, decided_);
      if (auto room = record_if_room(need); !room) outcome = std::unexpected(std::move(room).error());
      return outcome;
    }
  }
  template <class Command>
  auto decide_for(const Caller& caller, const Command& command, journal::Need need = journal::Need::growth) {
    return decide(command, need, &caller);
  }
  base::Result<> begin_decision();
  base::Result<> record_if_room(journal::Need need);
  std::uint64_t block_bytes() const;
  base::Result<> check_room(std::uint64_t bytes, journal::Need need);
  void put_off_duties();
  void catch_up_with_time();
  void forget_old();
  std::optional<base::Instant> next_duty() const;
  base::Instant polled_at(const Mailbox& mailbox);
  base::Result<> note_poll(const Mailbox& mailbox);
  base::Result<> commit();
  bool syncing() const { return durable_ < committed_; }
  void release_held();
  base::SessionId fresh_session(bool connection);

  // Whoever calls (credentials.cpp, registry_calls.cpp).
  static void name_actor(const Caller& caller, engine::Decided& decided);
  std::string fresh_token(base::Digest& hash);
  void show_agent(json::Writer& writer, base::WorkspaceNumber workspace, base::AgentNumber agent);

  // Messages (message_calls.cpp, refusals.cpp).
  Terms terms_of(const Caller& caller);
  base::Result<> admit(const Caller& caller, std::string_view workspace, Batch& batch);
  // Of one that a person changed, of the original: as long as its approval is remembered.
  base::Position first_position(base::WorkspaceNumber number, base::Offset message) const;
  bool same_json(base::Offset known, base::WorkspaceNumber workspace, std::string_view bytes);
  // COL-21: what its sender was told when it was accepted; and where another deadline comes now, that it changes
  // nothing.
  base::Result<std::vector<base::Problem>> first_warnings(base::WorkspaceNumber number, base::Offset offset,
                                                          base::Instant reply_by);
  std::unexpected<base::Error> refused(const Caller& sender, base::Error error);  // counted
  void record_refusals();

  // Revisions (revisions.cpp).
  struct Revision;
  // The review at this offset wants changes: its task is ordered anew where the workspace has the server do that (R12).
  void revise(base::WorkspaceNumber workspace, base::Offset review);
  base::Result<> read_revision(base::WorkspaceNumber workspace, base::Offset review, const profile::Ruleset& rules,
                               const engine::Context& now, Revision& revision);

  // Approvals (approval_calls.cpp).
  base::Result<> read_held(const engine::Workspace& workspace, base::Offset offset, json::Value patch,
                           HeldMessage& held);
  base::Result<> check_action(const engine::Workspace& workspace, const engine::Approval& approval, json::Value action);

  // Deliveries (deliveries.cpp).
  base::Result<std::vector<Delivery>> render(const Mailbox& mailbox, const std::vector<engine::Offer>& offers);
  base::Result<std::vector<engine::Offer>> offer(engine::TakeMessages command);

  // Sessions and long polls (sessions.cpp).
  struct Room {  // for what one turn may yet push (D11)
    std::size_t deliveries = 0;
    std::uint64_t bytes = 0;
    bool any() const { return deliveries > 0 && bytes > 0; }
    void take(std::span<const Delivery> pushed);
  };
  void push(base::SessionId id, Session& session, Room& room);
  void serve_touched();
  void serve_some(Room& room);
  void serve(const Mailbox& mailbox, Room& room);
  void push_receipts();

  const Parts parts_;
  const Options options_;
  TimeSource time_;
  engine::Engine engine_;
  engine::Decided decided_;
  std::unique_ptr<Block> block_;
  History history_;
  std::optional<base::Instant> block_time_;  // one engine time a block
  std::uint64_t block_seed_ = 0;
  base::Position committed_;  // handed to the journal
  base::Position durable_;
  std::optional<base::Error> failure_;
  base::Instant duties_put_off_until_;                // not even the last reserve had room for them
  absl::btree_set<Mailbox> starved_;                  // pushed to nobody, for want of room
  std::size_t expiries_left_ = 0;                     // that takes may still decide in this turn (D11)
  std::size_t inflate_left_ = ingress::inflated_max;  // bytes that compressed contents may still come to in it (R27)
  std::vector<journal::Record> records_;
  Batch one_;                  // message, sent by itself
  json::Parser other_parser_;  // for comparing contents

  std::deque<Held> held_;
  Waits waits_;
  ReceiptWatch receipt_watch_{parts_.ruleset_of};
  Refusals refusals_;
  absl::btree_map<base::SessionId, Session> sessions_;
  absl::btree_map<Mailbox, base::SessionId> session_of_;
  absl::btree_map<Mailbox, base::Instant> polled_;  // where a poll is a sign of life (R40)
  absl::btree_set<Mailbox> touched_;                // mailboxes and logs that changed in this turn
  absl::btree_set<Mailbox> serving_;                // those of a turn before that have not had theirs yet
  base::Instant forgot_at_;
  std::uint64_t admissions_ = 1;  // rises where senders may have to be admitted anew
  Counts counts_;
};

}  // namespace parley::broker
