// Calls that may wait for what is not there yet: take and log (long polls).
#include <algorithm>
#include <charconv>

#include "gateway/http/answers.hpp"
#include "gateway/http/gateway.hpp"

namespace parley::gateway::http {
namespace {

constexpr base::Duration wait_max = std::chrono::seconds(60);

base::Result<base::Duration> duration_or_zero(std::string_view text) {
  return text.empty() ? base::Duration{} : base::parse_duration(text);
}

}  // namespace

void Gateway::take(Request& request, Body body) {
  const auto wait = duration_or_zero(body.find("wait").if_string().value_or(""));
  const auto lease = duration_or_zero(body.find("lease").if_string().value_or(""));
  if (!wait || !lease) return finish(key(request.id), error_response(wait ? lease.error() : wait.error()));
  request.deadline = loop_.now() + std::min(*wait, wait_max);
  request.take.max = static_cast<std::uint32_t>(body.find("max").if_uint().value_or(1));
  request.take.lease = *lease;
  request.take_id = body.find("take_id").if_string().value_or("");
  try_take(key(request.id));
}

void Gateway::try_take(RequestKey key) {
  const auto at = requests_.find(key);
  if (at == requests_.end()) return;
  Request& request = at->second;
  const auto& where = request.match.parameters;
  request.take.take_id = request.take_id;
  const auto deliveries = broker_.take(*request.caller, where[0], where[1], request.take);
  if (!deliveries) return finish(key, error_response(deliveries.error()));
  const base::Duration left = request.deadline - loop_.now();
  if (!deliveries->empty() || left <= base::Duration{}) return finish(key, deliveries_response(*deliveries));
  request.wait = broker_.wait_for_mail(*request.caller, where[0], where[1], left, [this, key] { try_take(key); });
}

void Gateway::read_log(Request& request) {
  const auto wait = duration_or_zero(parameter(request, "wait"));
  if (!wait) return finish(key(request.id), error_response(wait.error()));
  request.deadline = loop_.now() + std::min(*wait, wait_max);
  try_log(key(request.id));
}

void Gateway::try_log(RequestKey key) {
  const auto at = requests_.find(key);
  if (at == requests_.end()) return;
  Request& request = at->second;
  const auto number = [&](std::string_view name, std::uint64_t otherwise) {
    const std::string_view text = parameter(request, name);
    std::uint64_t value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const std::uint64_t from = number("from", 1);
  const auto answer = broker_.log(*request.caller, request.match.parameters[0], from,
                                  static_cast<std::uint32_t>(std::min<std::uint64_t>(number("max", 100), 1000)));
  if (!answer) return finish(key, error_response(answer.error()));
  const base::Duration left = request.deadline - loop_.now();
  if (!answer->json.starts_with(R"({"items":[])") || left <= base::Duration{})
    return finish(key, json_response(200, answer->json));
  request.wait =
      broker_.wait_for_log(*request.caller, request.match.parameters[0], from, left, [this, key] { try_log(key); });
}

}  // namespace parley::gateway::http
