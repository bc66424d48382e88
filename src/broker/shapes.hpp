// What messages and their receipts look like from outside, as JSON: one function a shape of spec/api/openapi.json; and
// the little that all shapes are written with.
#pragma once
#include "base/error.hpp"
#include "engine/command.hpp"
#include "engine/state.hpp"
#include "event/events.pb.h"
#include "json/writer.hpp"
#include "profile/ruleset.hpp"

namespace parley::broker {

void write_amount(json::Writer& writer, std::string_view name, engine::Amount amount);  // exact
template <class Texts>
void write_strings(json::Writer& writer, std::string_view name, const Texts& texts) {
  writer.key(name).begin_array();
  for (const std::string_view text : texts) writer.string(text);
  writer.end_array();
}

using Problems = google::protobuf::RepeatedPtrField<event::Problem>;
std::vector<base::Problem> problems_of(std::initializer_list<const Problems*> lists);
void write_problems(json::Writer& writer, const Problems& problems);

// The newest fact of a message, as its record has it: of its acceptance, or of the release of a changed one.
const event::MessageAccepted& accepted_of(const event::Event& event);

// The members of a logged message, into an open object: all but its native bytes and receipts.
void write_accepted(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset, base::Instant at,
                    const event::MessageAccepted& accepted);
// Where the message is a request whose answer is awaited (PIP-08, MSH-03): until when, and from whom.
void write_request(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset);
// Where it was taken back, or stands in another's place (BEY-03).
void write_replacement(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset);
// {"message_id", "offset"}: the id as long as it is remembered.
void write_reference(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset);
void write_receipts(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset,
                    const engine::Message& message, const profile::RetryPolicy& policy);
// 000 §5.1's MessageDeliveryError as JSON; empty where nothing went wrong.
std::string delivery_error(const engine::Workspace& workspace, base::Offset offset, const engine::Message& message,
                           const engine::Receipt& receipt, const profile::RetryPolicy& policy);
std::string_view name(engine::ReceiptState state);

std::string delivery_id(base::Offset offset, std::uint32_t epoch);
// "<offset>-<epoch>"; what is of another form names no delivery and is `unknown`.
engine::DeliveryId parse_delivery(std::string_view text);

// 000 §5.2, TaskExecutionError: of the server's word about a task (R36).
std::string task_error_of(const event::MessageAccepted& accepted);

}  // namespace parley::broker
