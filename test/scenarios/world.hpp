// A whole server but for its sockets, in virtual time: real broker, ingress, engine and profiles over a journal in
// memory. Everything is decided by the script: the clock stands still until it is moved, randomness is seeded. Resource
// type, one thread.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/test_clock.hpp"
#include "broker/broker.hpp"
#include "profile/files.hpp"
#include "profile/rulesets.hpp"

namespace parley::scenarios {

class VirtualClock final : public base::Clock {
 public:
  base::Instant wall() override { return wall_; }
  base::Duration monotonic() override { return monotonic_; }
  base::Duration suspended() override { return suspended_; }

  void pass(base::Duration time) { wall_ += time, monotonic_ += time; }
  void suspend(base::Duration time) { wall_ += time, suspended_ += time; }
  void set_wall(base::Instant wall) { wall_ = wall; }
  void boot() { monotonic_ = std::chrono::seconds(5); }  // another process, another zero

 private:
  base::Instant wall_ = base::instant_of(1'770'109'200'000'000);  // 2026-02-03T09:00:00Z, as the examples have it
  base::Duration monotonic_ = std::chrono::hours(1);
  base::Duration suspended_{};
};

// Where a profile's messages carry what scripts often change.
struct Wire {
  std::string id, timestamp, sender, recipients, reply_to, type;
};

class World {
 public:
  World();
  ~World();
  void begin(base::Instant wall);  // anew, at this time

  // A profile beside the five, or in the place of one. The process starts anew.
  base::Result<> add_profile(const profile::Files& files);

  broker::Broker& broker() { return *broker_; }
  VirtualClock& clock() { return clock_; }
  journal::Journal& journal() { return *journal_; }

  // Whose token a script means: "admin", an agent or a person of the current workspace, or "<workspace>/<id>".
  // "connection:<who>" is who it was when last asked: a connection knows its caller for as long as it lasts.
  std::optional<broker::Caller> caller(const std::string& who);
  void keep_token(const std::string& who, std::string token);
  std::string token(const std::string& who);

  std::string workspace;  // the current one
  const Wire* wire(std::string_view profile) const;
  std::string type_of(json::Value message) const;           // wherever a profile has it; "?": none does
  std::string native_bytes(const std::string& name) const;  // of a message sent under a name
  void keep_native(const std::string& name, std::string bytes);
  void sent(const std::string& to, base::Offset offset, std::string bytes);
  std::string sent_bytes(const std::string& to, base::Offset offset) const;                  // empty: none were
  bool as_sent(const std::string& from, base::Offset offset, std::string_view bytes) const;  // R4

  // Says something to the caller: it comes out when the journal has synced what it rests on (D3).
  void answer(std::string text);
  void say(std::string_view text) { out_.append(text); }
  std::string take_output() { return std::exchange(out_, {}); }

  // Runs the loop until nothing more is to be done; not while it is held up.
  void settle();
  void hold(bool held) { held_ = held; }
  bool held() const { return held_; }
  void advance(base::Duration time);  // turn by turn, as things come due

  // The process ends as by SIGKILL; another starts on the same journal. False where it does not come up.
  bool restart(base::Duration down);
  bool snapshot();
  void stop();  // as by SIGTERM, up to the end of the process

  // Sessions by the script's name for them.
  struct Session;
  Session& session(const std::string& name);

  // What must hold after every command: the same state from the journal and from its own bytes, and consistent in
  // itself. Empty: it holds.
  std::string defects();

 private:
  void start();

  VirtualClock clock_;
  base::TestRandom random_;
  profile::Rulesets rulesets_ = profile::built_in();
  std::map<std::string, Wire, std::less<>> wires_;
  std::map<std::string, std::string> tokens_, natives_;
  std::map<std::string, broker::Caller> callers_;
  std::map<std::pair<std::string, std::uint64_t>, std::string> sent_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
  std::unique_ptr<journal::Journal> journal_;
  std::unique_ptr<broker::Broker> broker_;
  std::string out_;
  bool held_ = false;
  bool failed_ = false;
};

// A connection as the script sees it: says what is pushed to it.
struct World::Session final : broker::Outbox {
  Session(World& w, std::string n) : world(w), name(std::move(n)) {}
  bool has_room() const override { return room; }
  void deliver(broker::Deliveries deliveries) override;
  void receipts(std::span<const broker::ReceiptChange> changes, std::uint64_t left_out) override;
  void taken_over() override;

  World& world;
  std::string name;
  std::string workspace;
  base::SessionId id;
  bool room = true;
};

}  // namespace parley::scenarios
