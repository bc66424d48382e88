// The loop's heart: decisions into a block, the block to the journal, answers out of the gate.
#include "broker/broker.hpp"

#include "base/assert.hpp"
#include "base/splitmix.hpp"
#include "broker/fact_shape.hpp"

namespace parley::broker {
namespace {

constexpr std::size_t forgotten_a_turn = 10'000;
constexpr std::size_t expiries_a_turn = 1'000;  // D11: those that takes come upon; the timers have as many
constexpr base::Duration forget_every = std::chrono::seconds(1);

// Who may send here, and how it is read: not by what comes with every message.
bool may_change_admission(const event::Event& event) {
  using event::Event;
  switch (event.fact_case()) {
    case Event::kMessageAccepted:
    case Event::kOffered:
    case Event::kAcked:
      return false;
    default:
      return true;
  }
}

}  // namespace

Broker::Broker(const Parts& parts, const Options& options)
    : parts_(parts),
      options_(options),
      time_(parts.clock),
      engine_(parts.ruleset_of),
      decided_(engine_.state()),
      block_(std::make_unique<Block>(base::Position(1))),
      history_(block_, parts.journal.reader(), options.cache_bytes) {}

Broker::~Broker() = default;

engine::Context Broker::context() {
  if (!block_time_) {
    block_time_ = std::max(time_.now(), engine_.state().now);
    block_seed_ = parts_.random.next();  // a system call: once a block, not once a message
  }
  return {*block_time_, base::next_mixed(block_seed_)};  // one seed a block becomes one a command
}

void Broker::record(engine::Decided& decided, std::string_view native, const base::Digest& native_hash) {
  for (engine::Fact& fact : decided.facts()) {
    const bool has_body = fact.has_native_body || !fact.body.empty();
    const std::string_view body = fact.has_native_body ? native : std::string_view(fact.body);
    const base::Digest hash = fact.has_native_body ? native_hash : has_body ? base::sha256(body) : base::Digest{};
    const base::Position position = block_->next();
    char* const event_at = block_->add(fact.event.ByteSizeLong(), body, hash, has_body);
    fact.event.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(event_at));
    receipt_watch_.before(engine_.state(), fact.event);
    engine_.apply(fact.event, {position, *block_time_, static_cast<std::uint32_t>(body.size()), hash});
    receipt_watch_.after(engine_.state(), *block_time_);
    note_touched(fact.event);
    if (may_change_admission(fact.event)) ++admissions_;
    count(fact.event);
  }
  counts_.events += decided.facts().size();
  decided.clear();
}

void Broker::note_touched(const event::Event& event) {
  const base::WorkspaceNumber workspace(event.workspace());
  if (workspace == base::WorkspaceNumber{}) return;
  const FactShape shape = shape_of(event);
  const auto touch = [&](std::uint32_t agent) { touched_.insert({workspace, base::AgentNumber(agent)}); };
  shape.visit_mailboxes(touch);
  if (shape.ends_task) touched_.insert({workspace, {}, true});
  touch(0);  // the log grew
}

void Broker::count(const event::Event& event) {
  counts_.offered += static_cast<std::uint64_t>(event.offered().offsets_size());
  counts_.nacked += static_cast<std::uint64_t>(event.nacked().offsets_size());
  counts_.expired += static_cast<std::uint64_t>(event.expired().agents_size());
  if (event.has_dead_lettered()) ++counts_.dead_letters;
}

// With the journal's own bytes.
std::uint64_t Broker::block_bytes() const {
  return block_->bytes() + (block_->next().value - block_->first().value) * journal::record_overhead +
         journal::block_overhead;
}

base::Result<> Broker::check_room(std::uint64_t bytes, journal::Need need) {
  switch (parts_.journal.room_for(block_bytes() + bytes, need)) {
    case journal::Room::enough:
      return {};
    case journal::Room::soon:
      return base::fail(base::ErrorCode::OVERLOADED, "the journal is making space", {}, "Send it again in a second.");
    case journal::Room::later:
      return base::fail(base::ErrorCode::OVERLOADED,
                        "the system has no descriptor or memory for the journal's next file", {},
                        "Send it again in a second.");
    case journal::Room::full:
      return base::fail(base::ErrorCode::STORAGE_FULL, "the disk of the data folder has no room for this");
  }
  return {};
}

// A block that is large enough goes before more is decided: a block has one engine time.
base::Result<> Broker::begin_decision() {
  decided_.clear();
  return block_->bytes() > options_.block_bytes ? commit() : base::Result<>();
}

base::Result<> Broker::record_if_room(journal::Need need) {
  if (decided_.empty()) return {};
  std::uint64_t bytes = 0;
  for (const engine::Fact& fact : decided_.facts())
    bytes += fact.event.ByteSizeLong() + fact.body.size() + journal::record_overhead;
  base::Result<> room = check_room(bytes, need);
  if (room && block_bytes() + bytes > parts_.journal.block_bytes_max())
    room = base::fail(base::ErrorCode::OVERLOADED, "this turn has decided as much as a block holds", {},
                      "Send it again in a second.");
  if (!room) {
    decided_.clear();
    return room;
  }
  record(decided_);
  return {};
}

// What time brings can wait: a lease that is over holds nothing, what has expired is given to nobody.
void Broker::put_off_duties() {
  decided_.clear();
  duties_put_off_until_ = context().now + forget_every;
}

std::optional<base::Instant> Broker::next_duty() const {
  auto due = engine_.next_due();
  if (due) due = std::max(*due, duties_put_off_until_);
  return due;
}

base::Result<> Broker::commit() {
  if (failure_) return std::unexpected(*failure_);
  if (block_->empty()) return {};
  block_->records(records_);
  auto ticket = parts_.journal.append(records_, *block_time_);
  if (!ticket) {  // it has failed: for what is in a block there was room, or it would not have been applied
    failure_ = ticket.error();
    return std::unexpected(*failure_);
  }
  PARLEY_ASSERT(ticket->first == block_->first());
  const base::Position next = block_->next();
  auto committed = std::exchange(block_, std::make_unique<Block>(next));
  history_.keep(std::move(committed));
  committed_ = ticket->last;
  block_time_.reset();
  ++counts_.blocks;
  parts_.journal.poll(*this);
  if (failure_) return std::unexpected(*failure_);
  return {};
}

void Broker::durable_up_to(base::Position position) {
  durable_ = position;
}

void Broker::ended(journal::Outcome, const base::Error& why) {
  failure_ = why;
}

void Broker::after_sync(std::move_only_function<void()> release) {
  held_.push_back({base::Position(block_->next().value - 1), std::move(release)});
}

void Broker::release_held() {
  // What is released may call again and hold more: that waits for the next turn's commit where it must.
  while (!held_.empty() && held_.front().until <= durable_) {
    auto release = std::move(held_.front().release);
    held_.pop_front();
    release();
  }
}

base::Result<> Broker::turn() {
  if (failure_) return std::unexpected(*failure_);
  parts_.journal.poll(*this);
  if (failure_) return std::unexpected(*failure_);
  release_held();  // what this asks for is decided in this turn
  expiries_left_ = expiries_a_turn;
  inflate_left_ = ingress::inflated_max;
  if (const auto due = next_duty(); due && *due <= context().now) {
    decided_.clear();
    engine_.decide_unfinished(options_.step_messages, context(), decided_);
    bool room = record_if_room(journal::Need::duty).has_value();
    decided_.clear();
    engine_.decide_due(context(), decided_, [this](base::WorkspaceNumber workspace, base::AgentNumber agent) {
      return polled_at({workspace, agent});
    });
    room = room && record_if_room(journal::Need::duty).has_value();
    if (!room) put_off_duties();
  }
  const base::Instant now = context().now;
  if (now - forgot_at_ >= forget_every) touched_.merge(std::exchange(starved_, {}));
  if (now - forgot_at_ >= forget_every || block_->bytes() > 0) {
    forgot_at_ = now;
    forget_old();
  }
  serve_touched();
  if (failure_) return std::unexpected(*failure_);
  push_receipts();
  record_refusals();
  for (WaitDone& done : waits_.take_due(time_.now())) done();
  if (!syncing()) {  // else the block goes on gathering until that sync has ended
    PARLEY_CHECK(commit());
    catch_up_with_time();
  }
  release_held();
  history_.release();
  if (block_->empty()) block_time_.reset();
  return {};
}

// Whoever's they are (D11): what a turn leaves, the next one finds.
void Broker::forget_old() {
  for (std::size_t left = forgotten_a_turn; left > 0;) {
    decided_.clear();
    const std::size_t forgotten = engine_.decide_forgotten(left, context(), decided_);
    if (forgotten == 0 || !record_if_room(journal::Need::duty)) return;
    left -= forgotten;
  }
}

// Of a block that has begun the time stands: it is asked where none has. Without room for the event it stands as well.
void Broker::catch_up_with_time() {
  const base::Duration missed = time_.missed();
  if (missed == base::Duration{}) return;
  block_time_.reset();
  time_.skip(missed);
  if (!decide(engine::SkipTime{missed}, journal::Need::duty)) {
    block_time_.reset();
    return time_.skip(-missed);
  }
  for (auto& [mailbox, at] : polled_) at += missed;
  counts_.suspended += missed;
}

// R40: who is connected, or waits for mail, is there.
base::Instant Broker::polled_at(const Mailbox& mailbox) {
  if (session_of_.contains(mailbox) || waits_.any(mailbox)) return time_.now();
  const auto at = polled_.find(mailbox);
  return at == polled_.end() ? base::Instant{} : at->second;
}

base::Result<> Broker::note_poll(const Mailbox& mailbox) {
  const engine::Agent& agent = engine_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent);
  if (!agent.health || !agent.health.get()->by_any) return {};
  polled_[mailbox] = time_.now();
  if (!agent.health.get()->silent) return {};
  return decide(engine::HearOfAgent{mailbox.workspace, mailbox.agent}, journal::Need::duty);
}

std::optional<base::Duration> Broker::until_next_due() {
  std::optional<base::Instant> due;
  // What the open block decides is decided at its own time: what fell due since waits for the next one.
  if (!syncing() || block_->empty()) due = next_duty();
  if (const auto deadline = waits_.next_deadline(); deadline && (!due || *deadline < *due)) due = deadline;
  if (const auto refused = refusals_.next_due(); refused && (!due || *refused < *due)) due = refused;
  if (!due) return std::nullopt;
  return std::max(base::Duration{}, *due - time_.now());
}

base::SessionId Broker::fresh_session(bool connection) {
  constexpr std::uint64_t connection_bit = 1ull << 63;
  const std::uint64_t random = parts_.random.next() & ~connection_bit;
  return base::SessionId((connection ? connection_bit : 0) | (random == 0 ? 1 : random));
}

}  // namespace parley::broker
