// The JSON forms that every front speaks: errors, what became of a message sent, deliveries, what became of a
// settlement (docs/reference/http.md). The same shapes over HTTP and WebSocket.
#pragma once
#include <span>

#include "base/result.hpp"
#include "broker/port/delivery.hpp"
#include "broker/port/sending.hpp"
#include "broker/port/settlement.hpp"
#include "json/writer.hpp"

namespace parley::gateway::form {

// {"code", "message", "hint", "where", "legal_next"?, "retry_after"?, "details": [{"instance", "schema", "message"}]}
void write_error(json::Writer& writer, const base::Error& error);
std::string error_body(const base::Error& error);  // {"error": …}

base::Error too_much_waits();  // for a later turn, where a full one would put off more (D11)

// {"message_id", "offset", "status", "warnings": […]}, or {"error": …}
void write_sent(json::Writer& writer, const base::Result<broker::Sent>& sent);

// Each a `Delivery` of openapi.json, with commas between.
void append_deliveries(std::string& out, std::span<const broker::Delivery> deliveries);

// {"message_id", "offset", "recipient", "state", "at", "why"?, "retrying_at"?, "delivery_error"?}
void write_receipt(json::Writer& writer, const broker::ReceiptChange& change);

// [{"delivery_id", "status"}] beside the ids asked about.
void write_settled(json::Writer& writer, std::span<const std::string_view> ids,
                   std::span<const broker::Settled> settled);

// "30s" under `key`; none where it is left out. BAD_REQUEST for what is no duration, or one of over 100 years.
base::Result<std::optional<base::Duration>> duration_member(json::Value object, std::string_view key);
// `lease`; 0, the workspace's, where it is left out. BAD_REQUEST besides for none at all.
base::Result<base::Duration> lease_member(json::Value object);

}  // namespace parley::gateway::form
