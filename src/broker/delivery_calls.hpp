// Messages on their way out: mailboxes that are looked into, taken from and settled; sessions, which deliveries are
// pushed to; long polls, which are woken; and so who is there.
#pragma once
#include "broker/core.hpp"
#include "broker/port/mailboxes.hpp"
#include "broker/port/polls.hpp"
#include "broker/port/sessions.hpp"

namespace parley::broker {

class DeliveryCalls final : public Mailboxes, public Sessions, public Polls {
 public:
  using Mailbox = WaitFor;  // of an agent

  explicit DeliveryCalls(Core& core) : core_(core) {}

  base::Result<Answer> inbox(const Caller&, std::string_view workspace, std::string_view agent, const Page&) override;
  base::Result<std::vector<Delivery>> take(const Caller&, std::string_view workspace, std::string_view agent,
                                           const TakeRequest&) override;
  base::Result<std::vector<Settled>> settle(const Caller&, std::string_view workspace, std::string_view agent,
                                            const SettleRequest&) override;
  base::Result<Answer> check(const Caller&, std::string_view workspace, std::string_view agent,
                             const CheckRequest&) override;
  base::Result<Answer> dead_letters(const Caller&, std::string_view workspace, const Page&) override;
  base::Result<Answer> redrive(const Caller&, std::string_view workspace, std::string_view delivery_id) override;
  base::Result<Answer> discard(const Caller&, std::string_view workspace, std::string_view delivery_id) override;

  base::Result<base::SessionId> open_session(const Caller&, Outbox& outbox, const SessionOptions&) override;
  void set_credit(base::SessionId session, std::uint32_t credit) override;
  void outbox_has_room(base::SessionId session) override;
  void disconnect(base::SessionId session) override;
  void close_session(base::SessionId session) override;
  base::Offset head(const Caller&) override;

  base::Result<LogPage> log(const Caller&, std::string_view workspace, std::uint64_t from, std::uint32_t max) override;
  WaitId wait_for_mail(const Caller&, std::string_view workspace, std::string_view agent, const TakeRequest&,
                       base::Duration at_most, WaitDone done) override;
  WaitId wait_for_log(const Caller&, std::string_view workspace, std::uint64_t from, base::Duration at_most,
                      WaitDone done) override;
  WaitId wait_for_tasks(const Caller&, std::string_view workspace, base::Duration at_most, WaitDone done) override;
  void cancel(WaitId wait) override;

  // A turn (serving.cpp): what changed is pushed to who has room, within what one turn may push (D11).
  void begin_turn();
  void serve_touched();
  void push_receipts();
  void wake_due();          // long polls whose time is over
  void retry_starved();     // mailboxes for whose offers the journal had no room
  bool all_served() const;  // as far as this turn goes
  std::optional<base::Instant> next_deadline() const { return waits_.next_deadline(); }

  // R40: when it was there last; who is connected, or waits for mail, is.
  base::Instant polled_at(const Mailbox& mailbox);
  void forget(const Mailbox& mailbox);  // of an agent that was removed
  void skip(base::Duration missed);     // time in which the machine was suspended, and nobody could be there

 private:
  struct Session {
    Mailbox mailbox;
    Outbox* outbox = nullptr;
    std::uint32_t credit = 0;
    base::Duration lease{};
  };
  struct Room {  // for what one turn may yet give (D11)
    std::size_t deliveries = 0;
    std::uint64_t bytes = 0;
    bool any() const { return deliveries > 0 && bytes > 0; }
    void take(std::span<const Delivery> given, std::uint64_t bytes_read);
  };
  // What it has cost of late to read a message of a mailbox from the journal (D11): a chunk for each where they lie far
  // apart, next to nothing where one chunk holds many.
  class StoredPrice {
   public:
    std::uint64_t bytes() const { return bytes_; }
    void paid(std::uint64_t bytes_read, std::size_t messages);  // one at least

   private:
    // One that proves too low is paid once, with 64 messages.
    static constexpr std::uint64_t least = 64u << 10, first = 256u << 10, most = 4u << 20;
    std::uint64_t bytes_ = first;
  };

  base::Result<> note_poll(const Mailbox& mailbox);
  base::SessionId fresh_session(bool connection);
  base::Result<std::vector<engine::Offer>> offer(engine::TakeMessages command);
  base::Result<std::vector<Delivery>> give(const Mailbox& mailbox, const std::vector<engine::Offer>& offers);
  base::Result<std::vector<Delivery>> render(const Mailbox& mailbox, const std::vector<engine::Offer>& offers);
  base::Result<> note_remarks(const engine::Offer& offer, DeliveryDetails& details);
  void push(base::SessionId id, Session& session);
  void serve_some();
  void serve(const Mailbox& mailbox);
  void wake(const Mailbox& mailbox);

  Core& core_;
  Waits waits_;
  absl::btree_map<base::SessionId, Session> sessions_;
  absl::btree_map<Mailbox, base::SessionId> session_of_;
  absl::btree_map<Mailbox, base::Instant> polled_;  // where a poll is a sign of life (R40)
  absl::btree_set<Mailbox> serving_;                // those of a turn before that have not had theirs yet
  absl::btree_set<Mailbox> starved_;                // pushed to nobody, for want of room
  Room room_;
  absl::btree_map<Mailbox, StoredPrice> stored_prices_;  // where anything was read
  std::size_t expiries_left_ = 0;                        // that takes may still decide in this turn (D11)
};

}  // namespace parley::broker
