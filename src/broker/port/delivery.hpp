// What leaves unasked: a message handed to its recipient, and what its sender is told of it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/made.hpp"
#include "base/time.hpp"
#include "envelope/envelope.hpp"

namespace parley::broker {

// What the server knows of few messages, beside what it knows of all.
struct DeliveryDetails {
  std::optional<base::Instant>
      task_deadline;                 // of an assignment, assigned before or given again: what holds now (COL-16)
  base::Duration task_timeout{};     // likewise; 0: none
  std::vector<std::string> pending;  // of an assignment: tasks whose results it may need, not completed by now (COL-10)
  std::string task_error;            // JSON: what the server's word about a task is about (R36); empty: none
  std::optional<base::Instant> reply_by;  // an answer is wanted until then (BEY-01)
  base::Offset supersedes;                // another of its sender's, in whose place it stands; 0: none
  std::string superseded_id;              // that one's
  std::vector<base::Problem> warnings;    // what validation had to say
  std::string made_id;                    // R5: what the message lacks and the server made for it; empty: nothing
  std::optional<base::Instant> made_timestamp;
};

// One message handed to its recipient, with what the server knows beside it (R4).
struct Delivery {
  std::string delivery_id;
  base::Offset offset;
  std::uint32_t attempt = 1;
  std::uint32_t task_epoch = 0;              // of an assignment: an order of an older epoch is stale (BEY-03)
  std::optional<base::Instant> lease_until;  // none: at most once, no ack is expected (R20)
  std::string_view message;                  // the native bytes; or, with `notice`, the server's own words (R31)
  std::string profile;                       // of the message
  envelope::Priority priority = envelope::Priority::normal;
  bool notice = false;
  bool by_server = false;  // R31
  base::Made<DeliveryDetails> details;
};

// Those of one recipient, with what holds their messages' bytes: any thread may read both.
struct Deliveries {
  std::vector<Delivery> all;
  std::vector<std::shared_ptr<const void>> bodies;
};

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

}  // namespace parley::broker
