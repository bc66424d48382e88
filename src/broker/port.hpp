// The broker as gateways see it: one interface, called on the broker's own thread, answered at once, by values. Batches
// alone know another thread, between begin() and send().
//
// What an answer says is decided when the call returns; it may LEAVE only when the journal has synced what it rests on
// (D3). So a gateway hands everything that goes out, refusals and reads too, to after_sync(), which runs it once the
// engine head that the call saw is durable, in order. Errors are refusals for the caller. Views are valid during the
// call.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "envelope/envelope.hpp"
#include "envelope/settled.hpp"
#include "json/value.hpp"

namespace parley::broker {

// Who calls, as the credential says; never what a body says (D10).
struct Caller {
  enum class Kind : std::uint8_t { admin, agent, person };
  Kind kind = Kind::agent;
  std::string workspace;  // empty for the admin
  std::string id;
  base::WorkspaceNumber workspace_number;
  base::AgentNumber agent;
  base::PersonNumber person;
};

// A JSON answer with its HTTP status: 200, 201, 207.
struct Answer {
  int status = 200;
  std::string json;
};

// A page of a list: `after` is the cursor that the page before gave as `next`.
struct Page {
  std::string_view after;
  std::uint32_t limit = 100;  // at most 1,000
};

// A native message as it came, and parsed.
struct Native {
  std::string_view bytes;
  json::Value value;
};

// Messages of one sender on their way in. Ingress judges each by itself, which takes most of the time and needs nothing
// the broker knows but how the sender is registered: so it may be done ahead, by another thread. Filled again and
// again, its memory is kept. Resource type; bytes and values added must stay until the messages are sent.
class Batch {
 public:
  Batch();
  ~Batch();

  void add(const Native& message);  // after Port::begin, which empties it
  std::size_t size() const;
  // Hashes all that was added, which takes less than half the time together. Any thread, before prepare(); or never.
  void hash();
  // Judges all of them under what held at begin(). Any thread, before the first is sent; or never: sending does it
  // then.
  void prepare();

  struct State;
  State& state() { return *state_; }  // the broker's

 private:
  std::unique_ptr<State> state_;
};

// What a sender says of a message beside it (R4).
struct SendOptions {
  std::string_view supersedes;  // id of an earlier message of its own, in whose place this one stands (BEY-03)
  std::string_view to;          // of that one's recipients, where its id alone does not say which it is (R7)
  std::optional<base::Instant> reply_by;  // unmet, it bounces (BEY-01)
  std::string_view evidence;              // what a runner signed (BEY-05); empty: nothing
};

struct Sent {
  std::string message_id;
  base::Offset offset;
  bool duplicate = false;
  std::vector<base::Problem> warnings;
};

struct TakeRequest {
  std::uint32_t max = 1;
  base::Duration lease{};    // 0: the workspace's default
  std::string_view take_id;  // empty: none
};

// One message handed to its recipient, with what the server knows beside it (R4).
struct Delivery {
  std::string delivery_id;
  base::Offset offset;
  std::uint32_t attempt = 1;
  std::optional<base::Instant> lease_until;  // none: at most once, no ack is expected (R20)
  envelope::Priority priority = envelope::Priority::normal;
  std::string_view message;  // the native bytes; or, with `notice`, the server's own words (R31)
  bool notice = false;
  bool by_server = false;                      // R31
  std::string_view profile;                    // of the message
  std::uint32_t task_epoch = 0;                // of an assignment: an order of an older epoch is stale (BEY-03)
  std::optional<base::Instant> task_deadline;  // likewise, assigned before or given again: what holds now (COL-16)
  base::Duration task_timeout{};               // 0: none
  std::vector<std::string> pending;       // likewise: tasks whose results it may need, not completed by now (COL-10)
  std::string task_error;                 // JSON: what the server's word about a task is about (R36); empty: none
  std::optional<base::Instant> reply_by;  // an answer is wanted until then (BEY-01)
  base::Offset supersedes;                // another of its sender's, in whose place it stands; 0: none
  std::string superseded_id;              // that one's
  std::vector<base::Problem> warnings;    // what validation had to say
  std::string made_id;                    // R5: what the message lacks and the server made for it; empty: nothing
  std::optional<base::Instant> made_timestamp;
};

struct CheckRequest {
  std::span<const std::string_view> delivery_ids;
  std::span<const std::string_view> message_ids;
};

enum class Settlement : std::uint8_t { ack, act, nack, extend };  // act: it is done, and so is what it asks for
struct SettleRequest {
  Settlement what = Settlement::ack;
  std::span<const std::string_view> delivery_ids;
  std::optional<base::Duration> delay;  // nack: else the profile's backoff
  std::string_view reason;              // nack
  base::Duration lease{};               // extend; 0: the workspace's default
  std::string_view code{};              // nack: of the error that is the reason
};
using envelope::Settled;

// What became of a sender's message at one recipient (D7).
struct ReceiptChange {
  base::Offset offset;
  std::string message_id;
  std::string recipient;
  std::string_view state;  // "queued", "offered", "waiting", "acked", "expired", "dead", "bounced", "superseded", …
  base::Instant at;
  std::optional<base::Instant> retrying_at;  // waiting
  std::string_view why;                      // bounced
  std::string error;                         // JSON: the delivery_error of a receipt; empty: none
};

// A connection that takes deliveries as they come. Implemented by a gateway, called during a turn of the loop.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual bool has_room() const = 0;                               // what was handed over before is mostly written
  virtual void deliver(std::span<const Delivery> deliveries) = 0;  // to be sent by after_sync; views die on return
  // To be sent likewise; only where the session asked. `left_out` more changes found no place (BEY-01).
  virtual void receipts(std::span<const ReceiptChange> changes, std::uint64_t left_out) = 0;
  virtual void taken_over() = 0;            // a newer session of the same agent; this one is closed
  virtual void removed() { taken_over(); }  // the agent was; likewise closed
};

struct SessionOptions {
  std::uint32_t credit = 0;  // unacked deliveries allowed
  base::Duration lease{};    // 0: the workspace's default
  bool receipts = false;     // tell what becomes of the messages that this agent sends from now on, and sent before
};

// Several tasks that somebody waits for (COL-09).
struct TaskWait {
  enum class Until : std::uint8_t { all, any, first_failure };  // the last: or until all are over
  std::vector<std::string> task_ids;
  Until until = Until::all;
};
struct LogPage {
  Answer answer;
  bool empty = false;      // nothing that the caller may read, up to
  std::uint64_t next = 0;  // where to go on
};
struct TasksAwaited {
  bool done = false;
  Answer answer;  // where it is done, or wanted as it stands
};

// Something a gateway waits for; 0 is none.
using WaitId = base::Strong<struct WaitTag, std::uint64_t>;
using WaitDone = std::move_only_function<void()>;

class Port {
 public:
  virtual ~Port() = default;

  // Runs `release` when everything decided so far is durable; never, where the journal fails.
  virtual void after_sync(std::move_only_function<void()> release) = 0;

  virtual std::optional<Caller> caller_of(std::string_view token) = 0;

  // Workspaces, agents, people. Bodies have passed their schema in spec/api/openapi.json.
  virtual base::Result<Answer> create_workspace(const Caller&, json::Value body) = 0;
  virtual base::Result<Answer> change_workspace(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> workspace(const Caller&, std::string_view workspace) = 0;
  virtual base::Result<Answer> workspaces(const Caller&, const Page&) = 0;
  virtual base::Result<Answer> register_agent(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> change_agent(const Caller&, std::string_view workspace, std::string_view id,
                                            json::Value body) = 0;
  // What the agent may use of a resource: "tokens", "cpu", "memory", "budget" (HND-12). Answered with the agent.
  virtual base::Result<Answer> allocate(const Caller&, std::string_view workspace, std::string_view id,
                                        std::string_view resource, json::Value body) = 0;
  virtual base::Result<Answer> remove_agent(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> agent(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> agents(const Caller&, std::string_view workspace, const Page&) = 0;
  virtual base::Result<Answer> register_person(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> change_person(const Caller&, std::string_view workspace, std::string_view id,
                                             json::Value body) = 0;
  virtual base::Result<Answer> remove_person(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> people(const Caller&, std::string_view workspace, const Page&) = 0;
  // `whose`: "agents" or "people". `grace`: how long the old token stays valid.
  virtual base::Result<Answer> rotate_token(const Caller&, std::string_view workspace, std::string_view whose,
                                            std::string_view id, base::Duration grace) = 0;

  // Whose signatures count (BEY-05).
  virtual base::Result<Answer> register_runner(const Caller&, std::string_view workspace, json::Value body) = 0;
  virtual base::Result<Answer> runners(const Caller&, std::string_view workspace, const Page&) = 0;
  virtual base::Result<Answer> revoke_runner(const Caller&, std::string_view workspace, std::string_view id) = 0;

  // Messages.
  virtual void begin(Batch&, const Caller&, std::string_view idempotency_key) = 0;
  // One of the batch, by the caller it was begun for. What was prepared under a registration or settings that hold no
  // longer is judged anew: the answer is as if the message had been read now.
  virtual base::Result<Sent> send(const Caller&, std::string_view workspace, Batch&, std::size_t index,
                                  const SendOptions* = nullptr) = 0;
  virtual base::Result<Sent> send(const Caller&, std::string_view workspace, const Native&,
                                  std::string_view idempotency_key, const SendOptions* = nullptr) = 0;
  // `to` tells apart messages of one id to several recipients (R7); may be empty.
  virtual base::Result<Answer> message(const Caller&, std::string_view workspace, std::string_view message_id,
                                       std::string_view to) = 0;

  // Its sender takes it back (BEY-03). Answered with what became of it at each recipient.
  virtual base::Result<Answer> rescind(const Caller&, std::string_view workspace, std::string_view message_id,
                                       std::string_view to, std::string_view reason) = 0;

  // Each agent's newest record of each task, in the order of tasks (PIP-03); of one task or agent, where named.
  virtual base::Result<Answer> records(const Caller&, std::string_view workspace, std::string_view task,
                                       std::string_view agent, const Page&) = 0;

  // Tasks, in the order in which they were first assigned; in one state, of one assigner or assignee, where named.
  virtual base::Result<Answer> tasks(const Caller&, std::string_view workspace, std::string_view state,
                                     std::string_view agent, const Page&) = 0;
  virtual base::Result<Answer> task(const Caller&, std::string_view workspace, std::string_view task_id) = 0;
  // Whether an order is still to be acted upon: of its task, the epoch that the assignment came with (BEY-03).
  virtual base::Result<Answer> check_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                          std::uint64_t epoch) = 0;
  // What a task depends on (R35), also before it is assigned; set one kind at a time.
  virtual base::Result<Answer> dependencies(const Caller&, std::string_view workspace, std::string_view task_id) = 0;
  virtual base::Result<Answer> set_dependencies(const Caller&, std::string_view workspace, std::string_view task_id,
                                                json::Value body) = 0;
  // More time; what went wrong (COL-16); its end. Answered with the task as it stands then.
  virtual base::Result<Answer> extend_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                           json::Value body) = 0;
  virtual base::Result<Answer> report_task_error(const Caller&, std::string_view workspace, std::string_view task_id,
                                                 json::Value body) = 0;
  virtual base::Result<Answer> abort_task(const Caller&, std::string_view workspace, std::string_view task_id,
                                          json::Value body) = 0;
  // Whether what is waited for is so, and how they stand.
  virtual base::Result<TasksAwaited> await_tasks(const Caller&, std::string_view workspace, const TaskWait&,
                                                 bool as_it_stands) = 0;

  // Reviews, in the order in which they were asked for; in one state, of one task, where named.
  virtual base::Result<Answer> reviews(const Caller&, std::string_view workspace, std::string_view state,
                                       std::string_view task, const Page&) = 0;
  // With its messages, and, where a revision is due, with what it carries (R12).
  virtual base::Result<Answer> review(const Caller&, std::string_view workspace, std::string_view review_id) = 0;
  // What a task's reviews found, and what was fixed when (COL-13).
  virtual base::Result<Answer> findings(const Caller&, std::string_view workspace, std::string_view task_id) = 0;

  // Approvals, in the order they were asked for: all the caller may see, or those of a state; "waiting": not decided.
  virtual base::Result<Answer> approvals(const Caller&, std::string_view workspace, std::string_view state,
                                         const Page&) = 0;
  virtual base::Result<Answer> approval(const Caller&, std::string_view workspace, std::string_view id) = 0;
  virtual base::Result<Answer> decide_approval(const Caller&, std::string_view workspace, std::string_view id,
                                               json::Value body) = 0;

  // Requests for help, in the order they were asked: all the caller may see, or those of a state ("waiting": not over)
  // and an agent.
  virtual base::Result<Answer> help_requests(const Caller&, std::string_view workspace, std::string_view state,
                                             std::string_view agent, const Page&) = 0;
  virtual base::Result<Answer> help_request(const Caller&, std::string_view workspace, std::string_view id) = 0;

  // Collaborations, in the order they were opened: all the caller may see, or those of a state and an agent. One with
  // what was said in it.
  virtual base::Result<Answer> collaborations(const Caller&, std::string_view workspace, std::string_view state,
                                              std::string_view agent, const Page&) = 0;
  virtual base::Result<Answer> collaboration(const Caller&, std::string_view workspace, std::string_view id) = 0;

  // Mailboxes.
  virtual base::Result<Answer> inbox(const Caller&, std::string_view workspace, std::string_view agent,
                                     const Page&) = 0;
  virtual base::Result<std::vector<Delivery>> take(const Caller&, std::string_view workspace, std::string_view agent,
                                                   const TakeRequest&) = 0;
  virtual base::Result<std::vector<Settled>> settle(const Caller&, std::string_view workspace, std::string_view agent,
                                                    const SettleRequest&) = 0;
  // Whether what an agent has got is still to be acted upon (BEY-03), all at one moment.
  virtual base::Result<Answer> check(const Caller&, std::string_view workspace, std::string_view agent,
                                     const CheckRequest&) = 0;
  // What a front has refused of a caller's messages counts like what is refused here.
  virtual void count_refused(const Caller&, const base::Error&) = 0;

  virtual base::Result<Answer> dead_letters(const Caller&, std::string_view workspace, const Page&) = 0;
  // `delivery_id` as the list of dead letters gives it.
  virtual base::Result<Answer> redrive(const Caller&, std::string_view workspace, std::string_view delivery_id) = 0;
  virtual base::Result<Answer> discard(const Caller&, std::string_view workspace, std::string_view delivery_id) = 0;

  // The log: what the caller may read, from an offset on, in offset order.
  virtual base::Result<LogPage> log(const Caller&, std::string_view workspace, std::uint64_t from,
                                    std::uint32_t max) = 0;

  // Long polls. `done` runs once: when there may be something, or at the deadline; the gateway then asks again.
  virtual WaitId wait_for_mail(const Caller&, std::string_view workspace, std::string_view agent,
                               base::Duration at_most, WaitDone done) = 0;
  virtual WaitId wait_for_log(const Caller&, std::string_view workspace, std::uint64_t from, base::Duration at_most,
                              WaitDone done) = 0;
  virtual WaitId wait_for_tasks(const Caller&, std::string_view workspace, base::Duration at_most, WaitDone done) = 0;
  virtual void cancel(WaitId wait) = 0;

  // Sessions: deliveries pushed. `outbox` must live until close_session, taken_over or removed.
  virtual base::Result<base::SessionId> open_session(const Caller&, Outbox& outbox, const SessionOptions&) = 0;
  virtual void set_credit(base::SessionId session, std::uint32_t credit) = 0;
  virtual void outbox_has_room(base::SessionId session) = 0;  // again, after has_room() was false
  virtual void close_session(base::SessionId session) = 0;    // its leases go back, uncounted (R46)
  // The engine head of the caller's workspace, for `welcome`.
  virtual base::Offset head(const Caller&) = 0;

  virtual Answer limits() const = 0;
  // Why the server is not ready; empty: it is.
  virtual std::string not_ready() const = 0;
};

}  // namespace parley::broker
