#include "gateway/http/calls.hpp"

#include <algorithm>
#include <charconv>

#include "gateway/form/form.hpp"

namespace parley::gateway::http {
namespace {

using base::ErrorCode;
using broker::Answer;

int status_of(std::span<const broker::Settled> settled) {  // docs/reference/http.md
  const auto all = [&](broker::Settled one) {
    return std::all_of(settled.begin(), settled.end(), [one](broker::Settled s) { return s == one; });
  };
  return all(broker::Settled::done) ? 200 : all(broker::Settled::superseded) ? 409 : 207;
}

std::vector<std::string_view> texts(json::Value list) {
  std::vector<std::string_view> texts;
  for (const json::Value text : list.elements()) texts.push_back(text.as_string());
  return texts;
}

}  // namespace

std::string_view Asked::query(std::string_view name) const {
  for (const auto& [key, value] : parameters)
    if (key == name) return value;
  return {};
}

broker::Page Asked::page() const {
  broker::Page page;
  page.after = query("after");
  const std::string_view limit = query("limit");
  std::from_chars(limit.data(), limit.data() + limit.size(), page.limit);  // its form has been checked
  return page;
}

base::Result<Answer> rotate_token(const Asked& asked, std::string_view whose) {
  PARLEY_TRY(const auto grace, form::duration_member(asked.body, "grace"));
  return asked.port.registry.rotate_token(asked.caller, asked.at[0], whose, asked.at[1],
                                          grace.value_or(base::Duration{}));
}

base::Result<Answer> check(const Asked& asked) {
  const auto deliveries = texts(asked.body.find("delivery_ids"));
  const auto messages = texts(asked.body.find("message_ids"));
  return asked.port.mailboxes.check(asked.caller, asked.at[0], asked.at[1], {deliveries, messages});
}

base::Result<Answer> settle(const Asked& asked, broker::Settlement what) {
  const json::Value body = asked.body;
  const auto ids = texts(body.find("delivery_ids"));
  broker::SettleRequest request;
  request.what = what;
  request.delivery_ids = ids;
  request.reason = body.find("reason").if_string().value_or("");
  request.code = body.find("code").if_string().value_or("");
  PARLEY_TRY(request.delay, form::duration_member(body, "delay"));
  PARLEY_TRY(request.lease, form::lease_member(body));
  PARLEY_TRY(const std::vector<broker::Settled> settled,
             asked.port.mailboxes.settle(asked.caller, asked.at[0], asked.at[1], request));

  Answer answer{status_of(settled), {}};
  json::Writer writer(answer.json);
  writer.begin_object();
  if (answer.status == 409) {
    writer.key("error");
    form::write_error(writer,
                      base::error(ErrorCode::SUPERSEDED, "the leases of these deliveries are over", "/delivery_ids"));
  }
  writer.key("results");
  form::write_settled(writer, ids, settled);
  writer.end_object();
  return answer;
}

}  // namespace parley::gateway::http
