// simdjson On-Demand: what is only handed on is passed over, at a fraction of a parse.
#include "sdk/cpp/delivery.hpp"

#include <simdjson.h>

#include <bit>
#include <string>
#include <vector>

namespace parley::sdk {
namespace {

namespace ondemand = simdjson::ondemand;
using base::ErrorCode;
using simdjson::error_code;

static_assert(json::padding >= simdjson::SIMDJSON_PADDING);

// Each takes one value; what is of another type, or out of range, is an error of the text.
error_code take_text(ondemand::value value, std::string_view& into) {
  return value.get_string().get(into);
}

error_code take_json(ondemand::value value, std::string_view& into) {
  return simdjson::to_json_string(value).get(into);
}

template <class Number>
error_code take_number(ondemand::value value, Number& into) {
  std::uint64_t number = 0;
  if (const error_code error = value.get_uint64().get(number)) return error;
  into = static_cast<Number>(number);
  return into == number ? simdjson::SUCCESS : simdjson::NUMBER_OUT_OF_RANGE;
}

error_code take_member(std::string_view key, ondemand::value value, Delivery& into) {
  if (key == "delivery_id") return take_text(value, into.delivery_id);
  if (key == "offset") return take_number(value, into.offset);
  if (key == "attempt") return take_number(value, into.attempt);
  if (key == "lease_until") return take_text(value, into.lease_until);
  if (key == "priority") return take_text(value, into.priority);
  if (key == "message") return take_json(value, into.message);
  if (key == "notice") return take_json(value, into.notice);
  if (key == "warnings") return take_json(value, into.warnings);
  if (key != "origin") return simdjson::SUCCESS;
  std::string_view origin;
  const error_code error = take_text(value, origin);
  into.by_server = origin == "server";
  return error;
}

// Of every member in the text's order; the first error ends it.
template <class Take>
error_code each_member(ondemand::object object, Take take) {
  for (auto member : object) {
    std::string_view key;
    ondemand::value value;
    if (const error_code error = member.unescaped_key().get(key)) return error;
    if (const error_code error = member.value().get(value)) return error;
    if (const error_code error = take(key, value)) return error;
  }
  return simdjson::SUCCESS;
}

error_code take_delivery(ondemand::value value, Delivery& into) {
  ondemand::object object;
  if (const error_code error = value.get_object().get(object)) return error;
  return each_member(object,
                     [&into](std::string_view key, ondemand::value member) { return take_member(key, member, into); });
}

error_code take_deliveries(ondemand::value value, std::vector<Delivery>& into) {
  ondemand::array array;
  if (const error_code error = value.get_array().get(array)) return error;
  for (auto element : array) {
    ondemand::value one;
    if (const error_code error = element.get(one)) return error;
    if (const error_code error = take_delivery(one, into.emplace_back())) return error;
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct DeliveryReader::State {
  ondemand::parser parser;
  std::string copy;
  std::vector<Delivery> deliveries;

  // The parser itself would grow by each text that is a little larger than those before.
  error_code make_room(std::size_t bytes) {
    if (parser.capacity() >= bytes) return simdjson::SUCCESS;
    return parser.allocate(std::bit_ceil(bytes), parser.max_depth());
  }

  error_code read(std::string_view text, bool& of_another_kind) {
    deliveries.clear();
    if (const error_code error = make_room(text.size())) return error;
    ondemand::document document;
    const simdjson::padded_string_view padded(text, text.size() + json::padding);
    if (const error_code error = parser.iterate(padded).get(document)) return error;
    ondemand::object root;
    if (const error_code error = document.get_object().get(root)) return error;
    const error_code error = each_member(root, [&](std::string_view key, ondemand::value value) {
      if (key == "deliveries") return take_deliveries(value, deliveries);
      if (key != "op") return simdjson::SUCCESS;
      std::string_view op;
      if (const error_code wrong = take_text(value, op)) return wrong;
      of_another_kind = op != "deliver";
      return of_another_kind ? simdjson::INCORRECT_TYPE : simdjson::SUCCESS;  // ends the walk
    });
    if (error || of_another_kind) return error;
    const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    return at_end ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
  }
};

DeliveryReader::DeliveryReader() : state_(std::make_unique<State>()) {}
DeliveryReader::~DeliveryReader() = default;
DeliveryReader::DeliveryReader(DeliveryReader&&) noexcept = default;
DeliveryReader& DeliveryReader::operator=(DeliveryReader&&) noexcept = default;

base::Result<std::optional<Deliveries>> DeliveryReader::read(std::string_view text) {
  state_->copy.assign(text).append(json::padding, '\0');
  return read_padded(std::string_view(state_->copy).substr(0, text.size()));
}

base::Result<std::optional<Deliveries>> DeliveryReader::read_padded(std::string_view text) {
  bool of_another_kind = false;
  const error_code error = state_->read(text, of_another_kind);
  if (of_another_kind) return std::nullopt;
  if (error == simdjson::MEMALLOC)
    return base::fail(ErrorCode::OVERLOADED, "there is no memory for what the server sent");
  if (error != simdjson::SUCCESS)
    return base::fail(ErrorCode::INTERNAL,
                      "what the server sent cannot be read: " + std::string(simdjson::error_message(error)));
  return state_->deliveries;
}

}  // namespace parley::sdk
