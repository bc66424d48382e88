// What the engine can be asked to do. Commands carry everything a decision needs but the state: names resolved to
// numbers by the broker, times and randomness in the Context. Value types, views valid during the call.
#pragma once
#include <span>

#include "engine/state.hpp"
#include "envelope/envelope.hpp"
#include "json/value.hpp"
#include "profile/ruleset.hpp"

namespace parley::event {
class MessageAccepted;
}

namespace parley::engine {

// What the clock and the dice said when the command came in (D2).
struct Context {
  Instant now;
  std::uint64_t seed = 0;  // fresh for each command
};

struct CreateWorkspace {
  std::string name;
  Settings settings;
};

struct ChangeWorkspace {
  WorkspaceNumber workspace;
  Settings settings;
};

struct RegisterAgent {
  WorkspaceNumber workspace;
  std::string agent_id;
  AgentProperties properties;
  base::Digest token_hash;
};

struct ChangeAgent {
  WorkspaceNumber workspace;
  AgentNumber agent;
  AgentProperties properties;
};

// What an agent may use of a resource, from now on.
struct AllocateResource {
  WorkspaceNumber workspace;
  AgentNumber agent;
  Resource resource{};
  std::optional<Amount> limit;  // none: none of its own
  Instant expires_at;           // 0: never
  bool renewed = false;         // what it has used is forgotten
};

struct RemoveAgent {
  WorkspaceNumber workspace;
  AgentNumber agent;
};

struct RegisterPerson {
  WorkspaceNumber workspace;
  std::string person_id;
  std::vector<std::string> roles;
  std::string public_key;
  base::Digest token_hash;
};

struct ChangePerson {
  WorkspaceNumber workspace;
  PersonNumber person;
  std::vector<std::string> roles;
  std::string public_key;
};

struct RemovePerson {
  WorkspaceNumber workspace;
  PersonNumber person;
};

struct RotateToken {
  WorkspaceNumber workspace;
  AgentNumber agent;    // one of the two
  PersonNumber person;  // is not 0
  base::Digest token_hash;
  base::Duration grace{};  // how long the old one stays valid
};

// Its sender takes a message back (BEY-03): alone, or by the message in its place.
struct TakeBack {
  WorkspaceNumber workspace;
  Offset message;
  const event::MessageAccepted& was;  // as the journal has it: what it meant for mechanisms
  std::string_view reason;
  const TakeBack* beneath = nullptr;  // what it was to take the place of, where it is held itself: still in force
};

// A runner's key is registered, and revoked (BEY-05).
struct RegisterRunner {
  WorkspaceNumber workspace;
  std::string runner_id;
  base::PublicKey key{};
  Instant valid_until;  // 0: until revoked
};
struct RevokeRunner {
  WorkspaceNumber workspace;
  std::string runner_id;
};

struct AcceptMessage {
  WorkspaceNumber workspace;
  AgentNumber sender;
  const envelope::Envelope& envelope;
  const profile::Ruleset& ruleset;  // the sender's
  profile::TypeIndex type;
  LaneId lane;
  IdKey id_key{};                       // all 0: the message has no id of its own, and gets a made one
  IdKey task_key{};                     // that its task is found by; all 0: not made yet
  std::uint32_t length = 0;             // of the native bytes
  json::Value native{};                 // and what they say; absent where a human let it pass
  std::optional<std::uint32_t> gist{};  // of that (envelope/gist.hpp), where it is made already
  std::span<const base::Problem> warnings;
  std::span<const base::Problem> validation_errors;
  const TakeBack* supersedes = nullptr;  // another of its sender's
  Instant reply_by{};                    // 0: none is asked for
  std::string_view evidence{};           // what came beside it (BEY-05); empty: nothing
};

// The server writes what the assigner of a task would have to (R12): its next order, after the review at this offset.
struct ReviseTask {
  WorkspaceNumber workspace;
  Offset task, review;
  const AcceptMessage* as = nullptr;     // in the assigner's name; null where
  const base::Error* refused = nullptr;  // it could not be written
  std::string_view bytes;
};

struct TakeMessages {
  WorkspaceNumber workspace;
  AgentNumber agent;
  SessionId session;
  std::uint32_t max = 1;
  std::uint64_t bytes_max = 4u << 20;  // at least one is given whatever its size
  // A message of a position before this must be read from the journal, and counts as so many bytes at least. What is
  // given again under a take_id is given whatever it costs.
  base::Position stored_before{};
  std::uint64_t stored_bytes = 0;
  base::Duration lease{};
  std::string_view take_id;         // empty: none
  bool only_again = false;          // what was given under the take_id before, or nothing
  std::size_t expired_max = 1'000;  // how many that are over it may end; the rest is for the timers (D11)
};

// One offer of a message to an agent, as the taker names it: "<offset>-<epoch>".
struct DeliveryId {
  Offset offset;
  std::uint32_t epoch = 0;
};

struct AckMessages {
  WorkspaceNumber workspace;
  AgentNumber agent;
  std::span<const DeliveryId> deliveries;
};

struct ActOnMessages {
  WorkspaceNumber workspace;
  AgentNumber agent;
  std::span<const DeliveryId> deliveries;
};

struct NackMessages {
  WorkspaceNumber workspace;
  AgentNumber agent;
  std::span<const DeliveryId> deliveries;
  std::optional<base::Duration> delay;  // else the backoff of the retry policy
  std::string_view reason;
  std::string_view code{};  // of the error that is the reason; empty: none is named (MSH-11)
};

struct ExtendLeases {
  WorkspaceNumber workspace;
  AgentNumber agent;
  std::span<const DeliveryId> deliveries;
  base::Duration lease{};
};

struct ReturnLeases {
  WorkspaceNumber workspace;
  AgentNumber agent;
  SessionId session;
  std::size_t most = 1'000;  // the rest follows in steps (D11)
};

struct RedriveMessage {
  WorkspaceNumber workspace;
  AgentNumber agent;
  Offset message;
};

struct DiscardDeadLetter {
  WorkspaceNumber workspace;
  AgentNumber agent;
  Offset message;
};

// Who decides is whom the credential stands for: an agent, a person, or neither, which is the admin.
struct DecideApproval {
  WorkspaceNumber workspace;
  Offset approval;
  AgentNumber agent;
  PersonNumber person;
  Decision decision{};
  std::string_view rationale;
  base::Digest shown{};                         // of what the person saw
  std::string_view modified_action;             // JSON text; empty: none
  const base::Error* action_refused = nullptr;  // what the profile has against it
  const AcceptMessage* release = nullptr;       // of a held message, but to reject it: that, as it is to go out
  std::string_view changed;                     // its bytes, where the person changed it
};

// What somebody asks of a task by a call, not by a message (R36, R38). `by`: an agent; 0: the admin, or a person who
// may manage the workspace.
struct ExtendTask {
  WorkspaceNumber workspace;
  Offset task;
  AgentNumber by;
  base::Duration time{};  // from now on
  std::string_view reason;
};
struct ReportTaskError {
  WorkspaceNumber workspace;
  Offset task;
  AgentNumber by;
  TaskErrorType type{};
  std::string_view message;
  bool recoverable = false;
  SuggestedAction suggested{};
};
struct CancelTask {
  WorkspaceNumber workspace;
  Offset task;
  AgentNumber by;
  std::string_view reason;
  bool cleanup = false;  // what was begun must be undone
};

// What a task depends on, one kind of it (R35): in place of what it was; none: nothing any more.
struct SetDependencies {
  WorkspaceNumber workspace;
  std::string_view task;  // assigned by now or not
  AgentNumber by;
  std::vector<std::string> on;
  bool soft = false;
};

// Who had fallen silent asks for mail.
struct HearOfAgent {
  WorkspaceNumber workspace;
  AgentNumber agent;
};

struct RecordRefusals {
  WorkspaceNumber workspace;
  AgentNumber agent;
  std::string_view code;
  std::uint64_t count = 0;
  Instant first, last;
};

struct StartServer {
  base::Duration downtime{};
};

// In order: all that was asked is answered.
struct StopServer {};

// The machine was suspended, and engine time has gone on by as much.
struct SkipTime {
  base::Duration by{};
};

}  // namespace parley::engine
