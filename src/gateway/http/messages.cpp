// POST …/messages: one native message, an array of them, or one a line (NDJSON). Each stands on its own (MSH-12).
#include "gateway/form/form.hpp"
#include "gateway/http/answers.hpp"
#include "gateway/http/gateway.hpp"

namespace parley::gateway::http {
namespace {

using base::ErrorCode;

constexpr std::size_t batch_max = 1'000;

// A batch may be larger than a message; each message is held to its own limits by ingress.
json::Limits batch_limits() {
  json::Limits limits;
  limits.bytes = 8 << 20;
  return limits;
}

bool is_ndjson(const net::http::Head& head) {
  return net::http::same_ignoring_case(head.find("Content-Type").substr(0, 20), "application/x-ndjson");
}

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!blank(line)) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

net::http::Response too_many(std::size_t count) {
  return error_response(
      {ErrorCode::PAYLOAD_TOO_LARGE,
       "the batch has " + std::to_string(count) + " messages, the limit is " + std::to_string(batch_max),
       {},
       {},
       {},
       {}});
}

}  // namespace

void Gateway::send(Request& request, const net::http::Head& head, std::string_view bytes) {
  const std::string& workspace = request.match.parameters[0];
  std::string body;
  json::Writer writer(body);
  if (is_ndjson(head)) {
    const auto lines = lines_of(bytes);
    if (lines.size() > batch_max) return respond(request.id, too_many(lines.size()));
    writer.begin_array();
    for (const std::string_view line : lines) {
      const auto parsed = parser_.parse(line);
      form::write_sent(writer, parsed ? broker_.send(*request.caller, workspace, {line, *parsed}, {})
                                      : base::Result<broker::Sent>(std::unexpected(parsed.error())));
    }
    writer.end_array();
    return respond(request.id, json_response(207, std::move(body)));
  }

  const auto parsed = parser_.parse(bytes, batch_limits());
  if (!parsed) return respond(request.id, error_response(parsed.error()));
  if (parsed->is_array()) {
    std::vector<std::string_view> slices;
    parser_.slices(*parsed, slices);
    if (slices.size() > batch_max) return respond(request.id, too_many(slices.size()));
    writer.begin_array();
    std::size_t i = 0;
    for (const json::Value element : parsed->elements())
      form::write_sent(writer, broker_.send(*request.caller, workspace, {slices[i++], element}, {}));
    writer.end_array();
    return respond(request.id, json_response(207, std::move(body)));
  }
  const auto sent =
      broker_.send(*request.caller, workspace, {parser_.slice(*parsed), *parsed}, head.find("Idempotency-Key"));
  if (!sent) return respond(request.id, error_response(sent.error()));
  form::write_sent(writer, sent);
  respond(request.id, json_response(202, std::move(body)));
}

}  // namespace parley::gateway::http
