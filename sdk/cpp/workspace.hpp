// The calls of one workspace by name, over a Client: send a message, take from a mailbox, settle what was taken.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/delivery.hpp"

namespace parley::sdk {

struct Sent {
  std::string message_id;
  std::uint64_t offset = 0;
  bool duplicate = false;  // the same message was accepted before (R8); nothing new happened
  std::vector<base::Problem> warnings;
};

// What is said beside a message.
struct SendOptions {
  std::string supersedes{};  // id of an earlier message of this sender's, in whose place it stands (BEY-03)
  std::string to{};          // that one's recipient, where several have the id
  std::string reply_by{};    // RFC 3339: without an answer until then it bounces (BEY-01)
  std::string evidence{};    // what a runner signed (BEY-05)
};

struct TakeOptions {
  std::uint32_t max = 1;
  base::Duration wait{};   // 0: answer at once
  base::Duration lease{};  // 0: the workspace's default
  std::string take_id{};   // the same again gives the same still-leased deliveries
};

// A take's answer, with what its deliveries are views into.
class Taken {
 public:
  static base::Result<Taken> read(std::string body);
  Deliveries deliveries() const { return deliveries_; }
  const std::string& json() const { return body_; }

 private:
  explicit Taken(std::string body) : body_(std::move(body)) {}

  std::string body_;
  DeliveryReader reader_;
  Deliveries deliveries_;
};

enum class Settlement : std::uint8_t { ack, acted, nack, extend };  // acted: what it asks for is done, too
std::string_view name(Settlement what);

struct SettleOptions {
  std::string reason{};                   // nack
  std::string code{};                     // nack: of the error that is the reason
  std::optional<base::Duration> delay{};  // nack: else the profile's backoff
  base::Duration lease{};                 // extend; 0: the workspace's default
};

// One delivery's outcome: "done", "already", "superseded", "unknown".
struct Settled {
  std::string delivery_id;
  std::string status;
  bool holds() const { return status == "done" || status == "already"; }
};

// A reference to a Client, which outlives it. Value type.
class Workspace {
 public:
  Workspace(Client& client, std::string name) : client_(&client), name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  base::Result<Sent> send(std::string_view native, std::string_view idempotency_key = {},
                          const SendOptions& options = {});
  // Takes a message of one's own back; the answer has its receipts.
  base::Result<Reply> rescind(std::string_view message_id, std::string_view to = {}, std::string_view reason = {});
  // Many native messages, NDJSON or a JSON array: one outcome each, in order. What goes with one message alone goes
  // along too: the server refuses it, where it would be lost here.
  base::Result<std::vector<base::Result<Sent>>> send_many(std::string_view natives, bool ndjson,
                                                          std::string_view idempotency_key = {},
                                                          const SendOptions& options = {});

  base::Result<Taken> take(std::string_view agent, const TakeOptions& options);
  // Whether what the agent has got is still to be acted upon: {"results": [{"status", …}]}.
  base::Result<Reply> check(std::string_view agent, std::span<const std::string_view> delivery_ids,
                            std::span<const std::string_view> message_ids = {});
  // An error only where all were superseded, or none was looked at.
  base::Result<std::vector<Settled>> settle(Settlement what, std::string_view agent,
                                            std::span<const std::string_view> delivery_ids,
                                            const SettleOptions& options = {});
  // Until `all` of these tasks are over, `any` is, or the `first_failure`: {"done", "over", "failed", "tasks"}; `done`
  // is false where that is not so after `at_most` (COL-09).
  base::Result<Reply> wait_for_tasks(std::span<const std::string> task_ids, std::string_view until,
                                     base::Duration at_most);

 private:
  Client* client_;
  std::string name_;
};

}  // namespace parley::sdk
