// The compiled rules of one profile as the engine sees them: which types there are, who may send them to whom, how they
// are delivered and tried again. Value type, immutable once loaded, shared as RulesetPtr. This header knows neither
// JSON nor schemas; how a native message is read is reading.hpp's.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/named.hpp"
#include "base/strong.hpp"
#include "base/time.hpp"
#include "envelope/envelope.hpp"
#include "machine/error_case.hpp"
#include "machine/health.hpp"
#include "machine/review.hpp"

namespace parley::profile {

struct Reading;

// Reserved roles: a person's, and the server's own. No agent has them, whatever it registers as.
inline constexpr std::string_view human_role = "human";
inline constexpr std::string_view server_role = "parley";

// Types go by their number inside the process; their names are looked up once, at the edge.
using TypeIndex = base::Strong<struct TypeIndexTag, std::uint16_t>;

// Roles of one profile by their place in Ruleset::roles; behind those, the two reserved ones.
struct RoleSet {
  static constexpr std::size_t size = 258;  // the profile format's 256, and the two reserved ones
  std::bitset<size> members;
  bool any = false;  // the profile names none: every role, also one it does not know

  bool has(std::optional<std::size_t> role) const { return any || (role && members[*role]); }
};

// A type of message, or one variant of a type: the same name, other rules. Variants follow their type.
struct MessageType {
  std::string name;           // the profile's own word, "task_assignment"
  std::uint16_t variant = 0;  // 0: the type itself; n: its n-th variant
  std::string title;          // for people
  std::string source;         // "000 §2.2.1"
  envelope::Kind kind{};
  RoleSet from;
  RoleSet to;
  std::array<envelope::DeliveryClass, envelope::priority_count> delivery{};  // by priority (R20, R30)
  std::optional<envelope::Priority> floor;                                   // R19: never below this
  std::optional<envelope::Priority> always;                                  // R19: this, whatever the message says
  bool is_private = false;                                                   // R25
  bool states_chain = false;   // it has a place for the chain its task belongs to (R39)
  bool states_budget = false;  // likewise for what the task may cost
  bool names_task = false;     // its id is its task's (R38)
  std::string keeps;           // place of the record of which each sender's newest of a task is kept; empty: none
};

// How a nacked delivery waits for its next attempt (R39, R46): base · multiplier^(n-1), at most `max_delay`.
struct RetryPolicy {
  std::uint32_t attempts = 5;  // offers in all, the first included
  base::Duration base_delay = std::chrono::seconds(1);
  double multiplier = 2;
  base::Duration max_delay = std::chrono::seconds(60);
  bool full_jitter = true;
  std::vector<std::string> codes{};  // of errors that may pass; empty: any (MSH-11)

  bool may_pass(std::string_view code) const;
};

// R43: so many messages of one agent are accepted within any `window`; 0: as many as it likes.
struct RateLimit {
  std::uint32_t messages = 0;
  base::Duration window = std::chrono::seconds(60);

  friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

// How answers to requests are awaited (PIP-08, MSH-03).
struct RequestPolicy {
  bool every = false;  // else those that say so
  base::Duration timeout{};
  bool progress_extends = false;
  bool retries_errors = false;    // an answer that is an error of those that may pass (MSH-11)
  bool retries_timeouts = false;  // before anybody is told (MSH-03)
  std::string escalates_to;       // a role; empty: nobody
};

// How humans decide what is asked of them (SUP-05).
struct ApprovalPolicy {
  base::Duration timeout{};
  bool escalates = true;                // once, for the same time again
  bool holds_completions = false;       // until a human has decided (SUP-04)
  std::vector<std::string> held_words;  // of `status`
};

// What answers to a request for help say (HND-04), in words of the field `subject`.
struct HelpPolicy {
  std::vector<std::string> passes;    // another should help
  std::vector<std::string> together;  // both work on it
};

// How an agent's health is told and its silence read (HND-05, SUP-07, R40).
struct Heartbeat {
  base::Duration every{};
  std::uint32_t missed = 0;  // so many are too many
  machine::health::State then{};
  bool any = false;  // any message or poll counts as one; else a heartbeat, a health check, a status report
};
struct HealthPolicy {
  std::vector<std::pair<std::string, machine::health::State>> words;  // the profile's own
  std::optional<Heartbeat> heartbeat;                                 // none: nobody minds silence
  std::string tells;                                                  // a role that hears of silence; empty: nobody

  machine::health::State state_of(std::string_view word) const;  // none: the profile has no such word
};

// What a task must look like (000 §3.2, 003 Timeout Handling). A duration of 0 watches nothing.
// How a task goes on after a failed attempt: its order is given again (000 §5.3; 003, Timeout Handling).
struct Recovery {
  std::uint32_t times = 0;            // at most, for one assignment
  std::uint32_t longer = 1;           // each attempt has so many times the time of the one before
  std::vector<base::Duration> waits;  // before each; the last holds for those after it; none: at once
  bool then_human = false;            // after the last a person decides whether there is another (SUP-09),
  bool then_abort = false;            // or the task is aborted (000 §5.3); else it has failed
};

struct TaskPolicy {
  bool needs_ack = false;                   // R11: before progress and completion
  base::Duration progress_after{};          // COL-07: once it is active for so long,
  base::Duration progress_every{};          // progress is due so often
  base::Duration silence{};                 // COL-08: after so long without a word of its assignee it is given up
  base::Duration timeout{};                 // SUP-09: of a task that states none
  Recovery after_timeout, after_exception;  // COL-16, SUP-09
  bool returned = false;                    // HND-05, COL-08: when its assignee goes offline it is given up
  base::Duration parts_within{};  // after a resource_limit parts are to be assigned (COL-16); 0: it has failed
};

// How a task's result is reviewed (COL-11, COL-23).
struct ReviewPolicy {
  using State = machine::review::State;
  std::vector<std::pair<std::string, State>> verdicts;        // the profile's words
  std::vector<std::string> blocking;                          // severities in whose face nothing is approved
  std::vector<std::pair<std::string, std::string>> criteria;  // member of `criteria`: the verification it asks for
  std::string custom;                                         // member of `verification` with the custom checks'
  base::Duration timeout{};                                   // for the verdict
  std::uint32_t iterations = 3;                               // where the assignment states none (R37)

  State state_of(std::string_view word) const;  // none: the profile has no such word
  std::string_view word_of(State state) const;  // empty: it has none for it
};

// What becomes of an agent that reports an error (PIP-11).
struct ErrorPolicy {
  using State = machine::error_case::State;
  std::string decided_by;                            // a role
  std::vector<std::pair<std::string, State>> words;  // the profile's, for decisions
  std::string failed, blocked, workspace;            // its words for statuses until then

  State state_of(std::string_view word) const;  // none: the profile has no such word
};

// When the server itself has something to say in the profile's words (R31).
enum class Occasion : std::uint8_t {
  request_timed_out,
  request_escalated,
  task_stalled,
  task_late,
  task_given_up,
  task_offer_over,
  task_again,
  task_extended,
  task_aborted,
  task_blocked,
  task_split,
  task_joined,
  task_escalated,
  approval_decided,
  approval_escalated,
  approval_lapsed,
  help_unhelped,
  help_expired,
  agent_silent,
  review_lapsed,
  review_escalated,
  request_given_up,
  agent_waits,
  task_over_limit,
  task_revised,
};
inline constexpr std::array<std::string_view, 25> occasion_names{
    "request.timed_out", "request.escalated", "task.stalled",   "task.late",        "task.given_up",
    "task.offer_over",   "task.again",        "task.extended",  "task.aborted",     "task.blocked",
    "task.split",        "task.joined",       "task.escalated", "approval.decided", "approval.escalated",
    "approval.lapsed",   "help.unhelped",     "help.expired",   "agent.silent",     "review.lapsed",
    "review.escalated",  "request.given_up",  "agent.waits",    "task.over_limit",  "task.revised"};
constexpr std::optional<Occasion> occasion_named(std::string_view name) {
  return base::named<Occasion>(occasion_names, name);
}

struct Said {
  TypeIndex type;
  envelope::Priority priority{};
};

// R7: what makes two messages the same message.
enum class IdempotencyKey : std::uint8_t { message, message_and_recipient };

// Where an agent's role stands: in its agent_type; or, as in 003, in its id where that is a listed role.
enum class RoleOf : std::uint8_t { agent_type, agent_id };

struct Ruleset {
  std::string name;     // "collab"
  std::string version;  // of the profile, "1.0.0"
  std::string title;
  std::vector<MessageType> types;  // in the profile's order, each followed by its variants
  std::vector<std::string> roles;
  RoleOf role_of = RoleOf::agent_type;
  bool roles_open = false;  // a workspace may add roles of its own
  RetryPolicy retry;
  std::size_t message_bytes_max = 0;
  RateLimit rate;                                               // where the workspace sets none
  std::optional<RequestPolicy> requests;                        // none: nobody waits for answers
  std::optional<TaskPolicy> tasks;                              // none: it knows no tasks
  std::vector<std::string> partial_words;                       // a completion's `status`, where it is one in part
  std::optional<ReviewPolicy> reviews;                          // none: it knows no reviews
  std::optional<ErrorPolicy> errors;                            // none: nobody waits for decisions on errors
  std::optional<ApprovalPolicy> approvals;                      // none: nothing is decided by humans
  std::optional<HelpPolicy> help;                               // none: nobody follows who helps whom
  std::optional<HealthPolicy> health;                           // none: nothing is made of what agents report
  std::array<std::optional<Said>, occasion_names.size()> says;  // by Occasion
  IdempotencyKey idempotency_key = IdempotencyKey::message;
  std::vector<std::string> broadcast_words;  // "broadcast", "all"
  std::vector<std::string> automatic_words;  // "auto"
  std::shared_ptr<const Reading> reading;    // never null once loaded

  const MessageType& type(TypeIndex index) const { return types[index.value]; }
  std::optional<TypeIndex> type_named(std::string_view word) const;    // the type itself, never a variant
  std::optional<std::size_t> role_named(std::string_view word) const;  // in `roles`
  std::optional<std::size_t> role_index(std::string_view word) const;  // in a RoleSet: reserved ones too

  // Whether an agent may have it: it is listed, or the profile lists none, or not all.
  bool knows_role(std::string_view word) const { return roles_open || roles.empty() || role_named(word); }

  // The role an agent has in this profile; empty where it claims a reserved one.
  std::string_view role_of_agent(std::string_view agent_id, std::string_view agent_type) const;

  bool may_send(TypeIndex type, std::string_view sender_role) const;
  bool may_receive(TypeIndex type, std::string_view recipient_role) const;
  std::vector<std::string> receivers(TypeIndex type) const;  // the roles that may, but the server's

  // The names of the types this role may send at all, or to that role: `legal_next` of a refusal (BEY-02).
  std::vector<std::string> legal_types(std::string_view sender_role) const;
  std::vector<std::string> legal_types(std::string_view sender_role, std::string_view recipient_role) const;

  bool is_broadcast(std::string_view recipient) const;
  bool is_automatic(std::string_view recipient) const;
};

using RulesetPtr = std::shared_ptr<const Ruleset>;

}  // namespace parley::profile
