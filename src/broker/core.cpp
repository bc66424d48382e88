// Decisions into a block, the block to the journal, answers out of the gate.
#include "broker/core.hpp"

#include "base/assert.hpp"
#include "base/splitmix.hpp"
#include "broker/fact_shape.hpp"

namespace parley::broker {
namespace {

constexpr std::uint64_t put_off_bytes = 4u << 20;  // what a turn of those that were put off may need, as a rule

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

Core::Core(const Parts& parts, const Options& options)
    : parts_(parts),
      options_(options),
      time_(parts.clock),
      engine_(parts.ruleset_of),
      decided_(engine_.state()),
      block_(std::make_shared<Block>(base::Position(1))),
      history_(block_, parts.journal.reader(), options.cache_bytes) {}

Core::~Core() = default;

engine::Context Core::context() {
  if (!block_time_) {
    block_time_ = std::max(time_.now(), engine_.state().now);
    block_seed_ = parts_.random.next();  // a system call: once a block, not once a message
  }
  return {*block_time_, base::next_mixed(block_seed_)};  // one seed a block becomes one a command
}

void Core::record(std::string_view native, const base::Digest& native_hash, const SharedBytes& shared) {
  for (engine::Fact& fact : decided_.facts()) {
    const bool has_body = fact.has_native_body || !fact.body.empty();
    const std::string_view body = fact.has_native_body ? native : std::string_view(fact.body);
    const base::Digest hash = fact.has_native_body ? native_hash : has_body ? base::sha256(body) : base::Digest{};
    const base::Position position = block_->next();
    char* const event_at = block_->add(fact.event.ByteSizeLong(), body, hash, has_body, shared);
    fact.event.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(event_at));
    receipt_watch_.before(engine_.state(), fact.event);
    engine_.apply(fact.event, {position, *block_time_, static_cast<std::uint32_t>(body.size()), hash});
    receipt_watch_.after(engine_.state(), *block_time_);
    note_touched(fact.event);
    if (may_change_admission(fact.event)) ++admissions_;
    count(fact.event);
  }
  counts_.events += decided_.facts().size();
  decided_.clear();
}

void Core::note_touched(const event::Event& event) {
  const base::WorkspaceNumber workspace(event.workspace());
  if (workspace == base::WorkspaceNumber{}) return;
  const FactShape shape = shape_of(event);
  const auto touch = [&](std::uint32_t agent) { touched_.insert({workspace, base::AgentNumber(agent)}); };
  shape.visit_mailboxes(touch);
  if (shape.ends_task) touched_.insert({workspace, {}, true});
  touch(0);  // the log grew
}

void Core::count(const event::Event& event) {
  counts_.offered += static_cast<std::uint64_t>(event.offered().offsets_size());
  counts_.nacked += static_cast<std::uint64_t>(event.nacked().offsets_size());
  counts_.expired += static_cast<std::uint64_t>(event.expired().agents_size());
  if (event.has_dead_lettered()) ++counts_.dead_letters;
}

// With the journal's own bytes.
std::uint64_t Core::block_bytes() const {
  return block_->bytes() + (block_->next().value - block_->first().value) * journal::record_overhead +
         journal::block_overhead;
}

journal::Room Core::room_for(std::uint64_t bytes, journal::Need need) const {
  return parts_.journal.room_for(block_bytes() + bytes, need);
}

base::Result<> Core::check_room(std::uint64_t bytes, journal::Need need) const {
  switch (room_for(bytes, need)) {
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

base::Result<> Core::commit_if_full(std::size_t more_bytes) {
  // By its memory: a batch that it shares may be mostly what is not in it.
  return block_->allocated() + more_bytes > options_.block_bytes ? commit() : base::Result<>();
}

base::Result<> Core::begin_decision() {
  decided_.clear();
  return commit_if_full();
}

void Core::name_actor(const Caller& caller) {
  for (engine::Fact& fact : decided_.facts()) {
    event::Actor& by = *fact.event.mutable_by();
    if (caller.kind == Caller::Kind::agent)
      by.set_agent(caller.agent.value);
    else if (caller.kind == Caller::Kind::person)
      by.set_person(caller.person.value);
    else
      by.set_admin(true);
  }
}

base::Result<> Core::record_if_room(journal::Need need) {
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
  record({}, {});
  return {};
}

base::Result<> Core::commit() {
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
  auto committed = std::exchange(block_, std::make_shared<Block>(next));
  history_.keep(std::move(committed));
  committed_ = ticket->last;
  block_time_.reset();
  ++counts_.blocks;
  parts_.journal.poll(*this);
  if (failure_) return std::unexpected(*failure_);
  return {};
}

void Core::durable_up_to(base::Position position) {
  durable_ = position;
}

void Core::ended(journal::Outcome, const base::Error& why) {
  failure_ = why;
}

void Core::after_sync(std::move_only_function<void()> then) {
  gated_.push_back({base::Position(block_->next().value - 1), std::move(then)});
}

void Core::open_gate() {
  // What leaves may call again, and more waits at the gate: for the next turn's commit, where it must.
  while (!gated_.empty() && gated_.front().until <= durable_) {
    auto then = std::move(gated_.front().then);
    gated_.pop_front();
    then();
  }
}

// Who is not done is put off again, behind the others; one goes on however short a turn is. Where the journal is making
// space they wait, as input does.
void Core::go_on() {
  begin_counting();
  const auto has_room = [this] { return room_for(put_off_bytes, journal::Need::growth) != journal::Room::soon; };
  const base::Duration until = parts_.clock.monotonic() + options_.time_a_turn;
  const auto has_time = [&] { return !turn_is_full() && parts_.clock.monotonic() < until; };
  goes_on_ = true;
  const std::size_t waiting = later_.size();
  for (std::size_t i = 0; i < waiting && (i == 0 || has_time()) && has_room(); ++i) later_.take()();
  goes_on_ = false;
  begin_counting();
}

base::Result<> Core::poll() {
  if (!failure_) parts_.journal.poll(*this);
  return failure_ ? base::Result<>(std::unexpected(*failure_)) : base::Result<>();
}

void Core::end_turn() {
  history_.release();
  if (block_->empty()) block_time_.reset();
}

}  // namespace parley::broker
