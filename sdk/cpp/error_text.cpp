// One shape of error on every front; what is unknown is kept as text, never dropped.
#include "sdk/cpp/error_text.hpp"

#include <algorithm>

#include "base/time.hpp"
#include "json/parser.hpp"

namespace parley::sdk {
namespace {

using base::ErrorCode;

ErrorCode code_of_status(int status) {
  switch (status) {
    case 401:
      return ErrorCode::UNAUTHENTICATED;
    case 403:
      return ErrorCode::FORBIDDEN;
    case 404:
      return ErrorCode::NOT_FOUND;
    case 405:
      return ErrorCode::METHOD_NOT_ALLOWED;
    case 408:
      return ErrorCode::REQUEST_TIMEOUT;
    case 409:
      return ErrorCode::CONFLICT;
    case 413:
      return ErrorCode::PAYLOAD_TOO_LARGE;
    case 414:
      return ErrorCode::URL_TOO_LONG;
    case 415:
      return ErrorCode::UNSUPPORTED_MEDIA_TYPE;
    case 421:
      return ErrorCode::BAD_HOST;
    case 426:
      return ErrorCode::UPGRADE_REQUIRED;
    case 429:
      return ErrorCode::RATE_LIMITED;
    case 431:
      return ErrorCode::HEAD_TOO_LARGE;
    case 503:
      return ErrorCode::OVERLOADED;
    case 507:
      return ErrorCode::STORAGE_FULL;
    default:
      return status / 100 == 4 ? ErrorCode::BAD_REQUEST : ErrorCode::INTERNAL;
  }
}

std::string text_of(json::Value value) {
  return std::string(value.if_string().value_or(""));
}

}  // namespace

std::optional<ErrorCode> code_named(std::string_view name) {
  const auto found = std::ranges::lower_bound(base::error_infos, name, {}, &base::ErrorInfo::name);
  if (found == base::error_infos.end() || found->name != name) return std::nullopt;
  return static_cast<ErrorCode>(found - base::error_infos.begin());
}

base::Error read_error(json::Value value, int http_status) {
  base::Error error;
  const std::string name = text_of(value.find("code"));
  error.code = code_named(name).value_or(code_of_status(http_status));
  error.message = text_of(value.find("message"));
  if (base::info(error.code).name != name && !name.empty()) error.message = name + ": " + error.message;
  error.hint = text_of(value.find("hint"));
  error.where = text_of(value.find("where"));
  for (const auto move : value.find("legal_next").elements()) error.legal_next.push_back(text_of(move));
  if (const auto after = base::parse_duration(text_of(value.find("retry_after")))) error.retry_after = *after;
  error.details = read_problems(value.find("details"));
  return error;
}

base::Error error_of(int http_status, std::string_view body) {
  const auto document = json::Document::parse(body, {.bytes = 16 << 20});
  if (document)
    if (const auto value = document->root().find("error"); value.is_object()) return read_error(value, http_status);
  const bool is_stuck = document && document->root().find("loop_busy_ms");  // what the watchdog says of /healthz
  if (http_status == 502 || http_status == 504 || (http_status == 503 && !is_stuck))
    return base::fail(ErrorCode::UNREACHABLE,
                      "something before the server answered " + std::to_string(http_status) + " in its place", {},
                      "The server behind that proxy is away or slow: start it, or try again in a moment.")
        .error();
  return {.code = code_of_status(http_status),
          .message = "the server answered " + std::to_string(http_status) + " with no error of its own",
          .hint = "Check that this address is a Parley server.",
          .where = {},
          .legal_next = {},
          .details = {}};
}

void write_error(json::Writer& out, const base::Error& error) {
  out.begin_object()
      .member("code", base::info(error.code).name)
      .member("message", error.message)
      .member("hint", error.hint_text());
  out.member("where", error.where);
  if (!error.legal_next.empty()) {
    out.key("legal_next").begin_array();
    for (const auto& move : error.legal_next) out.string(move);
    out.end_array();
  }
  if (error.retry_after.count() > 0) out.member("retry_after", base::to_text(error.retry_after));
  write_problems(out.key("details"), error.details);
  out.end_object();
}

std::string to_json(const base::Error& error) {
  std::string text;
  json::Writer out(text);
  write_error(out.begin_object().key("error"), error);
  out.end_object();
  return text;
}

void write_problems(json::Writer& out, const std::vector<base::Problem>& problems) {
  out.begin_array();
  for (const auto& problem : problems)
    out.begin_object()
        .member("instance", problem.instance)
        .member("schema", problem.schema)
        .member("message", problem.message)
        .end_object();
  out.end_array();
}

std::vector<base::Problem> read_problems(json::Value problems) {
  std::vector<base::Problem> read;
  for (const auto problem : problems.elements())
    read.push_back(
        {text_of(problem.find("instance")), text_of(problem.find("schema")), text_of(problem.find("message"))});
  return read;
}

Failure kind_of(const base::Error& error) {
  return error.code == ErrorCode::UNREACHABLE ? Failure::unreachable : Failure::refused;
}

}  // namespace parley::sdk
