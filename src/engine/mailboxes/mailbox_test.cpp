// R32, reliability D3, D4: random histories of a mailbox against a model that is a plain list, read from the rulings
// alone.
#include "engine/mailboxes/mailbox.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <list>
#include <optional>
#include <set>

#include "engine/mailboxes/open_messages.hpp"
#include "engine/mailboxes/selection.hpp"

namespace parley::engine {
namespace {

// Every open message in the order of acceptance, with what it is in; no index, no counts.
class Model {
 public:
  enum class State { waiting, backing_off, leased };
  struct Item {
    Entry entry;
    State state = State::waiting;
    SessionId session{};
  };

  // R32: the lane's first that is not leased, where nobody else holds one of the lane, and it does not back off.
  bool may_have(const Item& item, SessionId session) const {
    if (item.state != State::waiting) return false;
    if (item.entry.lane == LaneId{}) return true;
    for (const Item& other : items) {
      if (other.entry.lane != item.entry.lane) continue;
      if (other.state == State::leased && other.session != session) return false;
      if (other.state != State::leased && other.entry.offset < item.entry.offset) return false;
    }
    return true;
  }

  // R32: a lane stands at the highest priority waiting in it.
  Priority level_of(const Item& item) const {
    Priority level = item.entry.priority;
    if (item.entry.lane != LaneId{})
      for (const Item& other : items)
        if (other.entry.lane == item.entry.lane && other.state != State::leased)
          level = std::max(level, other.entry.priority);
    return level;
  }

  std::vector<Offset> offerable(SessionId session) const {
    std::vector<Offset> offsets;
    for (const Item& item : items)
      if (may_have(item, session)) offsets.push_back(item.entry.offset);
    return offsets;
  }

  // Of its level's offerable ones, the oldest.
  bool first_of_its_level(Offset offset, SessionId session) {
    const Priority level = level_of(at(offset));
    for (const Item& item : items)
      if (may_have(item, session) && level_of(item) == level) return item.entry.offset == offset;
    return false;
  }

  std::vector<Offset> leased_after(const Item& item) const {
    std::vector<Offset> offsets;
    if (item.entry.lane == LaneId{}) return offsets;
    for (const Item& other : items)
      if (other.entry.lane == item.entry.lane && other.state == State::leased && other.entry.offset > item.entry.offset)
        offsets.push_back(other.entry.offset);
    return offsets;
  }

  std::vector<Offset> in(State state) const {
    std::vector<Offset> offsets;
    for (const Item& item : items)
      if (item.state == state) offsets.push_back(item.entry.offset);
    return offsets;
  }

  Item& at(Offset offset) {
    for (Item& item : items)
      if (item.entry.offset == offset) return item;
    throw std::out_of_range("the model does not know it");
  }
  void remove(Offset offset) {
    items.remove_if([&](const Item& item) { return item.entry.offset == offset; });
  }

  std::list<Item> items;
};

class History {
 public:
  void queue(std::uint64_t lane, Priority priority) {
    const Entry entry{Offset(++last_), LaneId(lane), priority};
    mailbox_.queue(entry);
    model_.items.push_back({entry});
  }

  void offer(SessionId session, std::size_t most, bool final) {
    for (std::size_t i = 0; i < most; ++i) {
      const Offset offset = Selection(mailbox_, session, now_).next();
      if (offset == Offset{}) {
        RC_ASSERT(model_.offerable(session).empty());
        return;
      }
      RC_ASSERT(model_.may_have(model_.at(offset), session));
      RC_ASSERT(model_.first_of_its_level(offset, session));
      Model::Item& item = model_.at(offset);
      mailbox_.offer(item.entry, session, final, now_);
      if (final) {
        model_.remove(offset);
      } else {
        item.state = Model::State::leased;
        item.session = session;
      }
    }
  }

  void ack(std::size_t pick) {
    if (const auto offset = pick_of(Model::State::leased, pick)) {
      mailbox_.settle(model_.at(*offset).entry, model_.at(*offset).session);
      model_.remove(*offset);
    }
  }

  // The later ones of its lane go back first (R32).
  void nack(std::size_t pick) {
    const auto offset = pick_of(Model::State::leased, pick);
    if (!offset) return;
    Model::Item& item = model_.at(*offset);
    const std::vector<Offset> later = model_.leased_after(item);
    RC_ASSERT(mailbox_.leased_after(item.entry) == later);
    for (const Offset each : later) give_back(model_.at(each));
    mailbox_.hold_back(item.entry, item.session);
    item.state = Model::State::backing_off;
  }

  void resume(std::size_t pick) {
    if (const auto offset = pick_of(Model::State::backing_off, pick)) {
      mailbox_.resume(model_.at(*offset).entry);
      model_.at(*offset).state = Model::State::waiting;
    }
  }

  void expire(std::size_t pick, bool backing_off) {
    const auto offset = pick_of(backing_off ? Model::State::backing_off : Model::State::waiting, pick);
    if (!offset) return;
    mailbox_.drop(model_.at(*offset).entry);
    model_.remove(*offset);
  }

  void close(SessionId session) {
    for (const Offset offset : mailbox_.leased_to(session)) give_back(model_.at(offset));
  }

  void pass(base::Duration time) { now_ += time; }

  void check(const std::vector<SessionId>& sessions) {
    std::vector<Offset> open;
    for (const Model::Item& item : model_.items) open.push_back(item.entry.offset);
    RC_ASSERT(mailbox_.open() == open);                 // nothing lost, nothing twice
    for (std::size_t i = 0; i < open.size(); i += 3) {  // and the same from behind any of them
      OpenMessages behind(mailbox_, open[i]);
      for (std::size_t next = i + 1; next < open.size(); ++next) RC_ASSERT(behind.next() == open[next]);
      RC_ASSERT(behind.next() == Offset{});
    }
    std::size_t leased = 0;
    for (const SessionId session : sessions) {
      std::vector<Offset> expected;
      for (const Model::Item& item : model_.items)
        if (item.state == Model::State::leased && item.session == session) expected.push_back(item.entry.offset);
      RC_ASSERT(mailbox_.leased_to(session) == expected);
      RC_ASSERT(mailbox_.leased_count(session) == expected.size());
      RC_ASSERT(mailbox_.anything_ready(session) == !model_.offerable(session).empty());
      leased += expected.size();
    }
    RC_ASSERT(model_.in(Model::State::leased).size() == leased);
  }

 private:
  void give_back(Model::Item& item) {
    mailbox_.give_back(item.entry, item.session);
    item.state = Model::State::waiting;
  }
  std::optional<Offset> pick_of(Model::State state, std::size_t pick) const {
    const std::vector<Offset> offsets = model_.in(state);
    return offsets.empty() ? std::nullopt : std::optional(offsets[pick % offsets.size()]);
  }

  Mailbox mailbox_;
  Model model_;
  Instant now_ = base::instant_of(1'770'109'200'000'000);
  std::uint64_t last_ = 0;
};

const std::vector<SessionId> sessions{SessionId(1), SessionId(2), SessionId(1ull << 63 | 3)};

RC_GTEST_PROP(Mailbox, R32_does_what_a_plain_list_does, ()) {
  const auto steps = *rc::gen::resize(300, rc::gen::arbitrary<std::vector<std::uint32_t>>());
  History history;
  for (const std::uint32_t step : steps) {
    const std::size_t pick = step >> 8;
    const SessionId session = sessions[pick % sessions.size()];
    switch (step % 12) {
      case 0:
      case 1:
      case 2:
      case 3:
        history.queue(pick % 4, static_cast<Priority>((step >> 4) % 4));
        break;
      case 4:
      case 5:
        history.offer(session, 1 + (step >> 4) % 4, false);
        break;
      case 6:
        history.offer(session, 1, true);
        break;
      case 7:
        history.ack(pick);
        break;
      case 8:
        history.nack(pick);
        break;
      case 9:
        history.resume(pick);
        break;
      case 10:
        history.expire(pick, (step >> 4) % 2 == 0);
        break;
      default:
        history.close(session);
        history.pass(std::chrono::seconds(pick % 40));
    }
    history.check(sessions);
  }
}

// Who was busy once does not keep the room for it.
TEST(Mailbox, GivesBackTheRoomOfItsLanes) {
  Mailbox mailbox;
  const auto entry = [](std::uint64_t i) { return Entry{Offset(i), LaneId(i)}; };
  for (std::uint64_t i = 1; i <= 1'000; ++i) mailbox.queue(entry(i));
  for (std::uint64_t i = 1; i < 1'000; ++i) mailbox.drop(entry(i));
  EXPECT_GT(mailbox.lanes().capacity(), 1'000u);
  mailbox.drop(entry(1'000));
  EXPECT_EQ(mailbox.lanes().capacity(), 0u);
}

}  // namespace
}  // namespace parley::engine
