#include "gateway/http/answers.hpp"

#include <algorithm>

#include "base/joined.hpp"
#include "gateway/form/form.hpp"

namespace parley::gateway::http {

using base::ErrorCode;
using net::http::Response;

Response json_response(int status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

Response error_response(const base::Error& error) {
  Response response = json_response(info(error.code).http_status, form::error_body(error));
  if (error.code == ErrorCode::UNAUTHENTICATED) response.fields.emplace_back("WWW-Authenticate", "Bearer");
  if (error.code == ErrorCode::UPGRADE_REQUIRED) response.fields.emplace_back("Upgrade", "websocket");
  if (error.code == ErrorCode::METHOD_NOT_ALLOWED)
    response.fields.emplace_back("Allow", base::joined(error.legal_next));
  if (response.status == 429 || response.status == 503) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(error.retry_after).count();
    response.fields.emplace_back("Retry-After", std::to_string(std::max<std::int64_t>(seconds, 1)));
  }
  return response;
}

base::Error no_longer_valid() {
  return base::error(ErrorCode::UNAUTHENTICATED, "the bearer token is no longer valid", "Authorization");
}

Response deliveries_response(std::span<const broker::Delivery> deliveries) {
  std::string body = R"({"deliveries":[)";
  form::append_deliveries(body, deliveries);
  return json_response(200, std::move(body) + "]}");
}

}  // namespace parley::gateway::http
