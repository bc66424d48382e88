// What a take or a stream hands over: deliveries. A message is handed on as it was sent, unread (decision 21): whoever
// works with it parses it, by json::Document::parse or any other library.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "json/parser.hpp"

namespace parley::sdk {

// One delivery frame (R4). Views: of JSON texts into the text that was read or the reader's copy of it, of the others
// into the reader.
struct Delivery {
  std::string_view delivery_id;
  std::uint64_t offset = 0;
  std::uint32_t attempt = 1;
  std::string_view lease_until;  // RFC 3339; empty: at most once, no ack is expected (R20)
  std::string_view priority;
  bool by_server = false;     // `origin`
  std::string_view message;   // native JSON; or, where empty, `notice` is the server's own words (R31)
  std::string_view notice;    // JSON
  std::string_view warnings;  // JSON, an array; empty: none
};
using Deliveries = std::span<const Delivery>;

constexpr json::Limits limits_of_delivered{.bytes = 64 << 20, .depth = 80, .checked_before = true};  // by the server

// Reads texts with deliveries, one after the other. Resource type, one thread.
class DeliveryReader {
 public:
  DeliveryReader();
  ~DeliveryReader();
  DeliveryReader(DeliveryReader&&) noexcept;
  DeliveryReader& operator=(DeliveryReader&&) noexcept;

  // `text` is what a take answered, or a frame; it is copied. The deliveries are good until the next call. Nothing: a
  // frame of another kind, of which only the beginning was looked at. Errors: INTERNAL where it is neither, or a member
  // is not of its type; OVERLOADED where there is no memory.
  base::Result<std::optional<Deliveries>> read(std::string_view text);

  // The same without a copy: json::padding bytes after the end are readable, and all stays as it is while the
  // deliveries are in use.
  base::Result<std::optional<Deliveries>> read_padded(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parley::sdk
