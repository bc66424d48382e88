// Parley's one decider. `decide` reads the state and a command and says what happens, as events, or refuses;
// `apply` is the only code that changes the state, the same live, in replay and in the simulator (D1, D2).
// Deterministic: no clock, randomness, thread, file, socket or log. Owned by the broker, used on its thread.
#pragma once
#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "engine/command.hpp"
#include "engine/decided.hpp"
#include "envelope/settled.hpp"

namespace parley::engine {

// D11: copies of messages, one for each recipient: how many a turn takes in, and how many end in it by time. The last
// message that it looks at may go beyond.
inline constexpr std::size_t copies_a_turn = 5'000;

// Where a recorded event stands and what its body is.
struct Placed {
  Position position;
  Instant at;
  std::uint32_t body_length = 0;
  base::Digest body_hash{};
};

struct Registered {
  std::uint32_t number = 0;
  bool existed = false;
};

enum class AcceptOutcome : std::uint8_t {
  accepted,
  duplicate,
  other_bytes,  // the id is known with other bytes: an ID_CONFLICT unless both are the same JSON value (R8)
};
struct Accepted {
  AcceptOutcome outcome = AcceptOutcome::accepted;
  Offset offset;                        // of this message, or of the one known by its id
  std::string message_id;               // the sender's, or the one made for it; empty in a duplicate
  std::vector<base::Problem> warnings;  // what only the engine sees, for the sender
};

// What a delivery says, taken before the offer is applied: a final one may leave the state with it.
struct Offer {
  Offset offset;
  std::uint32_t epoch = 0;
  std::uint32_t attempt = 0;
  Instant lease_until;  // 0: final, no ack is expected (R20)
  Position position;
  AgentNumber sender;
  Priority priority = Priority::normal;
  bool notice = false;
  bool remarked = false;
  Instant accepted_at{};
};

using envelope::Settled;

// The profile of this name that is in force; nullptr where there is none.
using RulesetOf = std::function<const profile::Ruleset*(std::string_view profile)>;

// When an agent last asked for mail, as the broker remembers it; Instant{}: never. That is no fact of the journal: what
// is decided by it says so itself (HealthLooked).
using PolledAt = std::function<Instant(WorkspaceNumber, AgentNumber)>;

class Engine {
 public:
  explicit Engine(RulesetOf ruleset_of);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  base::Result<Registered> decide(const CreateWorkspace&, const Context&, Decided&) const;
  base::Result<> decide(const ChangeWorkspace&, const Context&, Decided&) const;
  base::Result<Registered> decide(const RegisterAgent&, const Context&, Decided&) const;
  base::Result<> decide(const ChangeAgent&, const Context&, Decided&) const;
  base::Result<> decide(const AllocateResource&, const Context&, Decided&) const;
  base::Result<> decide(const RemoveAgent&, const Context&, Decided&) const;
  base::Result<Registered> decide(const RegisterPerson&, const Context&, Decided&) const;
  base::Result<> decide(const ChangePerson&, const Context&, Decided&) const;
  base::Result<> decide(const RemovePerson&, const Context&, Decided&) const;
  base::Result<Registered> decide(const RegisterRunner&, const Context&, Decided&) const;
  base::Result<> decide(const RevokeRunner&, const Context&, Decided&) const;
  base::Result<> decide(const RotateToken&, const Context&, Decided&) const;

  base::Result<Accepted> decide(const AcceptMessage&, const Context&, Decided&) const;

  std::vector<Offer> decide(const TakeMessages&, const Context&, Decided&) const;
  std::vector<Settled> decide(const AckMessages&, const Context&, Decided&) const;
  std::vector<Settled> decide(const ActOnMessages&, const Context&, Decided&) const;
  std::vector<Settled> decide(const NackMessages&, const Context&, Decided&) const;
  std::vector<Settled> decide(const ExtendLeases&, const Context&, Decided&) const;
  void decide(const ReturnLeases&, const Context&, Decided&) const;
  base::Result<> decide(const RedriveMessage&, const Context&, Decided&) const;
  base::Result<> decide(const DiscardDeadLetter&, const Context&, Decided&) const;

  // Errors: APPROVAL_*, or what is wrong with the changed action. A refusal is a fact too.
  base::Result<> decide(const DecideApproval&, const Context&, Decided&) const;
  // False: it was rescinded before. Errors: TAKEN_BACK, STANDS.
  base::Result<bool> decide(const TakeBack&, const Context&, Decided&) const;
  // Errors: NOT_PARTY, OUT_OF_SEQUENCE.
  base::Result<> decide(const ExtendTask&, const Context&, Decided&) const;
  base::Result<> decide(const ReportTaskError&, const Context&, Decided&) const;
  base::Result<> decide(const CancelTask&, const Context&, Decided&) const;
  // Errors: NOT_PARTY, OUT_OF_SEQUENCE, DEPENDENCY_CYCLE, DEPENDENCIES_FULL.
  base::Result<> decide(const SetDependencies&, const Context&, Decided&) const;
  // Where it cannot be, the assigner is told why.
  void decide(const ReviseTask&, const Context&, Decided&) const;
  void decide(const HearOfAgent&, const Context&, Decided&) const;

  void decide(const RecordRefusals&, const Context&, Decided&) const;

  void decide(const StartServer&, const Context&, Decided&) const;
  void decide(const StopServer&, const Context&, Decided&) const;
  void decide(const SkipTime&, const Context&, Decided&) const;
  // What is due by now, of whichever workspace, at most 1,000 timers (D11); nothing where nothing is due.
  void decide_due(const Context&, Decided&, const PolledAt& polled = {}) const;
  // The next step of what was decided and is unfinished, at most so many messages; nothing where nothing is.
  void decide_unfinished(std::size_t most, const Context&, Decided&) const;
  std::optional<Instant> next_due() const;  // of both
  // Messages that leave the remembered window (R8) of one workspace, at most `most`. How many; 0: none is due anywhere.
  std::size_t decide_forgotten(std::size_t most, const Context&, Decided&) const;

  void apply(const event::Event&, const Placed&);

  const State& state() const { return state_; }
  std::string save() const;  // the state as a snapshot's bytes
  // `next` gives its bytes piece by piece, and then an empty one. Errors: JOURNAL_DAMAGED; the state is as it was.
  base::Result<> load(const std::function<std::string_view()>& next, std::uint64_t bytes);
  base::Result<> load(std::string_view snapshot);
  base::Digest state_hash() const;

 private:
  base::Result<> check(const Settings&) const;
  std::size_t decide_leaving(WorkspaceNumber, AgentNumber, std::size_t most, const Context&, Decided&) const;
  const profile::Ruleset* ruleset_of_task(WorkspaceNumber, Offset task) const;

  RulesetOf ruleset_of_;
  State state_;
};

}  // namespace parley::engine
